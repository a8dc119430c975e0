// Shared by solvers of eigenproblems: the matrix of a request, the order of eigenpairs, and their accuracy.
// Rayleigh quotients and residuals after Parlett, "The Symmetric Eigenvalue Problem", sections 1.4 and 4.5.
// A is symmetric; vectors are columns; values run from the requested end of the spectrum inwards.
#pragma once

#include "problems/faces/eigen.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade::eigen {

/// A as a matrix: taken from the request, or column by column from `apply` with O(n) products; n x n doubles.
[[nodiscard]] Eigen::MatrixXd matrix_of(const EigenRequest& request);

/// y = A x, by whichever form the request has.
void multiply(const EigenRequest& request, const double* x, double* y);

/// The requested pairs, from all eigenvectors of A. O(n^3).
[[nodiscard]] EigenSolution all_pairs(const EigenRequest& request);

/// Pseudo-random signs, the same at every call: a vector that is special for no matrix.
[[nodiscard]] Vector coin_signs(Index size);

struct Residuals {
  double largest = 0;  // |A v - lambda v| over the pairs, |v| = 1
  double scale = 0;    // largest |lambda| of the pairs, or |A v| if A is far from 0 elsewhere
  double norm = 0;     // lower estimate of |A|, the unit of its numbers; at least `scale`
};
/// Replaces values by Rayleigh quotients v'Av. O(k) products.
[[nodiscard]] Residuals refine(const EigenRequest& request, EigenSolution& pairs);

/// @throws DataError unless 1 <= count <= size and there is an `apply` or a matrix of that size.
void require_valid(const EigenRequest& request, std::string_view problem);

}  // namespace alidade::eigen
