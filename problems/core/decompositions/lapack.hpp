// Dense decompositions by LAPACK on one thread; by Eigen where the build has no LAPACK (it comes with CSDP).
// Tridiagonal form, then the eigenvectors of one end alone: Dhillon, Parlett & Voemel 2006 (dstemr).
// The caller gives BLAS one thread (blas.hpp); then the same input gives the same bits.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "problems/core/index.hpp"

namespace alidade {

/// W = plus - minus, both positive semidefinite, their product 0. W is destroyed; its lower triangle is read. The side
/// with fewer eigenvalues is built from its eigenvectors, the other by subtraction. False if the decomposition failed,
/// as with numbers that are not finite. O(n^3).
[[nodiscard]] bool split_spectrum(Eigen::MatrixXd& w, Eigen::MatrixXd& plus, Eigen::MatrixXd& minus);

/// The least eigenvalue, of the lower triangle; NaN if the decomposition failed. O(n^3).
[[nodiscard]] double least_eigenvalue_of(Eigen::MatrixXd w);

/// A B.
[[nodiscard]] Eigen::MatrixXd dense_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
/// C += A A', the lower triangle; C is n x n for A n x k. O(n^2 k).
void add_square(const Eigen::MatrixXd& a, Eigen::MatrixXd& c);

/// The lower Cholesky factor in place of the lower triangle. False if there is none. O(n^3).
[[nodiscard]] bool dense_cholesky(Eigen::MatrixXd& a);
/// The same in pieces of a second or so, between which it is `asked` to stop: then false, too.
[[nodiscard]] bool dense_cholesky(Eigen::MatrixXd& a, const std::function<bool()>& asked);
/// B := L^-1 B of the lower triangle of L.
void solve_dense_lower(const Eigen::MatrixXd& l, Eigen::MatrixXd& b);
/// Solves LL' x = b in place.
void solve_dense_cholesky(const Eigen::MatrixXd& l, Eigen::VectorXd& b);

}  // namespace alidade
