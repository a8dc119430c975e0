// The singular values and vectors of a dense matrix.
// Two-sided Jacobi rotations (Golub & Van Loan, section 8.6.3) of the square that QR leaves: Eigen's JacobiSVD,
// compiled once. For few columns: its divide and conquer is faster from some hundred on, and would take a twentieth of
// a first build.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

/// A = left diag(values) right^T for m x n, both at least 1, and k = min(m, n). O(m n k + s k^3), some s = 10 sweeps.
class ThinSvd {
 public:
  explicit ThinSvd(const Eigen::MatrixXd& matrix);

  /// k, descending, >= 0.
  [[nodiscard]] const Eigen::VectorXd& values() const { return values_; }
  /// m x k and n x k, with orthonormal columns in the order of the values.
  [[nodiscard]] const Eigen::MatrixXd& left() const { return left_; }
  [[nodiscard]] const Eigen::MatrixXd& right() const { return right_; }

 private:
  Eigen::VectorXd values_;
  Eigen::MatrixXd left_, right_;
};

}  // namespace alidade
