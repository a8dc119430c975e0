#include "problems/core/precise_matrix.hpp"

#include <cmath>

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
/// a b exactly, unless a part overflows.
DoubleDouble exact_product(double a, double b) {
#ifdef __FP_FAST_FMA
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
#else
  constexpr double kSplit = 134217729;  // 2^27 + 1
  const double product = a * b, at = kSplit * a, bt = kSplit * b;
  const double ah = at - (at - a), al = a - ah, bh = bt - (bt - b), bl = b - bh;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
#endif
}

DoubleDouble quotient(DoubleDouble a, DoubleDouble b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * DoubleDouble(first);
  return quick_sum(first, rest.high / b.high);
}
DoubleDouble root(DoubleDouble a) {
  const double first = std::sqrt(a.high);
  const DoubleDouble rest = a - exact_product(first, first);
  return quick_sum(first, rest.high / (2 * first));
}

}  // namespace

DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = exact_sum_of(a.high, b.high), low = exact_sum_of(a.low, b.low);
  const DoubleDouble both = quick_sum(high.high, high.low + low.high);
  return quick_sum(both.high, both.low + low.low);
}
DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + DoubleDouble(-b.high, -b.low); }
DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = exact_product(a.high, b.high);
  return quick_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

PreciseMatrix::PreciseMatrix(const Eigen::MatrixXd& x) : PreciseMatrix(x.rows(), x.cols()) { add(x); }

Eigen::MatrixXd PreciseMatrix::doubles() const {
  Eigen::MatrixXd out(rows_, cols_);
  for (Index j = 0; j < cols_; ++j)
    for (Index i = 0; i < rows_; ++i) out(i, j) = (*this)(i, j).high;
  return out;
}

void PreciseMatrix::add(const Eigen::MatrixXd& x) {
  for (Index j = 0; j < cols_; ++j)
    for (Index i = 0; i < rows_; ++i) (*this)(i, j) = (*this)(i, j) + DoubleDouble(x(i, j));
}

PreciseMatrix transposed_times(const PreciseMatrix& a, const PreciseMatrix& b) {
  PreciseMatrix out(a.cols(), b.cols());
  for (Index j = 0; j < b.cols(); ++j)
    for (Index i = 0; i < a.cols(); ++i) {
      DoubleDouble sum;
      for (Index k = 0; k < a.rows(); ++k) sum = sum + a(k, i) * b(k, j);
      out(i, j) = sum;
    }
  return out;
}

PreciseMatrix weighted_square(const PreciseMatrix& a, const PreciseMatrix& w) {
  PreciseMatrix weighted(a.rows(), a.cols()), out(a.cols(), a.cols());
  for (Index j = 0; j < a.cols(); ++j)
    for (Index k = 0; k < a.rows(); ++k) weighted(k, j) = w(k, 0) * a(k, j);
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i <= j; ++i) {
      DoubleDouble sum;
      for (Index k = 0; k < a.rows(); ++k) sum = sum + a(k, i) * weighted(k, j);
      out(i, j) = out(j, i) = sum;
    }
  return out;
}

bool has_cholesky_factor(PreciseMatrix a, double shift) {
  const Index n = a.rows();
  for (Index k = 0; k < n; ++k) {
    const DoubleDouble pivot = a(k, k) + DoubleDouble(shift);
    if (!(pivot.high > 0)) return false;
    const DoubleDouble length = root(pivot);
    for (Index i = k + 1; i < n; ++i) a(i, k) = quotient(a(i, k), length);
    for (Index l = k + 1; l < n; ++l)
      for (Index i = l; i < n; ++i) a(i, l) = a(i, l) - a(l, k) * a(i, k);
  }
  return true;
}

}  // namespace alidade
