// Dense matrices of numbers with twice the digits of a double: unevaluated sums of two doubles, Dekker 1971, "A
// floating-point technique for extending the available precision"; relative errors of about 1e-31.
// For refining what doubles have found, where a few products and one factor decide a proof.
#pragma once

#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

struct DoubleDouble {
  double high = 0, low = 0;  // |low| is at most half a unit in the last place of high
  DoubleDouble() = default;
  explicit DoubleDouble(double x) : high(x) {}
  DoubleDouble(double h, double l) : high(h), low(l) {}
};
[[nodiscard]] DoubleDouble operator+(DoubleDouble a, DoubleDouble b);
[[nodiscard]] DoubleDouble operator-(DoubleDouble a, DoubleDouble b);
[[nodiscard]] DoubleDouble operator*(DoubleDouble a, DoubleDouble b);

class PreciseMatrix {
 public:
  PreciseMatrix() = default;
  PreciseMatrix(Index rows, Index cols) : rows_(rows), cols_(cols), entries_(subscript(rows * cols)) {}
  explicit PreciseMatrix(const Eigen::MatrixXd& x);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] DoubleDouble& operator()(Index i, Index j) { return entries_[subscript(j * rows_ + i)]; }
  [[nodiscard]] const DoubleDouble& operator()(Index i, Index j) const { return entries_[subscript(j * rows_ + i)]; }
  /// Rounded.
  [[nodiscard]] Eigen::MatrixXd doubles() const;
  void add(const Eigen::MatrixXd& x);

 private:
  Index rows_ = 0, cols_ = 0;
  std::vector<DoubleDouble> entries_;  // by columns
};

/// A'B. O(n p q) for n x p and n x q.
[[nodiscard]] PreciseMatrix transposed_times(const PreciseMatrix& a, const PreciseMatrix& b);
/// A' diag(w) A, w: n x 1. O(n p^2).
[[nodiscard]] PreciseMatrix weighted_square(const PreciseMatrix& a, const PreciseMatrix& w);
/// Whether A + shift I has a Cholesky factor; its lower triangle is read. O(n^3).
[[nodiscard]] bool has_cholesky_factor(PreciseMatrix a, double shift);

}  // namespace alidade
