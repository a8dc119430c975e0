#include "problems/triplet_sums/triplet_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "problems/triplet_sums/loss_sum.hpp"

namespace alidade::triplet {
namespace {

// Quads take three passes over a batch: gather the differences to the partners; evaluate the loss with
// vector instructions; scatter slope times difference. One loop for all three was slower (2.8 ns per triplet
// instead of 1.8 in two dimensions), because loads of the gradient then wait for the slow results of the loss.
//
// Lists take the first and last pass once per partner; a triplet only looks up two squared distances and
// adds two slopes in small arrays.

constexpr std::size_t kBatchQuads = 64;
constexpr std::size_t kBatch = 4 * kBatchQuads;  // triplets
// The rows of larger maps, in bytes, are paired with those of the gradient, or else fetched ahead: measured with 1e4 to
// 1e6 objects in two dimensions, 32 MB of shared cache.
constexpr std::size_t kFarPair = 3 << 19, kFarMap = 12 << 20;
constexpr std::size_t kPadding = 32;  // numbers that vector loops may read or write beyond the end

template <class Real>
struct Batch {
  alignas(64) Real weight[kBatch];  // 0 at empty places
  // Any number of dimensions: squared distances in, twice the weighted derivatives out.
  alignas(64) Real near_distance[kBatch];
  alignas(64) Real far_distance[kBatch];
  alignas(64) Real near_slope[kBatch];
  alignas(64) Real far_slope[kBatch];
  // Two dimensions: anchor minus partner in, slope times that out.
  alignas(64) Real near_rows[2 * kBatch];
  alignas(64) Real far_rows[2 * kBatch];
};

template <class Real>
using EvaluateBatch = double (*)(const void* form, Batch<Real>& batch, std::size_t triplets, bool with_slopes);

template <class Real>
struct Job {
  const AnchorGroups* groups;
  GroupRange range;
  const Real* y;
  std::size_t d;
  Real* gradient;  // null: value only
  Workspace<Real>* workspace;
  const void* form;
  EvaluateBatch<Real> evaluate;
};

template <class Real>
[[gnu::always_inline]] inline std::size_t map_bytes(const Job<Real>& job) {
  return static_cast<std::size_t>(job.groups->object_count()) * job.d * sizeof(Real);
}

// ---- the loss of a batch

/// Returns the weighted sum of the losses; rounds the number `triplets` up to whole vectors.
template <int bytes, bool weighted, class Form, class Real>
[[gnu::always_inline]] inline double evaluate(const Form& form, Batch<Real>& batch, std::size_t triplets,
                                              bool with_slopes) {
  using V = Vec<Real, bytes>;
  LossSum<Form, V, weighted> sum;
  for (std::size_t at = 0; at < triplets; at += kLanes<V>) {
    const auto weight = load<V>(batch.weight + at);
    const LossTerm<V> term = sum.add(form, load<V>(batch.near_distance + at), load<V>(batch.far_distance + at), weight);
    if (!with_slopes) continue;
    const V twice = weight + weight;
    store<V>(batch.near_slope + at, term.d_near * twice);
    store<V>(batch.far_slope + at, term.d_far * twice);
  }
  return sum.total();
}

// Rows of two numbers are split and merged only within 128-bit parts, where one cheap instruction
// does it. So the rows r = 0 ... L-1 of two vectors of L numbers are in the order of InterleavedRow.

/// The first (which = 0) or the second number of each row of two vectors.
template <int which, int number_bytes>
struct NumberOfRow {
  static constexpr int kPart = 16 / number_bytes;
  static constexpr int of(int lane, int lanes) {
    const int within = lane % kPart;
    const int vector = within / (kPart / 2);
    return vector * lanes + lane - within + 2 * (within % (kPart / 2)) + which;
  }
};
/// The row that stands at a lane after NumberOfRow.
template <int number_bytes>
struct InterleavedRow {
  static constexpr int kPart = 16 / number_bytes;
  static constexpr int of(int lane, int lanes) {
    const int within = lane % kPart;
    const int vector = within / (kPart / 2);
    return vector * (lanes / 2) + lane / kPart * (kPart / 2) + within % (kPart / 2);
  }
};
/// The lane at which InterleavedRow put a row.
template <int number_bytes>
struct NaturalRow {
  static constexpr int of(int row, int lanes) {
    for (int lane = 0; lane < lanes; ++lane)
      if (InterleavedRow<number_bytes>::of(lane, lanes) == row) return lane;
    return -1;
  }
};
/// One number per row, in interleaved order, each repeated, for the rows of the first or the second vector.
template <int vector, int number_bytes>
struct TwiceOfRow {
  static constexpr int kPart = 16 / number_bytes;
  static constexpr int of(int lane, int) {
    const int within = lane % kPart;
    return lane - within + vector * (kPart / 2) + within / 2;
  }
};

template <class V>
[[gnu::always_inline]] inline V squared_lengths(const V& low, const V& high) {
  constexpr int kBytes = sizeof(Element<V>);
  const V x = arrange<NumberOfRow<0, kBytes>>(low, high);
  const V y = arrange<NumberOfRow<1, kBytes>>(low, high);
  return x * x + y * y;
}

/// Two dimensions: squared distances from rows. Triplets are then in interleaved order.
template <int bytes, class Real>
[[gnu::always_inline]] inline void find_lengths(Batch<Real>& batch, std::size_t triplets) {
  using V = Vec<Real, bytes>;
  constexpr int L = kLanes<V>;
  for (std::size_t at = 0; at < triplets; at += L) {
    const auto weight = load<V>(batch.weight + at);
    store<V>(batch.weight + at, arrange<InterleavedRow<sizeof(Real)>>(weight, weight));
    const auto lengths = [&](const Real* rows) __attribute__((always_inline)) {
      return squared_lengths(load<V>(rows), load<V>(rows + L));
    };
    store<V>(batch.near_distance + at, lengths(batch.near_rows + 2 * at));
    store<V>(batch.far_distance + at, lengths(batch.far_rows + 2 * at));
  }
}

/// Multiplies rows by slopes.
template <int bytes, class Real>
[[gnu::always_inline]] inline void scale_rows(Batch<Real>& batch, std::size_t triplets) {
  using V = Vec<Real, bytes>;
  constexpr int L = kLanes<V>;
  const auto scale = [&](Real * rows, const V& slope) __attribute__((always_inline)) {
    store<V>(rows, load<V>(rows) * arrange<TwiceOfRow<0, sizeof(Real)>>(slope, slope));
    store<V>(rows + L, load<V>(rows + L) * arrange<TwiceOfRow<1, sizeof(Real)>>(slope, slope));
  };
  for (std::size_t at = 0; at < triplets; at += L) {
    scale(batch.near_rows + 2 * at, load<V>(batch.near_slope + at));
    scale(batch.far_rows + 2 * at, load<V>(batch.far_slope + at));
  }
}

// ---- weights

/// Ones for one quad, with zeros at its empty places.
template <class Real>
struct PlaceWeights {
  alignas(64) Real of[5][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}};
};
template <class Real>
constexpr PlaceWeights<Real> kPlaceWeights;

template <class Real>
[[gnu::always_inline]] inline void quad_weights(const AnchorGroups& groups, std::size_t first, std::size_t quads,
                                                Batch<Real>& batch) {
  if (const double* weights = groups.quad_weights()) {
    for (std::size_t t = 0; t < 4 * quads; ++t) batch.weight[t] = static_cast<Real>(weights[4 * first + t]);
  } else {
    const std::uint8_t* sizes = groups.quad_sizes() + first;
    for (std::size_t q = 0; q < quads; ++q)
      std::memcpy(batch.weight + 4 * q, kPlaceWeights<Real>.of[sizes[q]], 4 * sizeof(Real));
  }
}

/// Also zeros up to the end of the last vector.
template <class Real>
[[gnu::always_inline]] inline void list_weights(std::span<const double> weights, std::size_t begin, std::size_t size,
                                                Batch<Real>& batch) {
  if (weights.empty()) {
    std::fill_n(batch.weight, size, Real(1));
  } else {
    for (std::size_t t = 0; t < size; ++t) batch.weight[t] = static_cast<Real>(weights[begin + t]);
  }
  for (std::size_t t = size; t < kBatch && t % kPadding != 0; ++t) batch.weight[t] = 0;
}

// ---- two dimensions

template <class Real>
using Pair = Vec<Real, 2 * static_cast<int>(sizeof(Real))>;

struct TwoIds {
  std::uint32_t first, second;
};
// One load for two: these loops are bound by the number of loads and stores.
[[gnu::always_inline]] inline TwoIds load_two(const std::uint32_t* from) {
  std::uint64_t both;
  std::memcpy(&both, from, sizeof(both));
  if constexpr (std::endian::native == std::endian::little)
    return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32)};
  return {static_cast<std::uint32_t>(both >> 32), static_cast<std::uint32_t>(both)};
}

/// Where a row of two numbers begins, if rows are `stride` apart; `id` is doubled.
template <int stride>
[[gnu::always_inline]] inline std::size_t pair_offset(std::uint32_t id) {
  return std::size_t{id} * (stride / 2);
}

/// A vector full of rows; `ids` are doubled.
template <class V, int stride>
[[gnu::always_inline]] inline V gather(const Element<V>* y, const std::uint32_t* ids) {
  using P = Pair<Element<V>>;
  if constexpr (sizeof(V) == sizeof(P)) {
    return load<P>(y + pair_offset<stride>(*ids));
  } else if constexpr (sizeof(V) == 2 * sizeof(P)) {
    const auto [first, second] = load_two(ids);
    return join(load<P>(y + pair_offset<stride>(first)), load<P>(y + pair_offset<stride>(second)));
  } else {
    return join(gather<Half<V>, stride>(y, ids), gather<Half<V>, stride>(y, ids + kLanes<V> / 4));
  }
}

/// gradient -= rows
template <int stride, class V>
[[gnu::always_inline]] inline void scatter(Element<V>* gradient, const std::uint32_t* ids, const V& rows) {
  using P = Pair<Element<V>>;
  if constexpr (sizeof(V) == sizeof(P)) {
    Element<V>* const to = gradient + pair_offset<stride>(*ids);
    store<P>(to, load<P>(to) - rows);
  } else {
    static_assert(sizeof(V) == 2 * sizeof(P));
    const auto [first, second] = load_two(ids);
    Element<V>* to = gradient + pair_offset<stride>(first);
    store<P>(to, load<P>(to) - low_half(rows));
    to = gradient + pair_offset<stride>(second);
    store<P>(to, load<P>(to) - high_half(rows));
  }
}

template <class V>
[[gnu::always_inline]] inline V repeat(const Pair<Element<V>>& pair) {
  if constexpr (sizeof(V) == sizeof(pair)) {
    return pair;
  } else {
    const auto half = repeat<Half<V>>(pair);
    return join(half, half);
  }
}

template <class V>
[[gnu::always_inline]] inline Pair<Element<V>> sum_rows(const V& rows) {
  if constexpr (sizeof(V) == sizeof(Pair<Element<V>>)) {
    return rows;
  } else {
    return low_half(rows) + high_half(rows);
  }
}

template <int bytes, int stride, class Real>
[[gnu::always_inline]] inline double add_quad_pairs(const Job<Real>& job, std::size_t first, std::size_t quads,
                                                    Batch<Real>& batch) {
  constexpr int kBytes = sizeof(Real);
  using In = Vec<Real, std::min(bytes, 8 * kBytes)>;   // at most the four rows of one side of a quad
  using Out = Vec<Real, std::min(bytes, 4 * kBytes)>;  // two rows
  const std::uint32_t* const anchors = job.groups->quad_anchors() + first;
  const std::uint32_t* const ids = job.groups->quad_ids() + AnchorGroups::kQuadIds * first;
  const Real* const y = job.y;
  for (std::size_t q = 0; q < quads; ++q) {
    const In origin = repeat<In>(load<Pair<Real>>(y + pair_offset<stride>(anchors[q])));
#pragma GCC unroll 4
    for (std::size_t e = 0; e < 4; e += kLanes<In> / 2) {
      store<In>(batch.near_rows + 8 * q + 2 * e, origin - gather<In, stride>(y, ids + 8 * q + e));
      store<In>(batch.far_rows + 8 * q + 2 * e, origin - gather<In, stride>(y, ids + 8 * q + 4 + e));
    }
  }
  quad_weights(*job.groups, first, quads, batch);
  Real* const gradient = job.gradient;
  find_lengths<bytes>(batch, 4 * quads);
  const double objective = job.evaluate(job.form, batch, 4 * quads, gradient != nullptr);
  if (gradient == nullptr) return objective;
  scale_rows<bytes>(batch, 4 * quads);
  for (std::size_t q = 0; q < quads; ++q) {
    Out sum{};
#pragma GCC unroll 4
    for (std::size_t e = 0; e < 4; e += kLanes<Out> / 2) {
      const auto near = load<Out>(batch.near_rows + 8 * q + 2 * e);
      const auto far = load<Out>(batch.far_rows + 8 * q + 2 * e);
      scatter<stride>(gradient, ids + 8 * q + e, near);
      scatter<stride>(gradient, ids + 8 * q + 4 + e, far);
      sum += near + far;
    }
    Real* to = gradient + pair_offset<stride>(anchors[q]);
    store<Pair<Real>>(to, load<Pair<Real>>(to) + sum_rows(sum));
  }
  return objective;
}

// ---- any number of dimensions; `dim` is that number if known at compile time, else 0

template <int dim, class Real>
[[gnu::always_inline]] inline std::size_t dimensions(const Job<Real>& job) {
  return dim == 0 ? job.d : static_cast<std::size_t>(dim);
}

/// `id` is doubled.
[[gnu::always_inline]] inline std::size_t row_offset(std::uint32_t id, std::size_t d) {
  return (std::size_t{id} * d) >> 1;
}

// Rows are processed in blocks of four numbers, then one of two and one of one, as d requires.

template <class V>
[[gnu::always_inline]] inline Element<V> sum_of_squares(const V& v) {
  if constexpr (kLanes<V> == 2) {
    return v[0] * v[0] + v[1] * v[1];
  } else {
    const V squares = v * v;
    return squares[0] + squares[1] + (squares[2] + squares[3]);
  }
}

template <class Real>
[[gnu::always_inline]] inline Real squared_distance(const Real* a, const Real* b, std::size_t d) {
  using Four = Vec<Real, 4 * static_cast<int>(sizeof(Real))>;
  Real sum = 0;
  std::size_t c = 0;
  for (; c + 4 <= d; c += 4) sum += sum_of_squares(Four(load<Four>(a + c) - load<Four>(b + c)));
  if (d & 2) {
    sum += sum_of_squares(Pair<Real>(load<Pair<Real>>(a + c) - load<Pair<Real>>(b + c)));
    c += 2;
  }
  if (d & 1) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

/// Numbers c, c + 1, ... of all rows of a quad. V is a scalar or a vector.
template <class V, class Real>
[[gnu::always_inline]] inline void pull_block(const Real* y, Real* gradient, std::size_t anchor,
                                              const std::size_t* partners, const Real* slopes, std::size_t c) {
  const auto origin = load<V>(y + anchor + c);
  V sum{};
#pragma GCC unroll 8
  for (std::size_t e = 0; e < 8; ++e) {
    const std::size_t at = partners[e] + c;
    const V pull = slopes[e] * (origin - load<V>(y + at));
    store<V>(gradient + at, load<V>(gradient + at) - pull);
    sum += pull;
  }
  store<V>(gradient + anchor + c, load<V>(gradient + anchor + c) + sum);
}

template <int dim, class Real>
[[gnu::always_inline]] inline double add_quad_rows(const Job<Real>& job, std::size_t first, std::size_t quads,
                                                   Batch<Real>& batch) {
  using Four = Vec<Real, 4 * static_cast<int>(sizeof(Real))>;
  const std::size_t d = dimensions<dim>(job);
  const std::uint32_t* const anchors = job.groups->quad_anchors() + first;
  const std::uint32_t* const ids = job.groups->quad_ids() + AnchorGroups::kQuadIds * first;
  const Real* const y = job.y;
  for (std::size_t q = 0; q < quads; ++q) {
    const Real* origin = y + row_offset(anchors[q], d);
    for (std::size_t e = 0; e < 4; ++e) {
      const std::size_t t = 4 * q + e;
      batch.near_distance[t] = squared_distance(origin, y + row_offset(ids[8 * q + e], d), d);
      batch.far_distance[t] = squared_distance(origin, y + row_offset(ids[8 * q + 4 + e], d), d);
    }
  }
  quad_weights(*job.groups, first, quads, batch);
  Real* const gradient = job.gradient;
  const double objective = job.evaluate(job.form, batch, 4 * quads, gradient != nullptr);
  if (gradient == nullptr) return objective;
  for (std::size_t q = 0; q < quads; ++q) {
    const std::size_t anchor = row_offset(anchors[q], d);
    std::size_t partners[8];
    Real slopes[8];
    for (std::size_t e = 0; e < 4; ++e) {
      partners[e] = row_offset(ids[8 * q + e], d);
      partners[4 + e] = row_offset(ids[8 * q + 4 + e], d);
      slopes[e] = batch.near_slope[4 * q + e];
      slopes[4 + e] = batch.far_slope[4 * q + e];
    }
    std::size_t c = 0;
    for (; c + 4 <= d; c += 4) pull_block<Four>(y, gradient, anchor, partners, slopes, c);
    if (d & 2) {
      pull_block<Pair<Real>>(y, gradient, anchor, partners, slopes, c);
      c += 2;
    }
    if (d & 1) pull_block<Real>(y, gradient, anchor, partners, slopes, c);
  }
  return objective;
}

// ---- lists

struct FourPlaces {
  std::size_t of[4];
};
[[gnu::always_inline]] inline FourPlaces load_four(const std::uint16_t* from) {
  std::uint64_t all;
  std::memcpy(&all, from, sizeof(all));
  if constexpr (std::endian::native == std::endian::big) return {from[0], from[1], from[2], from[3]};
  return {all & 0xffff, (all >> 16) & 0xffff, (all >> 32) & 0xffff, all >> 48};
}

template <class Real>
[[gnu::always_inline]] inline void look_up(const Real* table, const std::uint16_t* places, std::size_t size,
                                           Real* out) {
  std::size_t t = 0;
  for (; t + 4 <= size; t += 4) {
    const FourPlaces at = load_four(places + t);
#pragma GCC unroll 4
    for (std::size_t e = 0; e < 4; ++e) out[t + e] = table[at.of[e]];
  }
  for (; t < size; ++t) out[t] = table[places[t]];
}

template <class Real>
[[gnu::always_inline]] inline void add_up(Real* table, const std::uint16_t* places, std::size_t size,
                                          const Real* terms) {
  std::size_t t = 0;
  for (; t + 4 <= size; t += 4) {
    const FourPlaces at = load_four(places + t);
#pragma GCC unroll 4
    for (std::size_t e = 0; e < 4; ++e) table[at.of[e]] += terms[t + e];
  }
  for (; t < size; ++t) table[places[t]] += terms[t];
}

template <int bytes, int dim, int stride, class Real>
[[gnu::always_inline]] inline double add_list(const Job<Real>& job, const AnchorGroups::List& list,
                                              Batch<Real>& batch) {
  const std::size_t d = dimensions<dim>(job), between = stride == 0 ? d : std::size_t{stride};
  const std::size_t partners = list.partners.size();
  Workspace<Real>& work = *job.workspace;
  if (work.squared_distances.size() < partners + kPadding) work.squared_distances.resize(partners + kPadding);
  if (work.slopes.size() < partners + kPadding) work.slopes.resize(partners + kPadding);
  if (work.differences.size() < d * (partners + kPadding)) work.differences.resize(d * (partners + kPadding));
  Real* const rows = work.differences.data();
  Real* const distance = work.squared_distances.data();
  Real* const slope = work.slopes.data();
  const Real* const origin = job.y + row_offset(list.anchor, between);
  if constexpr (dim == 2) {
    using V = Vec<Real, bytes>;
    const auto here = load<Pair<Real>>(origin);
    for (std::size_t p = 0; p < partners; ++p)
      store<Pair<Real>>(rows + 2 * p, here - load<Pair<Real>>(job.y + pair_offset<stride>(list.partners[p])));
    for (std::size_t p = 0; p < partners; p += kLanes<V>) {
      const V lengths = squared_lengths(load<V>(rows + 2 * p), load<V>(rows + 2 * p + kLanes<V>));
      store<V>(distance + p, arrange<NaturalRow<sizeof(Real)>>(lengths, lengths));
    }
  } else {
    for (std::size_t p = 0; p < partners; ++p) {
      const Real* partner = job.y + row_offset(list.partners[p], d);
      Real sum = 0;
      for (std::size_t c = 0; c < d; ++c) {
        const Real difference = origin[c] - partner[c];
        rows[p * d + c] = difference;
        sum += difference * difference;
      }
      distance[p] = sum;
    }
  }
  const bool with_gradient = job.gradient != nullptr;
  if (with_gradient) std::fill_n(slope, partners, Real(0));
  double objective = 0;
  for (std::size_t begin = 0; begin < list.near.size(); begin += kBatch) {
    const std::size_t size = std::min(kBatch, list.near.size() - begin);
    const std::uint16_t* const near = list.near.data() + begin;
    const std::uint16_t* const far = list.far.data() + begin;
    look_up(distance, near, size, batch.near_distance);
    look_up(distance, far, size, batch.far_distance);
    list_weights(list.weights, begin, size, batch);
    objective += job.evaluate(job.form, batch, size, with_gradient);
    if (!with_gradient) continue;
    add_up(slope, near, size, batch.near_slope);
    add_up(slope, far, size, batch.far_slope);
  }
  if (!with_gradient) return objective;
  Real* const own = job.gradient + row_offset(list.anchor, between);
  if constexpr (dim == 2) {
    Pair<Real> sum{};
    for (std::size_t p = 0; p < partners; ++p) {
      const Pair<Real> pull = slope[p] * load<Pair<Real>>(rows + 2 * p);
      scatter<stride>(job.gradient, &list.partners[p], pull);
      sum += pull;
    }
    store<Pair<Real>>(own, load<Pair<Real>>(own) + sum);
  } else {
    for (std::size_t p = 0; p < partners; ++p) {
      Real* to = job.gradient + row_offset(list.partners[p], d);
      for (std::size_t c = 0; c < d; ++c) {
        const Real pull = slope[p] * rows[p * d + c];
        to[c] -= pull;
        own[c] += pull;
      }
    }
  }
  return objective;
}

// ---- violations: compiled only for the baseline, which on x86-64 has no fused multiply-add, so that ties are
// ---- the same as in a plain loop

template <int dim, class Real>
[[gnu::always_inline]] inline Real plain_squared_distance(const Real* a, const Real* b, std::size_t d) {
  const std::size_t count = dim == 0 ? d : static_cast<std::size_t>(dim);
  Real sum = 0;
  for (std::size_t c = 0; c < count; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

template <int dim, class Real>
Violations count_violations(const AnchorGroups& groups, GroupRange range, const Real* y, std::size_t d,
                            Workspace<Real>& workspace) {
  std::int64_t count = 0;
  double weight = 0;
  const double* const weights = groups.quad_weights();
  for (auto q = static_cast<std::size_t>(range.quad_begin); q < static_cast<std::size_t>(range.quad_end); ++q) {
    const std::uint32_t* const ids = groups.quad_ids() + AnchorGroups::kQuadIds * q;
    const Real* const origin = y + row_offset(groups.quad_anchors()[q], dim == 0 ? d : dim);
    const std::size_t size = groups.quad_sizes()[q];
    for (std::size_t e = 0; e < 4; ++e) {
      const Real near = plain_squared_distance<dim>(origin, y + row_offset(ids[e], dim == 0 ? d : dim), d);
      const Real far = plain_squared_distance<dim>(origin, y + row_offset(ids[4 + e], dim == 0 ? d : dim), d);
      // No branch: half of them would be mispredicted on a map that is far from converged.
      const bool violated = (e < size) & !(near < far);
      count += violated;
      if (weights != nullptr) weight += static_cast<double>(violated) * weights[4 * q + e];
    }
  }
  for (Index k = range.list_begin; k < range.list_end; ++k) {
    const AnchorGroups::List list = groups.list(k);
    const std::size_t partners = list.partners.size();
    if (workspace.squared_distances.size() < partners) workspace.squared_distances.resize(partners);
    Real* const distance = workspace.squared_distances.data();
    const Real* const origin = y + row_offset(list.anchor, dim == 0 ? d : dim);
    for (std::size_t p = 0; p < partners; ++p)
      distance[p] = plain_squared_distance<dim>(origin, y + row_offset(list.partners[p], dim == 0 ? d : dim), d);
    for (std::size_t t = 0; t < list.near.size(); ++t) {
      const bool violated = !(distance[list.near[t]] < distance[list.far[t]]);
      count += violated;
      if (!list.weights.empty()) weight += static_cast<double>(violated) * list.weights[t];
    }
  }
  return {count, groups.weighted() ? weight : static_cast<double>(count)};
}

// ---- everything in a range

/// Fetches the rows of the partners in quads [first, end), at most a batch of them, ahead of their use.
template <class Real>
[[gnu::always_inline]] inline void fetch_rows(const Job<Real>& job, std::size_t stride, std::size_t first,
                                              std::size_t end) {
  const std::uint32_t* const ids = job.groups->quad_ids();
  end = std::min(end, first + kBatchQuads);
  for (std::size_t k = AnchorGroups::kQuadIds * first; k < AnchorGroups::kQuadIds * end; ++k)
    __builtin_prefetch(job.y + row_offset(ids[k], stride), 0, 2);
}

/// `dim`: the number of dimensions, or 0. `stride`: between rows, of the map and of the gradient, or 0 for `dim`.
template <int bytes, int dim, int stride, class Real>
[[gnu::always_inline]] inline double add_range(const Job<Real>& job) {
  Batch<Real> batch;
  std::memset(&batch, 0, sizeof(batch));
  double objective = 0;
  const auto end = static_cast<std::size_t>(job.range.quad_end);
  const bool is_far = map_bytes(job) > (stride > dim ? kFarPair : kFarMap);
  for (auto q = static_cast<std::size_t>(job.range.quad_begin); q < end; q += kBatchQuads) {
    const std::size_t quads = std::min(kBatchQuads, end - q);
    if (is_far) fetch_rows(job, stride == 0 ? job.d : std::size_t{stride}, q + kBatchQuads, end);
    if constexpr (dim == 2) {
      objective += add_quad_pairs<bytes, stride>(job, q, quads, batch);
    } else {
      objective += add_quad_rows<dim>(job, q, quads, batch);
    }
  }
  for (Index k = job.range.list_begin; k < job.range.list_end; ++k)
    objective += add_list<bytes, dim, stride>(job, job.groups->list(k), batch);
  return objective;
}

/// Two dimensions: puts each row of a map beside its row of the gradient, so that one access to memory brings both, and
/// adds there. The sums are in the same order.
template <int bytes, class Real>
[[gnu::always_inline]] inline double add_paired(Job<Real> job) {
  auto& rows = job.workspace->map_and_gradient;
  const auto count = static_cast<std::size_t>(job.groups->object_count());
  Real* const gradient = job.gradient;
  rows.resize(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    store<Pair<Real>>(rows.data() + 4 * i, load<Pair<Real>>(job.y + 2 * i));
    store<Pair<Real>>(rows.data() + 4 * i + 2, load<Pair<Real>>(gradient + 2 * i));
  }
  job.y = rows.data();
  job.gradient = rows.data() + 2;
  const double out = add_range<bytes, 2, 4>(job);
  for (std::size_t i = 0; i < count; ++i)
    store<Pair<Real>>(gradient + 2 * i, load<Pair<Real>>(rows.data() + 4 * i + 2));
  return out;
}

template <int bytes, class Real>
[[gnu::always_inline]] inline double add_any(const Job<Real>& job) {
  if constexpr (bytes == 32)
    if (job.d == 2 && job.gradient != nullptr && map_bytes(job) > kFarPair) return add_paired<bytes>(job);
  if (job.d == 2) return add_range<bytes, 2, 2>(job);
  if (job.d == 3) return add_range<bytes, 3, 0>(job);
  return add_range<bytes, 0, 0>(job);
}

// ---- one copy of the loops for each instruction set; 512-bit vectors brought 3 to 4 % of a fit for a third of the
// ---- compilation

struct Baseline {
  template <class Real>
  static double add(const Job<Real>& job) {
    return add_any<16>(job);
  }
  template <bool weighted, class Form, class Real>
  static double evaluate(const void* form, Batch<Real>& batch, std::size_t size, bool slopes) {
    return triplet::evaluate<16, weighted>(*static_cast<const Form*>(form), batch, size, slopes);
  }
};

#if defined(__x86_64__)
struct Avx2 {
  template <class Real>
  [[gnu::target("arch=x86-64-v3")]] static double add(const Job<Real>& job) {
    return add_any<32>(job);
  }
  template <bool weighted, class Form, class Real>
  [[gnu::target("arch=x86-64-v3")]] static double evaluate(const void* form, Batch<Real>& batch, std::size_t size,
                                                           bool slopes) {
    return triplet::evaluate<32, weighted>(*static_cast<const Form*>(form), batch, size, slopes);
  }
};
#endif

template <class Set, class Form, class Real>
double add_with(Job<Real>& job) {
  if constexpr (LogarithmicForm<Form>) {
    if (!job.groups->weighted()) {
      job.evaluate = Set::template evaluate<false, Form, Real>;
      return Set::add(job);
    }
  }
  job.evaluate = Set::template evaluate<true, Form, Real>;
  return Set::add(job);
}

template <class Real>
double add(const TripletLoss& loss, const AnchorGroups& groups, GroupRange range, std::span<const Real> y, Index d,
           Real* gradient, Workspace<Real>& workspace) {
  return with_form(loss, [&](const auto& form) {
    using Form = std::remove_cvref_t<decltype(form)>;
    Job<Real> job{&groups, range, y.data(), static_cast<std::size_t>(d), gradient, &workspace, &form, nullptr};
#if defined(__x86_64__)
    if (workspace.instructions != InstructionSet::baseline) return add_with<Avx2, Form>(job);
#endif
    return add_with<Baseline, Form>(job);
  });
}

}  // namespace

template <class Real>
double add_value_and_gradient(const TripletLoss& loss, const AnchorGroups& groups, GroupRange range,
                              std::span<const Real> y, Index d, std::span<Real> gradient, Workspace<Real>& workspace) {
  return add(loss, groups, range, y, d, gradient.data(), workspace);
}

template <class Real>
double value(const TripletLoss& loss, const AnchorGroups& groups, GroupRange range, std::span<const Real> y, Index d,
             Workspace<Real>& workspace) {
  return add<Real>(loss, groups, range, y, d, nullptr, workspace);
}

template <class Real>
Violations violations(const AnchorGroups& groups, GroupRange range, std::span<const Real> y, Index d,
                      Workspace<Real>& workspace) {
  const auto dim = static_cast<std::size_t>(d);
  if (dim == 2) return count_violations<2>(groups, range, y.data(), dim, workspace);
  if (dim == 3) return count_violations<3>(groups, range, y.data(), dim, workspace);
  return count_violations<0>(groups, range, y.data(), dim, workspace);
}

template double add_value_and_gradient(const TripletLoss&, const AnchorGroups&, GroupRange, std::span<const float>,
                                       Index, std::span<float>, Workspace<float>&);
template double add_value_and_gradient(const TripletLoss&, const AnchorGroups&, GroupRange, std::span<const double>,
                                       Index, std::span<double>, Workspace<double>&);
template double value(const TripletLoss&, const AnchorGroups&, GroupRange, std::span<const float>, Index,
                      Workspace<float>&);
template double value(const TripletLoss&, const AnchorGroups&, GroupRange, std::span<const double>, Index,
                      Workspace<double>&);
template Violations violations(const AnchorGroups&, GroupRange, std::span<const float>, Index, Workspace<float>&);
template Violations violations(const AnchorGroups&, GroupRange, std::span<const double>, Index, Workspace<double>&);

}  // namespace alidade::triplet
