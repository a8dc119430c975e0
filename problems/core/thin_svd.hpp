// The singular values and vectors of a dense matrix.
// Bidiagonal form by divide and conquer (Gu & Eisenstat 1995), by one-sided Jacobi rotations below 16 columns: Eigen's
// BDCSVD, compiled once, because it takes half a minute per file.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

/// A = left diag(values) right^T for m x n, both at least 1, and k = min(m, n). O(m n k).
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
