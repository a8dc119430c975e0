// An orthonormal basis of the column space of a matrix, and of its orthogonal complement.
// Householder's QR, Golub & Van Loan, section 5.2, without pivoting. Dependent columns are allowed; the basis vectors
// in their places are orthogonal to the column space. Eigen's, compiled once, because it takes four seconds per file.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

/// The first `count` columns of Q in A = Q R for A = `spanning`, m x n with m >= n. The first n span the columns of A
/// if these are independent; the others span the complement. n <= count <= m. O(m n count).
[[nodiscard]] Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& spanning, Index count);

/// As above with as many columns as A.
[[nodiscard]] Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& spanning);

}  // namespace alidade
