// An orthonormal basis of what the columns of a matrix span, and of what is orthogonal to it.
// Householder's QR, Golub & Van Loan, section 5.2, without pivots: columns that depend on others are no error, and what
// stands in their places is then orthogonal to them. Eigen's, compiled once, for it takes a compiler four seconds a
// file.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

/// The first `count` columns of Q in A = Q R for A = `spanning`, m x n with m >= n: the first n span the columns of A
/// where these are independent, the others what is orthogonal. n <= count <= m. O(m n count).
[[nodiscard]] Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& spanning, Index count);

/// As many as A has.
[[nodiscard]] Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& spanning);

}  // namespace alidade
