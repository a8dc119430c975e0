#include "problems/triplet/product_block_kernel.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "problems/core/wide_call.hpp"

namespace alidade::triplet {
namespace {

constexpr std::size_t kMultiple = ProductBlocks::kMultiple;
constexpr std::size_t kAnchorsAtOnce = 8;

constexpr std::size_t filled(std::size_t count) { return (count + kMultiple - 1) / kMultiple * kMultiple; }

// ---- sums over lanes

template <int first>
struct EveryOther {
  static constexpr int of(int lane, int lanes) {
    return lane < lanes / 2 ? 2 * lane + first : lanes + 2 * (lane - lanes / 2) + first;
  }
};

/// The sums of the lanes of L vectors, as one vector. Overwrites `rows`; only the first `count` matter, but
/// all L must be finite.
template <class V, int count = kLanes<V>>
[[gnu::always_inline]] inline V sums_of_rows(V* rows) {
  if constexpr (count == 1) {
    return rows[0];
  } else {
#pragma GCC unroll 8
    for (int i = 0; i < count / 2; ++i)
      rows[i] =
          arrange<EveryOther<0>>(rows[2 * i], rows[2 * i + 1]) + arrange<EveryOther<1>>(rows[2 * i], rows[2 * i + 1]);
    return sums_of_rows<V, count / 2>(rows);
  }
}

// ---- one pair: Q(s) = 1 / q(s) up to a factor that the block shares, and |dz/ds|

// If ln Q varies by more than this within a block, its products may overflow or vanish.
template <class Real>
constexpr Real kSafeRange = std::is_same_v<Real, float> ? Real(70) : Real(600);

template <Tail tail, class V, Cap cap>
[[gnu::always_inline]] inline V log_inverse_kernel(const RatioForm<tail, cap>& form, const V& s) {
  using Real = Element<V>;
  if constexpr (tail == Tail::exponential) return s;
  if constexpr (tail == Tail::power)
    return log1p_of_nonnegative(V(s * static_cast<Real>(form.c))) * static_cast<Real>(form.m);
  return V{};
}

template <Tail tail, class V, Cap cap>
[[gnu::always_inline]] inline V log_slope(const RatioForm<tail, cap>& form, const V& s) {
  using Real = Element<V>;
  if constexpr (tail == Tail::cauchy) return 1 / (s + 1);
  if constexpr (tail == Tail::power) return static_cast<Real>(form.m * form.c) / (s * static_cast<Real>(form.c) + 1);
  return V{} + 1;
}

/// Q and |dz/ds| of all pairs of one side.
template <class Real>
struct Side {
  Real* q;
  Real* slope;
};

// ---- one triplet, from Q of both pairs

template <class V>
struct Weighted {
  V value, slope;  // w f and w df/dz
};

template <Tail tail, Cap cap, class V>
[[gnu::always_inline]] inline Weighted<V> weigh(const RatioForm<tail, cap>& form, Element<V> near, const V& far,
                                                const V& inverse_far, const V& w) {
  using Real = Element<V>;
  if constexpr (cap == Cap::t2 || cap == Cap::t3) {
    const V r = 1 / (far + near);
    const V p = far * r;
    const V wq = w * (r * near);  // w (1 - p) without cancellation
    if constexpr (cap == Cap::t2) return {wq, wq * p};
    return {wq * (p * Real(0.5) + Real(0.5)), wq * p * p};
  } else {
    const V odds = inverse_far * near;
    const auto [u, p] = log1p_pair_of_nonnegative(odds);  // u = -ln p
    const V wq = w * (odds * p);
    if constexpr (cap == Cap::t1) return {w * u, wq};
    const Real t1 = static_cast<Real>(form.t_minus_one);
    const ExpPair<V> power = exp_pair_of_nonpositive(V(u * -t1));  // p^{t-1}
    return {w * (power.expm1 * (-1 / t1)), wq * power.exp};
  }
}

template <class V>
[[gnu::always_inline]] inline V weights_at(const float* weights) {
  if constexpr (std::is_same_v<Element<V>, float>) {
    return load<V>(weights);
  } else {
    return __builtin_convertvector(load<Vec<float, static_cast<int>(sizeof(V)) / 2>>(weights), V);
  }
}

/// Sums kVectors vectors of outliers against all inliers; adds to the rows of sums, the last of which holds values.
template <int kVectors, class V, Tail tail, Cap cap>
[[gnu::always_inline]] inline void add_columns(const RatioForm<tail, cap>& form, const BlockRows<Element<V>>& rows,
                                               const Side<Element<V>>& near, const Side<Element<V>>& far,
                                               std::size_t at, bool first, V* sums) {
  constexpr std::size_t L = kLanes<V>;
  constexpr bool kInverse = cap == Cap::t1 || cap == Cap::any;
  V q[kVectors], inverse[kVectors], column[kVectors], value{};
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kVectors; ++v) {
    q[v] = load<V>(far.q + at + v * L);
    inverse[v] = kInverse ? 1 / q[v] : V{};
    column[v] = V{};
  }
  const float* weights = rows.weights + at;
#pragma GCC unroll 2
  for (std::size_t j = 0; j < rows.inliers; ++j, weights += rows.weight_stride) {
    V row{};
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Weighted<V> term = weigh<tail, cap, V>(form, near.q[j], q[v], inverse[v], weights_at<V>(weights + v * L));
      value += term.value;
      column[v] += term.slope;
      row += term.slope;
    }
    sums[j] = first ? row : sums[j] + row;
  }
  sums[rows.inliers] = first ? value : sums[rows.inliers] + value;
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kVectors; ++v)
    store<V>(rows.far_slope + at + v * L, -(column[v] * load<V>(far.slope + at + v * L)));
}

/// As above, triplet by triplet from the distances, for a block whose range is not safe.
template <class V, Tail tail, Cap cap>
[[gnu::always_inline]] inline void add_columns_widely(const RatioForm<tail, cap>& form,
                                                      const BlockRows<Element<V>>& rows, std::size_t at, bool first,
                                                      V* sums) {
  const V b = load<V>(rows.far_distance + at);
  const float* weights = rows.weights + at;
  V value{}, column{};
  for (std::size_t j = 0; j < rows.inliers; ++j, weights += rows.weight_stride) {
    const auto w = weights_at<V>(weights);
    const LossTerm<V> term = whole(form(V(V{} + rows.near_distance[j]), b));
    value += w * term.value;
    column += w * term.d_far;
    const V row = w * term.d_near;
    sums[j] = first ? row : sums[j] + row;
  }
  sums[rows.inliers] = first ? value : sums[rows.inliers] + value;
  store<V>(rows.far_slope + at, column);
}

template <int bytes, Tail tail, Cap cap, class Real>
[[gnu::always_inline]] inline double sum_block(const RatioForm<tail, cap>& form, const BlockRows<Real>& rows) {
  using V = Vec<Real, bytes>;
  constexpr std::size_t L = kLanes<V>;
  const std::size_t m = rows.inliers, m_filled = filled(m), o = rows.places;
  Real* room =
      rows.room + (kMultiple - reinterpret_cast<std::uintptr_t>(rows.room) / sizeof(Real) % kMultiple) % kMultiple;
  V* const sums = reinterpret_cast<V*>(room);
  room += L * filled(m + 1);
  const Side<Real> near{room, room + m_filled};
  room += 2 * m_filled;
  const Side<Real> far{room, room + o};
  const auto prepare = [&](const Real* distance, const Side<Real>& side, std::size_t count)
      __attribute__((always_inline)) {
    for (std::size_t k = 0; k < count; k += L) {
      const auto s = load<V>(distance + k);
      store<V>(side.slope + k, log_slope<tail, V>(form, s));
      store<V>(side.q + k, tail == Tail::cauchy ? V(s + 1) : log_inverse_kernel<tail, V>(form, s));
    }
  };
  prepare(rows.near_distance, near, m_filled);
  prepare(rows.far_distance, far, o);
  bool safe = true;
  if constexpr (tail != Tail::cauchy) {
    // Relative to the largest of the block. Padding repeats real inliers or has weight 0.
    V high = load<V>(far.q), low = high;
    const auto widen = [&](const V& x) __attribute__((always_inline)) {
      high = x > high ? x : high;
      low = x < low ? x : low;
    };
    for (std::size_t k = 0; k < o; k += L) widen(load<V>(far.q + k));
    for (std::size_t j = 0; j < m_filled; j += L) widen(load<V>(near.q + j));
    Real top = high[0], bottom = low[0];
    for (std::size_t lane = 1; lane < L; ++lane) {
      top = std::max(top, high[lane]);
      bottom = std::min(bottom, low[lane]);
    }
    safe = top - bottom <= kSafeRange<Real>;
    const auto shift = [&](Real * q, std::size_t count) __attribute__((always_inline)) {
      for (std::size_t k = 0; k < count; k += L) store<V>(q + k, exp_of_nonpositive(V(load<V>(q + k) - top)));
    };
    if (safe) {
      shift(near.q, m_filled);
      shift(far.q, o);
    }
  }
  if (safe) {
    std::size_t at = 0;
    for (; at + 2 * L <= o; at += 2 * L) add_columns<2, V>(form, rows, near, far, at, at == 0, sums);
    for (; at < o; at += L) add_columns<1, V>(form, rows, near, far, at, at == 0, sums);
  } else {
    for (std::size_t at = 0; at < o; at += L) add_columns_widely<V>(form, rows, at, at == 0, sums);
  }
  for (std::size_t j = m + 1; j % L != 0; ++j) sums[j] = V{};
  double value = 0;
  for (std::size_t j = 0; j <= m; j += L) {
    const V sum = sums_of_rows(sums + j);
    if (m < j + L) value = static_cast<double>(sum[m - j]);
    if (j >= m_filled) break;
    store<V>(rows.near_slope + j, safe ? V(sum * load<V>(near.slope + j)) : sum);
  }
  return value;
}

// ---- rows in, rows out

template <class Real>
struct Job {
  const EteLoss* loss;
  SumBlock<Real> sum_block;
  const ProductBlocks* blocks;
  std::size_t begin, end;
  const Real* y;
  std::size_t d;
  Real* gradient;  // null: value only
  ProductBlockWorkspace<Real>* workspace;
};

template <class Real>
using Pair = Vec<Real, 2 * static_cast<int>(sizeof(Real))>;

/// The difference anchor - partner, and its square.
template <int dim, class Real>
[[gnu::always_inline]] inline void differences(const Real* y, std::size_t d, std::size_t anchor, const ObjectId* ids,
                                               std::size_t count, Real* rows, Real* squared) {
  if constexpr (dim == 2) {
    const auto origin = load<Pair<Real>>(y + 2 * anchor);
    for (std::size_t k = 0; k < count; ++k) {
      const Pair<Real> row = origin - load<Pair<Real>>(y + 2 * std::size_t{ids[k]});
      store<Pair<Real>>(rows + 2 * k, row);
      const Pair<Real> square = row * row;
      squared[k] = square[0] + square[1];
    }
  } else {
    const Real* origin = y + anchor * d;
    for (std::size_t k = 0; k < count; ++k) {
      const Real* partner = y + ids[k] * d;
      Real sum = 0;
      for (std::size_t c = 0; c < d; ++c) {
        const Real difference = origin[c] - partner[c];
        rows[k * d + c] = difference;
        sum += difference * difference;
      }
      squared[k] = sum;
    }
  }
}

/// gradient_i += 2 s (y_i - y_o), gradient_o -= 2 s (y_i - y_o).
template <int dim, class Real>
[[gnu::always_inline]] inline void pull(Real* gradient, std::size_t d, std::size_t anchor, const ObjectId* ids,
                                        std::size_t count, const Real* rows, const Real* slopes) {
  if constexpr (dim == 2) {
    Pair<Real> sum{};
    for (std::size_t k = 0; k < count; ++k) {
      const Pair<Real> step = load<Pair<Real>>(rows + 2 * k) * (2 * slopes[k]);
      Real* to = gradient + 2 * std::size_t{ids[k]};
      store<Pair<Real>>(to, load<Pair<Real>>(to) - step);
      sum += step;
    }
    Real* own = gradient + 2 * anchor;
    store<Pair<Real>>(own, load<Pair<Real>>(own) + sum);
  } else {
    Real* own = gradient + anchor * d;
    for (std::size_t k = 0; k < count; ++k) {
      Real* to = gradient + ids[k] * d;
      for (std::size_t c = 0; c < d; ++c) {
        const Real step = rows[k * d + c] * (2 * slopes[k]);
        to[c] -= step;
        own[c] += step;
      }
    }
  }
}

// Several anchors at once, in three passes: a vector load right after scalar stores to the same place has to
// wait for them.
template <int dim, class Real>
[[gnu::always_inline]] inline double add_anchors(const Job<Real>& job) {
  const ProductBlocks& blocks = *job.blocks;
  ProductBlockWorkspace<Real>& work = *job.workspace;
  const std::size_t d = dim == 0 ? job.d : static_cast<std::size_t>(dim);
  const std::size_t m = blocks.inliers, o = blocks.outliers, places = blocks.places;
  const std::size_t m_filled = filled(m);
  double total = 0;
  for (std::size_t first = job.begin; first < job.end; first += kAnchorsAtOnce) {
    const std::size_t count = std::min(kAnchorsAtOnce, job.end - first);
    for (std::size_t a = 0; a < count; ++a) {
      Real* near = work.near_distance.data() + a * m_filled;
      Real* far = work.far_distance.data() + a * places;
      differences<dim>(job.y, d, first + a, blocks.inliers_of(first + a), m, work.near_rows.data() + a * m * d, near);
      differences<dim>(job.y, d, first + a, blocks.outliers_of(first + a), o, work.far_rows.data() + a * o * d, far);
      std::fill(near + m, near + m_filled, near[0]);
      std::fill(far + o, far + places, far[0]);
    }
    for (std::size_t a = 0; a < count; ++a)
      total += job.sum_block(
          *job.loss, {m, places, blocks.weights_of(first + a), blocks.weight_stride(),
                      work.near_distance.data() + a * m_filled, work.far_distance.data() + a * places,
                      work.near_slope.data() + a * m_filled, work.far_slope.data() + a * places, work.room.data()});
    if (job.gradient == nullptr) continue;
    for (std::size_t a = 0; a < count; ++a) {
      pull<dim>(job.gradient, d, first + a, blocks.inliers_of(first + a), m, work.near_rows.data() + a * m * d,
                work.near_slope.data() + a * m_filled);
      pull<dim>(job.gradient, d, first + a, blocks.outliers_of(first + a), o, work.far_rows.data() + a * o * d,
                work.far_slope.data() + a * places);
    }
  }
  return total;
}

template <class Real>
[[gnu::always_inline]] inline double add_any(const Job<Real>& job) {
  return job.d == 2 ? add_anchors<2>(job) : add_anchors<0>(job);
}

// ---- one copy of the sums for each instruction set

struct Baseline {
  template <Tail tail, Cap cap, class Real>
  static double sum(const EteLoss& loss, const BlockRows<Real>& rows) {
    return sum_block<16>(loss.form<tail, cap>(), rows);
  }
};

#if defined(__x86_64__)
struct Avx2 {
  template <Tail tail, Cap cap, class Real>
  [[gnu::target("arch=x86-64-v3")]] static double sum(const EteLoss& loss, const BlockRows<Real>& rows) {
    return sum_block<32>(loss.form<tail, cap>(), rows);
  }
};

struct Avx512 {
  template <Tail tail, Cap cap, class Real>
  [[gnu::target("arch=x86-64-v4")]] static double sum(const EteLoss& loss, const BlockRows<Real>& rows) {
    return sum_block<64>(loss.form<tail, cap>(), rows);
  }
};
#endif

template <class Set, class Real>
SumBlock<Real> sum_of_set(const EteLoss& loss) {
  return with_form(loss, []<Tail tail, Cap cap>(const RatioForm<tail, cap>&) -> SumBlock<Real> {
    return Set::template sum<tail, cap, Real>;
  });
}

}  // namespace

std::size_t block_room(std::size_t inliers, std::size_t places) {
  return kMultiple + kMultiple * filled(inliers + 1) + 2 * filled(inliers) + 2 * places;
}

template <class Real>
SumBlock<Real> sum_block_of(const EteLoss& loss, InstructionSet instructions) {
#if defined(__x86_64__)
  if (instructions == InstructionSet::avx512) return sum_of_set<Avx512, Real>(loss);
  if (instructions == InstructionSet::avx2) return sum_of_set<Avx2, Real>(loss);
#endif
  static_cast<void>(instructions);
  return sum_of_set<Baseline, Real>(loss);
}

template <class Real>
double add_product_blocks(const EteLoss& loss, const ProductBlocks& blocks, Index begin, Index end,
                          std::span<const Real> y, Index d, std::span<Real> gradient,
                          ProductBlockWorkspace<Real>& work) {
  const auto cols = static_cast<std::size_t>(d);
  const std::size_t m_filled = filled(blocks.inliers);
  const auto grow = [](std::vector<Real>& v, std::size_t size) {
    if (v.size() < size) v.resize(size);
  };
  grow(work.near_rows, kAnchorsAtOnce * blocks.inliers * cols);
  grow(work.far_rows, kAnchorsAtOnce * blocks.outliers * cols);
  grow(work.near_distance, kAnchorsAtOnce * m_filled);
  grow(work.far_distance, kAnchorsAtOnce * blocks.places);
  grow(work.near_slope, kAnchorsAtOnce * m_filled);
  grow(work.far_slope, kAnchorsAtOnce * blocks.places);
  grow(work.room, block_room(blocks.inliers, blocks.places));
  const Job<Real> job{&loss,
                      sum_block_of<Real>(loss, work.instructions),
                      &blocks,
                      static_cast<std::size_t>(begin),
                      static_cast<std::size_t>(end),
                      y.data(),
                      cols,
                      gradient.empty() ? nullptr : gradient.data(),
                      &work};
  return call_in_lanes(work.instructions, [&](auto) __attribute__((always_inline)) { return add_any(job); });
}

template <class Real>
double add_product_blocks_plainly(const EteLoss& loss, const ProductBlocks& blocks, Index begin, Index end,
                                  std::span<const Real> y, Index d, std::span<Real> gradient) {
  const auto cols = static_cast<std::size_t>(d);
  double total = 0;
  for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
    for (std::size_t j = 0; j < blocks.inliers; ++j)
      for (std::size_t k = 0; k < blocks.outliers; ++k) {
        const Real* yi = y.data() + i * cols;
        const std::size_t near = blocks.inliers_of(i)[j], far = blocks.outliers_of(i)[k];
        const Real* yj = y.data() + near * cols;
        const Real* yk = y.data() + far * cols;
        Real a = 0, b = 0;
        for (std::size_t c = 0; c < cols; ++c) {
          a += (yi[c] - yj[c]) * (yi[c] - yj[c]);
          b += (yi[c] - yk[c]) * (yi[c] - yk[c]);
        }
        const auto w = static_cast<Real>(blocks.weights_of(i)[j * blocks.weight_stride() + k]);
        const LossTerm<Real> term = term_of(loss, a, b);
        total += static_cast<double>(w * term.value);
        if (gradient.empty()) continue;
        for (std::size_t c = 0; c < cols; ++c) {
          const Real pull = 2 * w * term.d_near * (yi[c] - yj[c]);
          const Real push = 2 * w * term.d_far * (yi[c] - yk[c]);
          gradient[i * cols + c] += pull + push;
          gradient[near * cols + c] -= pull;
          gradient[far * cols + c] -= push;
        }
      }
  return total;
}

template SumBlock<float> sum_block_of<float>(const EteLoss&, InstructionSet);
template SumBlock<double> sum_block_of<double>(const EteLoss&, InstructionSet);
template double add_product_blocks(const EteLoss&, const ProductBlocks&, Index, Index, std::span<const float>, Index,
                                   std::span<float>, ProductBlockWorkspace<float>&);
template double add_product_blocks(const EteLoss&, const ProductBlocks&, Index, Index, std::span<const double>, Index,
                                   std::span<double>, ProductBlockWorkspace<double>&);
template double add_product_blocks_plainly(const EteLoss&, const ProductBlocks&, Index, Index, std::span<const float>,
                                           Index, std::span<float>);
template double add_product_blocks_plainly(const EteLoss&, const ProductBlocks&, Index, Index, std::span<const double>,
                                           Index, std::span<double>);

}  // namespace alidade::triplet
