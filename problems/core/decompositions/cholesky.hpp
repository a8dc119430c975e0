// Factors of dense symmetric matrices, of which the lower triangle is read.
// Golub & Van Loan, sections 4.2 (A = LL') and 4.4.5 (P A P' = L D L', diagonal pivoting): Eigen's LLT and LDLT,
// compiled once, because each takes seconds per file.
#pragma once

#include <memory>
#include <utility>

#include "problems/core/types.hpp"

namespace alidade {

/// Puts L of A = LL' in the lower triangle of A, n x n; what is above stays. False if a pivot was not positive: then A
/// is not positive definite, up to rounding, and is left half overwritten. NaN may pass. O(n^3 / 3).
[[nodiscard]] bool cholesky_in_place(Eigen::Ref<Eigen::MatrixXd> a);
/// B := L^-1 B or L'^-1 B, of the lower triangle of L, n x n and regular. O(n^2) a column.
void solve_lower_in_place(const Eigen::Ref<const Eigen::MatrixXd>& l, Eigen::Ref<Eigen::MatrixXd> b);
void solve_transposed_lower_in_place(const Eigen::Ref<const Eigen::MatrixXd>& l, Eigen::Ref<Eigen::MatrixXd> b);
/// B := B L'^-1. O(n^2) a row.
void solve_transposed_lower_from_right(const Eigen::Ref<const Eigen::MatrixXd>& l, Eigen::Ref<Eigen::MatrixXd> b);

/// A = LL' with a positive diagonal of L.
class Cholesky {
 public:
  Cholesky() = default;
  explicit Cholesky(Eigen::MatrixXd a) : l_(std::move(a)), positive_(cholesky_in_place(l_)) {}

  /// Whether there is a factor; the others require it.
  [[nodiscard]] bool positive() const { return positive_; }
  /// A^-1 b.
  [[nodiscard]] Vector solve(Vector b) const;
  [[nodiscard]] Eigen::MatrixXd solve(Eigen::MatrixXd b) const;

 private:
  Eigen::MatrixXd l_;
  bool positive_ = false;
};

/// P A P' = L D L' with D diagonal, for A that may be singular.
class PivotedCholesky {
 public:
  explicit PivotedCholesky(const Eigen::MatrixXd& a);
  /// A^-1 b; the pseudo-inverse of D where pivots are 0.
  [[nodiscard]] Vector solve(const Vector& b) const;
  /// P' L D^1/2 z, with pivots below 0 counted as 0: standard normal z become a vector of covariance A.
  [[nodiscard]] Vector root_times(const Vector& z) const;

 private:
  struct Factor;
  std::shared_ptr<const Factor> factor_;
};

}  // namespace alidade
