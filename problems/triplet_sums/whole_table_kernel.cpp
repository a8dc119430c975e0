#include "problems/triplet_sums/whole_table_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/core/vector_math.hpp"
#include "problems/core/wide_call.hpp"
#include "problems/triplet_sums/log_product.hpp"

namespace alidade::triplet {
namespace {

using Workspace = WholeTableWorkspace;
using Place = Workspace::Place;

constexpr std::size_t kPadding = 8;    // numbers that vector loops may read or write beyond the end
constexpr std::size_t kNearBlock = 4;  // distances to near that share one pass over those to far
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t padded(std::size_t count) { return (count + kPadding - 1) / kPadding * kPadding; }

/// The objects of one aspect, by class, and one of them as the anchor.
struct Anchor {
  std::size_t count = 0;   // of objects
  std::size_t stride = 0;  // padded(count), between rows of coordinates
  std::size_t d = 0;
  std::size_t self = 0;
  std::size_t class_begin = 0, class_end = 0;
  double margin = 0;
  bool with_gradient = false;
  HingePairs pairs = HingePairs::automatic;
};

// ---- pairs by sorting ----

/// Sorts in ascending order: into buckets of equal width with one distance on average, then within each bucket.
void sort_places(std::span<const double> distances, std::vector<Place>& out, Workspace& work) {
  const std::size_t count = distances.size();
  const auto ascending = [](const Place& x, const Place& y) {
    return x.distance < y.distance || (x.distance == y.distance && x.at < y.at);
  };
  out.resize(count);
  const auto [least, largest] = std::ranges::minmax(distances);
  const double scale = static_cast<double>(count - 1) / (largest - least);
  if (!std::isfinite(scale)) {  // all as good as equal
    for (std::size_t k = 0; k < count; ++k) out[k] = {distances[k], static_cast<std::uint32_t>(k)};
    std::ranges::sort(out, ascending);
    return;
  }
  work.bucket.resize(count);
  work.bucket_begin.assign(count + 2, 0);
  for (std::size_t k = 0; k < count; ++k) {
    const auto b =
        std::min(static_cast<std::uint32_t>((distances[k] - least) * scale), static_cast<std::uint32_t>(count - 1));
    work.bucket[k] = b;
    ++work.bucket_begin[b + 2];
  }
  for (std::size_t b = 3; b < work.bucket_begin.size(); ++b) work.bucket_begin[b] += work.bucket_begin[b - 1];
  for (std::size_t k = 0; k < count; ++k)
    out[work.bucket_begin[work.bucket[k] + 1]++] = {distances[k], static_cast<std::uint32_t>(k)};
  // Each begin is now that of the next bucket.
  for (std::size_t b = 0; b < count; ++b) {
    const auto begin = work.bucket_begin[b], end = work.bucket_begin[b + 1];
    if (end - begin > 1) std::sort(out.begin() + begin, out.begin() + end, ascending);
  }
}

/// sum (at - b) and sum (at - b)^2 over the numbers b already passed; all addends have one sign.
struct Passed {
  double at = 0, count = 0, sum = 0, squares = 0;
  void move(double to) {
    const double step = to - at;
    squares += step * (2 * sum + count * step);
    sum += count * step;
    at = to;
  }
};

double sum_sorted(Workspace& work, std::size_t near_count, std::size_t far_count) {
  sort_places(std::span(work.near).first(near_count), work.near_order, work);
  sort_places(std::span(work.far).first(far_count), work.far_order, work);
  double total = 0;
  Passed up;
  up.at = work.far_order.front().distance;
  std::size_t next = 0;
  for (const Place& near : work.near_order) {
    for (; next < far_count && work.far_order[next].distance < near.distance; ++next) {
      up.move(work.far_order[next].distance);
      ++up.count;
    }
    if (up.count > 0) up.move(near.distance);
    work.near_sum[near.at] = up.sum;
    total += up.squares;
  }
  Passed down;
  down.at = work.near_order.back().distance;
  next = near_count;
  for (std::size_t k = far_count; k-- > 0;) {
    const Place& far = work.far_order[k];
    for (; next > 0 && work.near_order[next - 1].distance > far.distance; --next) {
      down.move(work.near_order[next - 1].distance);
      ++down.count;
    }
    if (down.count > 0) down.move(far.distance);
    work.far_sum[far.at] = -down.sum;
  }
  return total;
}

// ---- each pair ----

template <class V>
[[gnu::always_inline]] inline V above_zero(const V& x) {
  return x > 0 ? x : V{};
}

/// The sums of the lanes of four vectors, written to out[0 .. 3].
template <class V>
[[gnu::always_inline]] inline void sum_lanes_of_four(const V& v0, const V& v1, const V& v2, const V& v3, double* out) {
  if constexpr (kLanes<V> == 8) {
    const V v01 = __builtin_shufflevector(v0, v1, 0, 8, 2, 10, 4, 12, 6, 14) +
                  __builtin_shufflevector(v0, v1, 1, 9, 3, 11, 5, 13, 7, 15);
    const V v23 = __builtin_shufflevector(v2, v3, 0, 8, 2, 10, 4, 12, 6, 14) +
                  __builtin_shufflevector(v2, v3, 1, 9, 3, 11, 5, 13, 7, 15);
    const V twice = __builtin_shufflevector(v01, v23, 0, 1, 8, 9, 4, 5, 12, 13) +
                    __builtin_shufflevector(v01, v23, 2, 3, 10, 11, 6, 7, 14, 15);
    for (int k = 0; k < 4; ++k) out[k] = twice[k] + twice[k + 4];
  } else if constexpr (kLanes<V> == 4) {
    const V v01 = __builtin_shufflevector(v0, v1, 0, 4, 2, 6) + __builtin_shufflevector(v0, v1, 1, 5, 3, 7);
    const V v23 = __builtin_shufflevector(v2, v3, 0, 4, 2, 6) + __builtin_shufflevector(v2, v3, 1, 5, 3, 7);
    store<V>(out, __builtin_shufflevector(v01, v23, 0, 1, 4, 5) + __builtin_shufflevector(v01, v23, 2, 3, 6, 7));
  } else {
    store<V>(out, __builtin_shufflevector(v0, v1, 0, 2) + __builtin_shufflevector(v0, v1, 1, 3));
    store<V>(out + 2, __builtin_shufflevector(v2, v3, 0, 2) + __builtin_shufflevector(v2, v3, 1, 3));
  }
}

template <int bytes>
[[gnu::always_inline]] inline double sum_each(Workspace& work, std::size_t near_count, std::size_t far_count) {
  using V = Vec<double, bytes>;
  const std::size_t nears = (near_count + kNearBlock - 1) / kNearBlock * kNearBlock;
  const std::size_t fars = (far_count + kLanes<V> - 1) / kLanes<V> * kLanes<V>;
  std::fill(work.near.begin() + static_cast<std::ptrdiff_t>(near_count),
            work.near.begin() + static_cast<std::ptrdiff_t>(nears), -kInfinity);
  std::fill(work.far.begin() + static_cast<std::ptrdiff_t>(far_count),
            work.far.begin() + static_cast<std::ptrdiff_t>(fars), kInfinity);
  std::fill_n(work.far_sum.begin(), fars, 0.0);
  const double* near = work.near.data();
  const double* far = work.far.data();
  double* far_sum = work.far_sum.data();
  V q0{}, q1{}, q2{}, q3{};
  for (std::size_t n = 0; n < nears; n += kNearBlock) {
    const V a0 = splat<V>(near[n]), a1 = splat<V>(near[n + 1]), a2 = splat<V>(near[n + 2]), a3 = splat<V>(near[n + 3]);
    V s0{}, s1{}, s2{}, s3{};
    for (std::size_t f = 0; f < fars; f += kLanes<V>) {
      const V b = load<V>(far + f);
      const V h0 = above_zero<V>(a0 - b), h1 = above_zero<V>(a1 - b), h2 = above_zero<V>(a2 - b),
              h3 = above_zero<V>(a3 - b);
      q0 += h0 * h0;
      q1 += h1 * h1;
      q2 += h2 * h2;
      q3 += h3 * h3;
      s0 += h0;
      s1 += h1;
      s2 += h2;
      s3 += h3;
      store<V>(far_sum + f, load<V>(far_sum + f) + ((h0 + h1) + (h2 + h3)));
    }
    sum_lanes_of_four<V>(s0, s1, s2, s3, work.near_sum.data() + n);
  }
  return sum_lanes(V((q0 + q1) + (q2 + q3)));
}

/// sum ln(1 + near far) over exponentials e^{a - c} and e^{c - b}, both padded by zeros, whose products are below
/// e^170.
template <int bytes>
[[gnu::always_inline]] inline double sum_logistic(WholeTableWorkspace& work, std::size_t near_count,
                                                  std::size_t far_count) {
  using V = Vec<double, bytes>;
  const std::size_t nears = (near_count + kNearBlock - 1) / kNearBlock * kNearBlock;
  const std::size_t fars = (far_count + kLanes<V> - 1) / kLanes<V> * kLanes<V>;
  std::fill_n(work.far_sum.begin(), fars, 0.0);
  const double* near = work.near.data();
  const double* far = work.far.data();
  double* far_sum = work.far_sum.data();
  LogProduct<V> logarithms;
  for (std::size_t n = 0; n < nears; n += kNearBlock) {
    const V a0 = splat<V>(near[n]), a1 = splat<V>(near[n + 1]), a2 = splat<V>(near[n + 2]), a3 = splat<V>(near[n + 3]);
    V s0{}, s1{}, s2{}, s3{};
    for (std::size_t f = 0; f < fars; f += kLanes<V>) {
      const V b = load<V>(far + f);
      const V r0 = a0 * b, r1 = a1 * b, r2 = a2 * b, r3 = a3 * b;
      const V k0 = r0 + 1, k1 = r1 + 1, k2 = r2 + 1, k3 = r3 + 1;
      const V k01 = k0 * k1, k23 = k2 * k3;
      const V x01 = r0 + r1 * k0, x23 = r2 + r3 * k2;
      logarithms.add(V(x01 + x23 * k01));  // k0 k1 k2 k3 - 1 without cancellation
      const V inverse = 1 / (k01 * k23);   // one division for four
      const V i01 = inverse * k23, i23 = inverse * k01;
      const V q0 = r0 * k1 * i01, q1 = r1 * k0 * i01, q2 = r2 * k3 * i23, q3 = r3 * k2 * i23;
      s0 += q0;
      s1 += q1;
      s2 += q2;
      s3 += q3;
      store<V>(far_sum + f, load<V>(far_sum + f) + ((q0 + q1) + (q2 + q3)));
    }
    sum_lanes_of_four<V>(s0, s1, s2, s3, work.near_sum.data() + n);
  }
  return sum_lanes(V(logarithms.sum()));
}

// ---- an anchor ----

/// Distances from the anchor to all and their inverses, or squared distances and ones; returns the sum of the former.
template <int bytes, bool squares>
[[gnu::always_inline]] inline double find_distances(const Anchor& anchor, Workspace& work) {
  using V = Vec<double, bytes>;
  V total{};
  for (std::size_t j = 0; j < anchor.stride; j += kLanes<V>) {
    V squared{};
    for (std::size_t c = 0; c < anchor.d; ++c) {
      const double* row = work.coordinates.data() + c * anchor.stride;
      const V step = load<V>(row + j) - splat<V>(row[anchor.self]);
      squared += step * step;
    }
    if constexpr (squares) {
      total += squared;
      store<V>(work.distance.data() + j, squared);
      store<V>(work.inverse.data() + j, splat<V>(1));
      continue;
    }
    const RootPair<V> roots = roots_of_nonnegative(squared);
    total += roots.root;
    store<V>(work.distance.data() + j, roots.root);
    store<V>(work.inverse.data() + j, roots.inverse);
  }
  return sum_lanes(total);
}

template <int bytes, bool largest>
[[gnu::always_inline]] inline double extreme(const double* begin, std::size_t count, double otherwise) {
  using V = Vec<double, bytes>;
  V best = splat<V>(otherwise);
  std::size_t j = 0;
  for (; j + kLanes<V> <= count; j += kLanes<V>) {
    const V x = load<V>(begin + j);
    best = largest ? (x > best ? x : best) : (x < best ? x : best);
  }
  double out = otherwise;
  for (int lane = 0; lane < kLanes<V>; ++lane) out = largest ? std::max(out, best[lane]) : std::min(out, best[lane]);
  for (; j < count; ++j) out = largest ? std::max(out, begin[j]) : std::min(out, begin[j]);
  return out;
}

template <int bytes>
[[gnu::always_inline]] inline void add_gradient(const Anchor& anchor, Workspace& work) {
  using V = Vec<double, bytes>;
  for (std::size_t j = 0; j < anchor.stride; j += kLanes<V>)
    store<V>(work.slope.data() + j, 2 * load<V>(work.slope.data() + j) * load<V>(work.inverse.data() + j));
  for (std::size_t c = 0; c < anchor.d; ++c) {
    const double* row = work.coordinates.data() + c * anchor.stride;
    double* gradient = work.gradient.data() + c * anchor.stride;
    const V own = splat<V>(row[anchor.self]);
    V sum{};
    for (std::size_t j = 0; j < anchor.stride; j += kLanes<V>) {
      const V pull = load<V>(work.slope.data() + j) * (own - load<V>(row + j));
      sum += pull;
      store<V>(gradient + j, load<V>(gradient + j) - pull);
    }
    gradient[anchor.self] += sum_lanes(sum);
  }
}

template <int bytes>
[[gnu::always_inline]] inline double add_anchor(const Anchor& anchor, Workspace& work) {
  // Measured: a pair costs a tenth of a nanosecond with 512-bit vectors; sorting costs 25 ns per distance.
  constexpr std::size_t kPairsPerDistance = 250;
  if (!std::isfinite(find_distances<bytes, false>(anchor, work))) {
    for (std::size_t c = 0; c < anchor.d && anchor.with_gradient; ++c)
      work.gradient[c * anchor.stride + anchor.self] = std::numeric_limits<double>::quiet_NaN();
    return std::numeric_limits<double>::quiet_NaN();
  }
  // Only near distances above the least far one minus the margin count, and vice versa.
  const double* distance = work.distance.data();
  const std::size_t begin = anchor.class_begin, end = anchor.class_end;
  const double largest = anchor.margin + extreme<bytes, true>(distance + begin, end - begin, 0);
  double least = extreme<bytes, false>(distance, begin, kInfinity);
  least = extreme<bytes, false>(distance + end, anchor.count - end, least);
  if (largest <= least) return 0;
  std::size_t nears = 0, fars = 0;
  for (std::size_t j = begin; j < end; ++j) {
    const double with_margin = distance[j] + anchor.margin;
    work.near[nears] = with_margin;
    work.near_at[nears] = static_cast<std::uint32_t>(j);
    nears += static_cast<std::size_t>(with_margin > least) & static_cast<std::size_t>(j != anchor.self);
  }
  const auto take_fars = [&](std::size_t from, std::size_t to) {
    for (std::size_t j = from; j < to; ++j) {
      work.far[fars] = distance[j];
      work.far_at[fars] = static_cast<std::uint32_t>(j);
      fars += static_cast<std::size_t>(distance[j] < largest);
    }
  };
  take_fars(0, begin);
  take_fars(end, anchor.count);
  if (nears == 0 || fars == 0) return 0;
  const bool sorted = anchor.pairs == HingePairs::sorted ||
                      (anchor.pairs == HingePairs::automatic && nears * fars > kPairsPerDistance * (nears + fars));
  const double value = sorted ? sum_sorted(work, nears, fars) : sum_each<bytes>(work, nears, fars);
  if (!anchor.with_gradient) return value;
  std::fill_n(work.slope.begin(), anchor.stride, 0.0);
  for (std::size_t k = 0; k < nears; ++k) work.slope[work.near_at[k]] = work.near_sum[k];
  for (std::size_t k = 0; k < fars; ++k) work.slope[work.far_at[k]] = -work.far_sum[k];
  add_gradient<bytes>(anchor, work);
  return value;
}

/// As above for -ln sigma(b - a). Returns NaN and adds nothing if squared distances are not finite or differ by more
/// than 170.
template <int bytes>
[[gnu::always_inline]] inline double add_logistic_anchor(const Anchor& anchor, WholeTableWorkspace& work) {
  using V = Vec<double, bytes>;
  constexpr double kWidest = 170;
  const double sum = find_distances<bytes, true>(anchor, work);
  const double* distance = work.distance.data();
  const std::size_t begin = anchor.class_begin, end = anchor.class_end, count = anchor.count;
  const double largest = extreme<bytes, true>(distance, count, 0);
  if (!std::isfinite(sum) || largest > kWidest) return std::numeric_limits<double>::quiet_NaN();
  // The least distance is 0, that of the anchor to itself.
  for (std::size_t j = 0; j < anchor.stride; j += kLanes<V>)
    store<V>(work.slope.data() + j, exp_of_nonpositive(V(load<V>(distance + j) - splat<V>(largest))));
  const double* exponential = work.slope.data();
  const std::size_t nears = end - begin, fars = count - nears;
  std::copy_n(exponential + begin, nears, work.near.begin());
  work.near[anchor.self - begin] = 0;
  std::fill_n(work.near.begin() + static_cast<std::ptrdiff_t>(nears), kNearBlock, 0.0);
  std::copy_n(exponential, begin, work.far.begin());
  std::copy_n(exponential + end, count - end, work.far.begin() + static_cast<std::ptrdiff_t>(begin));
  for (std::size_t k = 0; k < fars; k += kLanes<V>) store<V>(work.far.data() + k, 1 / load<V>(work.far.data() + k));
  std::fill_n(work.far.begin() + static_cast<std::ptrdiff_t>(fars), kPadding, 0.0);
  const double value = sum_logistic<bytes>(work, nears, fars);
  if (!anchor.with_gradient) return value;
  for (std::size_t k = 0; k < begin; ++k) work.slope[k] = -work.far_sum[k];
  for (std::size_t k = 0; k < nears; ++k) work.slope[begin + k] = work.near_sum[k];
  for (std::size_t k = begin; k < fars; ++k) work.slope[nears + k] = -work.far_sum[k];
  std::fill_n(work.slope.begin() + static_cast<std::ptrdiff_t>(count), anchor.stride - count, 0.0);
  add_gradient<bytes>(anchor, work);
  return value;
}

/// The aspect's objects by class, with their coordinates as rows of their own.
void gather(const AttributeTable::ClassBlock& block, std::span<const double> y, Anchor& anchor, Workspace& work) {
  work.ids.clear();
  for (const std::span<const ObjectId> part : {block.before, block.members, block.after})
    work.ids.insert(work.ids.end(), part.begin(), part.end());
  anchor.count = work.ids.size();
  anchor.stride = padded(anchor.count);
  work.coordinates.assign(anchor.d * anchor.stride, 0.0);
  for (std::size_t c = 0; c < anchor.d; ++c)
    for (std::size_t j = 0; j < anchor.count; ++j)
      work.coordinates[c * anchor.stride + j] = y[work.ids[j] * anchor.d + c];
  // Padding copies the first object, so that it lies among the objects.
  for (std::size_t c = 0; c < anchor.d; ++c)
    for (std::size_t j = anchor.count; j < anchor.stride; ++j)
      work.coordinates[c * anchor.stride + j] = work.coordinates[c * anchor.stride];
  if (anchor.with_gradient) work.gradient.assign(anchor.d * anchor.stride, 0.0);
  for (std::vector<double>* row :
       {&work.distance, &work.inverse, &work.slope, &work.near, &work.far, &work.near_sum, &work.far_sum})
    if (row->size() < anchor.stride + kPadding) row->resize(anchor.stride + kPadding);
  for (std::vector<std::uint32_t>* row : {&work.near_at, &work.far_at})
    if (row->size() < anchor.stride + kPadding) row->resize(anchor.stride + kPadding);
}

void scatter(const Anchor& anchor, const Workspace& work, std::span<double> gradient) {
  for (std::size_t c = 0; c < anchor.d; ++c)
    for (std::size_t j = 0; j < anchor.count; ++j)
      gradient[work.ids[j] * anchor.d + c] += work.gradient[c * anchor.stride + j];
}

/// The sum of add(at, anchor) over the blocks, in order. Objects are gathered, and gradients scattered, once per run of
/// anchors of one aspect.
template <class Add>
double sum_anchors(Anchor anchor, const AttributeTable& table, std::span<const AnchorBlock> blocks,
                   std::span<const double> y, Index d, std::span<double> gradient, Workspace& work, const Add& add) {
  anchor.d = static_cast<std::size_t>(d);
  anchor.with_gradient = !gradient.empty();
  const auto& classes = table.class_blocks();
  double total = 0;
  const AttributeTable::ClassBlock* last = nullptr;
  for (const AnchorBlock& at : blocks) {
    const AttributeTable::ClassBlock& block = classes[at.block];
    if (!last || last->aspect != block.aspect) {
      if (last && anchor.with_gradient) scatter(anchor, work, gradient);
      gather(block, y, anchor, work);
    }
    last = &block;
    anchor.class_begin = block.before.size();
    anchor.class_end = anchor.class_begin + block.members.size();
    anchor.self = anchor.class_begin + at.member;
    total += add(at, anchor);
  }
  if (last && anchor.with_gradient) scatter(anchor, work, gradient);
  return total;
}

}  // namespace

double add_distance_hinges(double margin, const AttributeTable& table, std::span<const AnchorBlock> blocks,
                           std::span<const double> y, Index d, std::span<double> gradient, WholeTableWorkspace& work,
                           HingePairs pairs) {
  const InstructionSet best = best_instruction_set();
  Anchor of_hinges;
  of_hinges.margin = margin;
  of_hinges.pairs = pairs;
  return sum_anchors(of_hinges, table, blocks, y, d, gradient, work, [&](const AnchorBlock&, const Anchor& anchor) {
    return call_in_lanes(
        best, [&](auto bytes) __attribute__((always_inline)) { return add_anchor<bytes>(anchor, work); });
  });
}

double add_logistic_pairs(const AttributeTable& table, std::span<const AnchorBlock> blocks, std::span<const double> y,
                          Index d, std::span<double> gradient, WholeTableWorkspace& work) {
  const InstructionSet best = best_instruction_set();
  return sum_anchors({}, table, blocks, y, d, gradient, work, [&](const AnchorBlock& at, const Anchor& anchor) {
    const double value = call_in_lanes(
        best, [&](auto bytes) __attribute__((always_inline)) { return add_logistic_anchor<bytes>(anchor, work); });
    return std::isnan(value) ? add_class_blocks(SteLoss{}, TableSelection{&table, {}}, std::span(&at, 1), y, d,
                                                gradient, work.general)
                             : value;
  });
}

}  // namespace alidade::triplet
