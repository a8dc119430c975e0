#include "problems/neighbor/nerv_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/wide_call.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::neighbor {
namespace {

constexpr Index kMultiple = 16;
constexpr Index kMostChunks = 16;
constexpr Index kRowsPerChunk = 32;
// Squared distance where there is no pair: p and q are 0, and their products stay finite.
constexpr double kNoPair = 1e18;
constexpr double kPadding = 1e9;  // coordinate of padding rows

constexpr Index filled(Index count) { return (count + kMultiple - 1) / kMultiple * kMultiple; }

/// A map by coordinate, and the widths of each row.
template <class Real>
struct Columns {
  Index size = 0, stride = 0, components = 0;
  std::vector<Real> y;                     // components x stride
  std::vector<Real> beta, log_normalizer;  // of p
  std::vector<Real> map_log_normalizer,
      excess;  // of q, and K_i: found by the first pass, for netted splits
  [[nodiscard]] const Real* column(Index c) const { return y.data() + c * stride; }
};

/// Memory of one chunk of rows.
template <class Real>
struct Room {
  std::vector<Real> numbers;
  /// `count` arrays of `stride`, zeroed.
  Real* zeroed(Index count, Index stride) {
    numbers.assign(static_cast<std::size_t>(count * stride), Real(0));
    return numbers.data();
  }
  std::vector<Real> row;
  double misses = 0, false_neighbours = 0;
};

template <class Real>
struct Buffers {
  Columns<Real> columns;
  std::vector<Room<Real>> rooms;
};

template <class Real>
struct Job {
  const NervDistances<Real>* distances;
  const Columns<Real>* columns;
  Real lambda;
  Index first, last;
  Room<Real>* room;
  bool gradient;  // sum d arrays: W (y_i - y_j), both ways
  bool split;     // 2 d + 1 arrays: plus, minus, weight
  bool orthant;
  Real* map_log_normalizer;  // for netted splits: written for rows of the chunk; else null
  Real* excess;
};

/// The results of a row's first passes, which leave in memory q of every pair and, if requested, p and r = ln q/p.
template <class Real>
struct RowSums {
  Real misses, excess;      // A_i, K_i
  Real map_log_normalizer;  // ln S_i, not relative to the nearest
};

template <class V>
[[gnu::always_inline]] inline V lesser(const V& a, const V& b) {
  return a < b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V greater_of(const V& a, const V& b) {
  return a > b ? a : b;
}

/// Computes d2, then q; with `keep` also p and r.
template <int bytes, class Real>
[[gnu::always_inline]] inline RowSums<Real> sum_row(const Job<Real>& job, Index i, Real* q, Real* p, Real* r,
                                                    bool keep) {
  using V = Vec<Real, bytes>;
  constexpr Index step = kLanes<V>;
  const Columns<Real>& c = *job.columns;
  const Index stride = c.stride;
  {  // squared distances on the map
    const Real y0 = c.column(0)[i];
    if (c.components == 2) {
      const Real y1 = c.column(1)[i];
      for (Index j = 0; j < stride; j += step) {
        const V a = y0 - load<V>(c.column(0) + j), b = y1 - load<V>(c.column(1) + j);
        store<V>(q + j, a * a + b * b);
      }
    } else {
      for (Index j = 0; j < stride; j += step) {
        const V a = y0 - load<V>(c.column(0) + j);
        store<V>(q + j, a * a);
      }
      for (Index k = 1; k < c.components; ++k) {
        const Real yk = c.column(k)[i];
        for (Index j = 0; j < stride; j += step) {
          const V a = yk - load<V>(c.column(k) + j);
          store<V>(q + j, load<V>(q + j) + a * a);
        }
      }
    }
  }
  q[i] = static_cast<Real>(kNoPair);
  auto least = load<V>(q);
  for (Index j = step; j < stride; j += step) least = lesser(least, load<V>(q + j));
  Real nearest = least[0];
  for (int lane = 1; lane < kLanes<V>; ++lane) nearest = std::min(nearest, least[lane]);

  const Real beta = c.beta[static_cast<std::size_t>(i)];
  V weights{};
  for (Index j = 0; j < stride; j += step) {
    const V e = exp_of_nonpositive(V((nearest - load<V>(q + j)) * beta));
    weights += e;
    store<V>(p + j, e);
  }
  const double weight = sum_lanes(weights);
  const Real log_weight = static_cast<Real>(std::log(weight)), scale = static_cast<Real>(1 / weight);
  const Real log_normalizer = c.log_normalizer[static_cast<std::size_t>(i)];
  const Real* d = job.distances->row(i);
  V misses{}, excess{};
  for (Index j = 0; j < stride; j += step) {
    const V u = (nearest - load<V>(q + j)) * beta;
    const V log_p = -beta * load<V>(d + j) - log_normalizer;
    const V qj = load<V>(p + j) * scale;
    const V pj = exp_of_nonpositive(lesser(log_p, V{}));
    const V rj = (u - log_weight) - log_p;
    misses -= pj * rj;
    excess += qj * rj;
    if (keep) {
      store<V>(q + j, qj);
      store<V>(p + j, pj);
      store<V>(r + j, rj);
    }
  }
  if (keep) {  // non-pairs have weight 0; their factors must not be too large
    r[i] = 0;
    for (Index j = c.size; j < stride; ++j) r[j] = 0;
  }
  return {static_cast<Real>(sum_lanes(misses)), static_cast<Real>(sum_lanes(excess)), log_weight - beta * nearest};
}

template <int bytes, class Real>
[[gnu::always_inline]] inline Vec<Real, bytes> difference(const Columns<Real>& c, Index k, Index i, Index j) {
  return c.column(k)[i] - load<Vec<Real, bytes>>(c.column(k) + j);
}

/// Adds W_ij (y_i - y_j) for all j of a row to the gradient of i (`own`) and, negated, to that of j.
template <int bytes, class Real>
[[gnu::always_inline]] inline void add_gradient(const Job<Real>& job, Index i, const Real* q, const Real* p,
                                                const Real* r, Real excess, Real* sums) {
  using V = Vec<Real, bytes>;
  const Columns<Real>& c = *job.columns;
  const Real lambda = job.lambda, beta = c.beta[static_cast<std::size_t>(i)];
  const Real attract = beta * lambda, mix = beta * (1 - lambda);
  const Real constant = mix * excess - attract;
  if (c.components == 2) {
    V own0{}, own1{};
    const Real y0 = c.column(0)[i], y1 = c.column(1)[i];
    Real *sum0 = sums, *sum1 = sums + c.stride;
    for (Index j = 0; j < c.stride; j += kLanes<V>) {
      const V w = attract * load<V>(p + j) + load<V>(q + j) * (constant - mix * load<V>(r + j));
      const V f0 = w * (y0 - load<V>(c.column(0) + j)), f1 = w * (y1 - load<V>(c.column(1) + j));
      own0 += f0;
      own1 += f1;
      store<V>(sum0 + j, load<V>(sum0 + j) - f0);
      store<V>(sum1 + j, load<V>(sum1 + j) - f1);
    }
    sum0[i] += static_cast<Real>(sum_lanes(own0));
    sum1[i] += static_cast<Real>(sum_lanes(own1));
    return;
  }
  for (Index k = 0; k < c.components; ++k) {
    V own{};
    Real* sum = sums + k * c.stride;
    for (Index j = 0; j < c.stride; j += kLanes<V>) {
      const V w = attract * load<V>(p + j) + load<V>(q + j) * (constant - mix * load<V>(r + j));
      const V f = w * difference<bytes>(c, k, i, j);
      own += f;
      store<V>(sum + j, load<V>(sum + j) - f);
    }
    sum[i] += static_cast<Real>(sum_lanes(own));
  }
}

/// Attraction and repulsion of a pair as added to plus and minus of i; for j they are exchanged.
template <class V>
struct Parts {
  V plus, minus;
};
/// T: by the sign of t = y_i - y_j.
template <class V>
[[gnu::always_inline]] inline Parts<V> by_sign(const V& attract, const V& repel, const V& t) {
  const V positive = greater_of(t, V{}), negative = positive - t;
  return {attract * positive + repel * negative, attract * negative + repel * positive};
}
/// O: both coordinates are positive.
template <class V>
[[gnu::always_inline]] inline Parts<V> by_orthant(const V& attract, const V& repel, const V& own, const V& other) {
  return {attract * own + repel * other, attract * other + repel * own};
}

/// Adds the terms of a row that are not netted to plus, minus and weight of i and of every j.
template <int bytes, class Real>
[[gnu::always_inline]] inline void add_split(const Job<Real>& job, Index i, const Real* q, const Real* p, const Real* r,
                                             Real excess, Real* sums) {
  using V = Vec<Real, bytes>;
  const Columns<Real>& c = *job.columns;
  const Index stride = c.stride, d = c.components;
  const Real lambda = job.lambda, beta = c.beta[static_cast<std::size_t>(i)];
  const Real by_lambda = beta * lambda, by_rest = beta * (1 - lambda);
  Real* const weights = sums + 2 * d * stride;
  const auto pull = [&](Index j) __attribute__((always_inline)) {
    const V qj = load<V>(q + j);
    return V(by_lambda * load<V>(p + j) + by_rest * (qj * excess + qj * greater_of(V(-load<V>(r + j)), V{})));
  };
  const auto push = [&](Index j) __attribute__((always_inline)) {
    const V qj = load<V>(q + j);
    return V(by_lambda * qj + by_rest * (qj * greater_of(load<V>(r + j), V{})));
  };
  V own_weight{};
  for (Index j = 0; j < stride; j += kLanes<V>) {
    const V weight = pull(j) + push(j);
    own_weight += weight;
    store<V>(weights + j, load<V>(weights + j) + weight);
  }
  weights[i] += static_cast<Real>(sum_lanes(own_weight));
  for (Index k = 0; k < d; ++k) {
    V own_plus{}, own_minus{};
    Real *plus = sums + k * stride, *minus = sums + (d + k) * stride;
    const V own = V{} + c.column(k)[i];
    for (Index j = 0; j < stride; j += kLanes<V>) {
      const auto other = load<V>(c.column(k) + j);
      const Parts<V> parts =
          job.orthant ? by_orthant(pull(j), push(j), own, other) : by_sign(pull(j), push(j), V(own - other));
      own_plus += parts.plus;
      own_minus += parts.minus;
      // Moving i one way moves j the other, so t changes sign, and own and other exchange roles.
      store<V>(plus + j, load<V>(plus + j) + parts.minus);
      store<V>(minus + j, load<V>(minus + j) + parts.plus);
    }
    plus[i] += static_cast<Real>(sum_lanes(own_plus));
    minus[i] += static_cast<Real>(sum_lanes(own_minus));
  }
}

/// Plus, minus and weight of row i from the netted A_ij = W_ij + W_ji; recomputes the exponentials of both rows.
template <int bytes, class Real>
[[gnu::always_inline]] inline void add_netted(const Job<Real>& job, Index i, Real* net, Real* sums) {
  using V = Vec<Real, bytes>;
  const Columns<Real>& c = *job.columns;
  const Index stride = c.stride, d = c.components;
  const Real lambda = job.lambda;
  const auto at = static_cast<std::size_t>(i);
  const Real* distances = job.distances->row(i);
  for (Index j = 0; j < stride; j += kLanes<V>) {
    V squared{};
    for (Index k = 0; k < d; ++k) {
      const V t = difference<bytes>(c, k, i, j);
      squared += t * t;
    }
    const auto far = load<V>(distances + j);
    const auto weight_of = [&](const V& beta, const V& log_normalizer, const V& map_log_normalizer, const V& excess)
        __attribute__((always_inline)) {
      const V log_q = -beta * squared - map_log_normalizer, log_p = -beta * far - log_normalizer;
      const V q = exp_of_nonpositive(lesser(log_q, V{})), p = exp_of_nonpositive(lesser(log_p, V{}));
      return V(beta * (lambda * (p - q) + (1 - lambda) * q * (excess - (log_q - log_p))));
    };
    const V own =
        weight_of(V{} + c.beta[at], V{} + c.log_normalizer[at], V{} + c.map_log_normalizer[at], V{} + c.excess[at]);
    const V other = weight_of(load<V>(c.beta.data() + j), load<V>(c.log_normalizer.data() + j),
                              load<V>(c.map_log_normalizer.data() + j), load<V>(c.excess.data() + j));
    store<V>(net + j, own + other);
  }
  net[i] = 0;
  for (Index j = c.size; j < stride; ++j) net[j] = 0;
  V weight{};
  for (Index j = 0; j < stride; j += kLanes<V>) weight += absolute(load<V>(net + j));
  sums[2 * d * stride + i] = static_cast<Real>(sum_lanes(weight));
  for (Index k = 0; k < d; ++k) {
    V plus{}, minus{};
    const V own = V{} + c.column(k)[i];
    for (Index j = 0; j < stride; j += kLanes<V>) {
      const auto a = load<V>(net + j);
      const auto other = load<V>(c.column(k) + j);
      const V attract = greater_of(a, V{}), repel = attract - a;
      const Parts<V> parts =
          job.orthant ? by_orthant(attract, repel, own, other) : by_sign(attract, repel, V(own - other));
      plus += parts.plus;
      minus += parts.minus;
    }
    sums[k * stride + i] = static_cast<Real>(sum_lanes(plus));
    sums[(d + k) * stride + i] = static_cast<Real>(sum_lanes(minus));
  }
}

template <int bytes, class Real>
[[gnu::always_inline]] inline void sum_rows(const Job<Real>& job) {
  const Columns<Real>& c = *job.columns;
  Room<Real>& room = *job.room;
  room.misses = room.false_neighbours = 0;
  room.row.resize(static_cast<std::size_t>(3 * c.stride));
  Real *q = room.row.data(), *p = q + c.stride, *r = p + c.stride;
  Real* sums = nullptr;
  if (job.gradient) sums = room.zeroed(c.components, c.stride);
  if (job.split) sums = room.zeroed(2 * c.components + 1, c.stride);
  const bool keep = job.gradient || job.split;
  for (Index i = job.first; i < job.last; ++i) {
    const RowSums<Real> row = sum_row<bytes>(job, i, q, p, r, keep);
    room.misses += static_cast<double>(row.misses);
    room.false_neighbours += static_cast<double>(row.excess);
    if (job.map_log_normalizer) {
      job.map_log_normalizer[i] = row.map_log_normalizer;
      job.excess[i] = row.excess;
    }
    if (job.gradient) add_gradient<bytes>(job, i, q, p, r, row.excess, sums);
    if (job.split) add_split<bytes>(job, i, q, p, r, row.excess, sums);
  }
}

template <int bytes, class Real>
[[gnu::always_inline]] inline void net_rows(const Job<Real>& job) {
  const Columns<Real>& c = *job.columns;
  Real* sums = job.room->zeroed(2 * c.components + 1, c.stride);
  job.room->row.resize(static_cast<std::size_t>(c.stride));
  for (Index i = job.first; i < job.last; ++i) add_netted<bytes>(job, i, job.room->row.data(), sums);
}

template <class Real>
void fill_columns(const NervWidths& widths, std::span<const double> y, Index components, const double* shift,
                  Columns<Real>& out) {
  const auto n = static_cast<Index>(widths.beta.size());
  out.size = n;
  out.stride = filled(n);
  out.components = components;
  out.y.assign(static_cast<std::size_t>(components * out.stride), static_cast<Real>(kPadding));
  for (Index k = 0; k < components; ++k)
    for (Index i = 0; i < n; ++i)
      out.y[static_cast<std::size_t>(k * out.stride + i)] =
          static_cast<Real>(y[static_cast<std::size_t>(i * components + k)] + shift[k]);
  const auto copy = [&](const Vector& from, std::vector<Real>& to) {
    to.assign(static_cast<std::size_t>(out.stride), Real(0));
    for (Index i = 0; i < n; ++i) to[static_cast<std::size_t>(i)] = static_cast<Real>(from[i]);
  };
  copy(widths.beta, out.beta);
  copy(widths.log_normalizer, out.log_normalizer);
  out.map_log_normalizer.assign(static_cast<std::size_t>(out.stride), Real(0));
  out.excess.assign(static_cast<std::size_t>(out.stride), Real(0));
}

}  // namespace

struct NervWorkspace {
  std::tuple<Buffers<float>, Buffers<double>> buffers;
};

std::shared_ptr<NervWorkspace> nerv_workspace() { return std::make_shared<NervWorkspace>(); }

NervSplit nerv_split(std::string_view name) {
  if (name == "T") return NervSplit::terms;
  if (name == "P") return NervSplit::netted_terms;
  if (name == "O") return NervSplit::orthant;
  require<ConfigError>(name == "OP", "The option split must be T, P, O or OP, not '{}'.", name);
  return NervSplit::netted_orthant;
}

template <class Real>
NervDistances<Real>::NervDistances(RowMajorMatrix<Real> values, double unit)
    : size_(values.rows()), values_(std::move(values)) {
  if (values_.cols() != filled(size_)) values_.conservativeResize(size_, filled(size_));
  const double scale = 1 / (unit * unit);
  double largest = 0;
  for (Index i = 0; i < size_; ++i) {
    for (Index j = 0; j < size_; ++j) {
      const double squared = static_cast<double>(values_(i, j)) * scale;
      largest = std::max(largest, squared);
      values_(i, j) = static_cast<Real>(squared);
    }
    values_(i, i) = static_cast<Real>(kNoPair);
    for (Index j = size_; j < values_.cols(); ++j) values_(i, j) = static_cast<Real>(kNoPair);
  }
  largest_ = std::sqrt(largest);
}

template <class Real>
Index NervDistances<Real>::stride_of(Index n) {
  return filled(n);
}

template class NervDistances<float>;
template class NervDistances<double>;

template <class Real>
NervCost nerv_sums(const NervDistances<Real>& distances, const NervWidths& widths, double lambda,
                   std::span<const double> y, Index components, std::span<double> gradient,
                   const NervSplitTarget* split, NervWorkspace& workspace, Executor& executor,
                   InstructionSet instructions) {
  auto& [columns, rooms] = std::get<Buffers<Real>>(workspace.buffers);
  const Index n = distances.size(), d = components;
  const bool orthant = split && (split->split == NervSplit::orthant || split->split == NervSplit::netted_orthant);
  const bool netted = split && (split->split == NervSplit::netted_terms || split->split == NervSplit::netted_orthant);
  // Centred, so that single precision is spent on the map; or moved to the positive orthant.
  std::vector<double> shift(static_cast<std::size_t>(d), 0.0);
  for (Index k = 0; k < d; ++k) {
    double sum = 0, least = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < n; ++i) {
      const double value = y[static_cast<std::size_t>(i * d + k)];
      sum += value;
      least = std::min(least, value);
    }
    shift[static_cast<std::size_t>(k)] = orthant ? split->offset - least : -sum / static_cast<double>(n);
  }
  fill_columns(widths, y, d, shift.data(), columns);

  const Index chunks = std::clamp<Index>(n / kRowsPerChunk, 1, kMostChunks);
  rooms.resize(static_cast<std::size_t>(chunks));
  const auto job_of = [&](Index chunk) {
    Job<Real> job{&distances,
                  &columns,
                  static_cast<Real>(lambda),
                  n * chunk / chunks,
                  n * (chunk + 1) / chunks,
                  &rooms[static_cast<std::size_t>(chunk)],
                  !gradient.empty(),
                  split && !netted,
                  orthant,
                  netted ? columns.map_log_normalizer.data() : nullptr,
                  netted ? columns.excess.data() : nullptr};
    return job;
  };
  executor.run(chunks, [&](Index chunk) {
    call_in_lanes(
        instructions, [job = job_of(chunk)](auto bytes) __attribute__((always_inline)) { sum_rows<bytes>(job); });
  });
  NervCost cost;
  for (const Room<Real>& room : rooms) {
    cost.misses += room.misses / static_cast<double>(n);
    cost.false_neighbours += room.false_neighbours / static_cast<double>(n);
  }
  const double scale = 2 / static_cast<double>(n);
  /// Array `array` of the chunks' rooms, summed, into entry `column` of rows of `width`.
  const auto reduce = [&](Index array, double by, std::span<double> out, Index column, Index width) {
    for (Index i = 0; i < n; ++i) {
      double sum = 0;
      for (const Room<Real>& room : rooms)
        sum += static_cast<double>(room.numbers[static_cast<std::size_t>(array * columns.stride + i)]);
      out[static_cast<std::size_t>(i * width + column)] = by * sum;
    }
  };
  if (!gradient.empty())
    for (Index k = 0; k < d; ++k) reduce(k, scale, gradient, k, d);
  if (!split) return cost;
  if (netted)
    executor.run(chunks, [&](Index chunk) {
      call_in_lanes(
          instructions, [job = job_of(chunk)](auto bytes) __attribute__((always_inline)) { net_rows<bytes>(job); });
    });
  for (Index k = 0; k < d; ++k) {
    reduce(k, scale, split->plus, k, d);
    reduce(d + k, scale, split->minus, k, d);
    reduce(2 * d, scale, split->unit, k, d);
  }
  for (std::size_t at = 0; at < split->unit.size(); ++at) {
    const double weight = split->unit[at], both = split->plus[at] + split->minus[at];
    split->unit[at] = weight > 0 && both > 0 ? both / weight : 1;
  }
  return cost;
}

template NervCost nerv_sums(const NervDistances<float>&, const NervWidths&, double, std::span<const double>, Index,
                            std::span<double>, const NervSplitTarget*, NervWorkspace&, Executor&, InstructionSet);
template NervCost nerv_sums(const NervDistances<double>&, const NervWidths&, double, std::span<const double>, Index,
                            std::span<double>, const NervSplitTarget*, NervWorkspace&, Executor&, InstructionSet);

}  // namespace alidade::neighbor
