// An orthonormal basis of the column space of a matrix, and of its orthogonal complement.
// Householder's QR, Golub & Van Loan, section 5.2, without pivoting. Dependent columns are allowed; the basis vectors
// in their places are orthogonal to the column space. Eigen's, compiled once, because it takes four seconds per file.
#pragma once

#include <memory>

#include "problems/core/types.hpp"

namespace alidade {

/// The first `count` columns of Q in A = Q R for A = `spanning`, m x n with m >= n. The first n span the columns of A
/// if these are independent; the others span the complement. n <= count <= m. O(m n count).
[[nodiscard]] Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& spanning, Index count);

/// As above with as many columns as A.
[[nodiscard]] Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& spanning);

/// A = Q R P' with column pivoting, A m x n; pivots at most `threshold` of the largest count as 0. O(m n min(m, n)).
class PivotedQr {
 public:
  PivotedQr(const Eigen::MatrixXd& a, double threshold);
  /// Orthonormal columns, m x k, that span the vectors orthogonal to all columns of A.
  [[nodiscard]] Eigen::MatrixXd left_null_space() const;
  /// The shortest w with A'w = b, for b in the range of A'.
  [[nodiscard]] Vector transposed_solve(const Vector& b) const;

 private:
  struct Factor;
  std::shared_ptr<const Factor> factor_;
};

}  // namespace alidade
