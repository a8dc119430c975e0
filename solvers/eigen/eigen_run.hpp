// One solve of an eigenproblem except for the decomposition: request, value of the start, eigenpairs, summary.
// Values are Rayleigh quotients; residuals measure their accuracy. Signs as in
// leading_eigenpairs.hpp. Lives on the stack of solve(); problem, x and context must outlive it.
#pragma once

#include <string>

#include "problems/faces/eigen.hpp"
#include "solvers/contract/solve_run.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade::eigen {

class EigenRun : public SolveRun {
 public:
  /// @throws as require_fit; DataError on an invalid request.
  EigenRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context);

  [[nodiscard]] const EigenRequest& request() const { return request_; }
  /// Evaluates and records the start, which counts as an evaluation. Call it once, before the others.
  void begin();
  /// Ends with these pairs; `how` says how they were found, and is the message. converged if the largest |A v - lambda
  /// v| is at most `tolerance` |A|, or sqrt(tolerance) times the largest |lambda|; otherwise reduced_accuracy. Without
  /// pairs, or if they are not finite: backend_failure, and x is unchanged.
  Summary accept(EigenSolution pairs, double tolerance, const std::string& how);

 private:
  EigenRequest request_;
};

// Shared by solvers of eigenproblems: the matrix of a request, the order of eigenpairs, and their accuracy.
// Rayleigh quotients and residuals after Parlett, "The Symmetric Eigenvalue Problem", sections 1.4 and 4.5.
// A is symmetric; vectors are columns; values run from the requested end of the spectrum inwards.

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
