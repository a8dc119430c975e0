#include "problems/core/precise_matrix.hpp"

#include <algorithm>
#include <vector>

#include "problems/core/vector_math.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade {
namespace {

/// a + b exactly, for |a| >= |b|.
DoubleDouble quick_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
/// a + b exactly.
DoubleDouble exact_sum_of(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a b - p, for the rounded product p, exactly unless a part overflows.
template <class V>
[[gnu::always_inline]] inline V rest_of_product(V a, V b, V p) {
  const V at = 134217729.0 * a, bt = 134217729.0 * b;  // 2^27 + 1
  const V ah = at - (at - a), al = a - ah, bh = bt - (bt - b), bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}
DoubleDouble exact_product(double a, double b) {
  const double p = a * b;
  return {p, rest_of_product(a, b, p)};
}

/// A tile of C += A B: `Width` bytes twice along rows, kColumns columns. a: k x rows and b: k x columns, packed.
constexpr Index kColumns = 4;
template <class V, bool fused>
[[gnu::always_inline]] inline void tile(const double* ah, const double* al, const double* bh, const double* bl,
                                        Index count, double* out_high, double* out_low) {
  constexpr int kVectors = 2;
  constexpr Index kRows = kVectors * alidade::kLanes<V>;
  V high[kVectors][kColumns] = {}, low[kVectors][kColumns] = {};
  for (Index k = 0; k < count; ++k, ah += kRows, al += kRows, bh += kColumns, bl += kColumns)
    for (int r = 0; r < kVectors; ++r) {
      const V xh = load<V>(ah + r * alidade::kLanes<V>), xl = load<V>(al + r * alidade::kLanes<V>);
      for (int c = 0; c < kColumns; ++c) {
        const V yh = V{} + bh[c], yl = V{} + bl[c];
        const V p = xh * yh;
        V rest;
        if constexpr (fused) {
          for (int l = 0; l < alidade::kLanes<V>; ++l) rest[l] = __builtin_fma(xh[l], yh[l], -p[l]);
        } else {
          rest = rest_of_product(xh, yh, p);
        }
        const V sum = high[r][c] + p, part = sum - high[r][c];
        low[r][c] += ((high[r][c] - (sum - part)) + (p - part)) + (rest + (xh * yl + xl * yh));
        high[r][c] = sum;
      }
    }
  for (int c = 0; c < kColumns; ++c)
    for (int r = 0; r < kVectors; ++r) {
      store<V>(out_high + c * kRows + r * alidade::kLanes<V>, high[r][c]);
      store<V>(out_low + c * kRows + r * alidade::kLanes<V>, low[r][c]);
    }
}

using Tile = void (*)(const double*, const double*, const double*, const double*, Index, double*, double*);
struct Kernel {
  Tile run;
  Index rows;
};
void tile_any(const double* ah, const double* al, const double* bh, const double* bl, Index count, double* high,
              double* low) {
  tile<Vec<double, 16>, false>(ah, al, bh, bl, count, high, low);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void tile_avx2(const double* ah, const double* al, const double* bh, const double* bl,
                                           Index count, double* high, double* low) {
  tile<Vec<double, 32>, true>(ah, al, bh, bl, count, high, low);
}
[[gnu::target("avx512f")]] void tile_avx512(const double* ah, const double* al, const double* bh, const double* bl,
                                            Index count, double* high, double* low) {
  tile<Vec<double, 64>, true>(ah, al, bh, bl, count, high, low);
}
#endif
Kernel best_kernel() {
#if defined(__x86_64__)
  if (best_instruction_set() == InstructionSet::avx512) return {tile_avx512, 16};
  if (best_instruction_set() == InstructionSet::avx2) return {tile_avx2, 8};
#endif
  return {tile_any, 4};
}

}  // namespace

DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = exact_sum_of(a.high, b.high), low = exact_sum_of(a.low, b.low);
  const DoubleDouble both = quick_sum(high.high, high.low + low.high);
  return quick_sum(both.high, both.low + low.low);
}
DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = exact_product(a.high, b.high);
  return quick_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * DoubleDouble(first);
  return quick_sum(first, rest.high / b.high);
}
DoubleDouble sqrt(DoubleDouble a) {
  const double first = std::sqrt(a.high);
  if (!(first > 0)) return first;
  const DoubleDouble rest = a - exact_product(first, first);
  return quick_sum(first, rest.high / (2 * first));
}

void add_product(Eigen::Ref<PreciseMatrix> c, const Eigen::Ref<const PreciseMatrix>& a,
                 const Eigen::Ref<const PreciseMatrix>& b, double sign, bool lower) {
  const Kernel kernel = best_kernel();
  const Index m = c.rows(), n = c.cols(), count = a.cols(), rows = kernel.rows;
  if (m == 0 || n == 0 || count == 0) return;
  const Index panels = (n + kColumns - 1) / kColumns;
  std::vector<double> bh(subscript(panels * kColumns * count), 0.0), bl = bh, ah(subscript(rows * count)), al = ah;
  for (Index j = 0; j < n; ++j)
    for (Index k = 0; k < count; ++k) {
      const auto at = subscript((j / kColumns * count + k) * kColumns + j % kColumns);
      bh[at] = sign * b(k, j).high;
      bl[at] = sign * b(k, j).low;
    }
  std::vector<double> high(subscript(rows * kColumns)), low = high;
  for (Index i = 0; i < m; i += rows) {
    const Index height = std::min(rows, m - i);
    for (Index k = 0; k < count; ++k)
      for (Index r = 0; r < rows; ++r) {
        ah[subscript(k * rows + r)] = r < height ? a(i + r, k).high : 0;
        al[subscript(k * rows + r)] = r < height ? a(i + r, k).low : 0;
      }
    for (Index p = 0; p < panels && (!lower || p * kColumns < i + height); ++p) {
      const auto from = subscript(p * kColumns * count);
      kernel.run(ah.data(), al.data(), &bh[from], &bl[from], count, high.data(), low.data());
      for (Index j = p * kColumns; j < std::min(n, (p + 1) * kColumns); ++j)
        for (Index r = 0; r < height; ++r) {
          const auto at = subscript((j - p * kColumns) * rows + r);
          c(i + r, j) += quick_sum(high[at], low[at]);
        }
    }
  }
}

PreciseMatrix product(const Eigen::Ref<const PreciseMatrix>& a, const Eigen::Ref<const PreciseMatrix>& b) {
  PreciseMatrix out = PreciseMatrix::Zero(a.rows(), b.cols());
  add_product(out, a, b);
  return out;
}

constexpr Index kBlock = 16;

bool cholesky_in_place(Eigen::Ref<PreciseMatrix> a) {
  const Index n = a.rows();
  for (Index from = 0; from < n; from += kBlock) {
    const Index to = std::min(n, from + kBlock);
    for (Index k = from; k < to; ++k) {
      if (!(a(k, k).high > 0)) return false;
      a(k, k) = sqrt(a(k, k));
      const DoubleDouble inverse = DoubleDouble(1) / a(k, k);
      for (Index i = k + 1; i < n; ++i) a(i, k) = a(i, k) * inverse;
      for (Index l = k + 1; l < to; ++l)
        for (Index i = l; i < n; ++i) a(i, l) = a(i, l) - a(l, k) * a(i, k);
    }
    const PreciseMatrix panel = a.block(to, from, n - to, to - from);
    add_product(a.bottomRightCorner(n - to, n - to), panel, panel.transpose(), -1, true);
  }
  return true;
}

void solve_lower_in_place(const Eigen::Ref<const PreciseMatrix>& l, Eigen::Ref<PreciseMatrix> b) {
  const Index n = l.rows();
  for (Index from = 0; from < n; from += kBlock) {
    const Index to = std::min(n, from + kBlock);
    for (Index c = 0; c < b.cols(); ++c)
      for (Index k = from; k < to; ++k) {
        b(k, c) = b(k, c) / l(k, k);
        for (Index i = k + 1; i < to; ++i) b(i, c) = b(i, c) - l(i, k) * b(k, c);
      }
    add_product(b.bottomRows(n - to), l.block(to, from, n - to, to - from), b.middleRows(from, to - from), -1);
  }
}

bool has_cholesky_factor(PreciseMatrix a, double shift) {
  for (Index k = 0; k < a.rows(); ++k) a(k, k) += DoubleDouble(shift);
  return cholesky_in_place(a);
}

}  // namespace alidade
