// One solve of an eigenproblem except for the decomposition: request, value of the start, eigenpairs, summary.
// Values are Rayleigh quotients; residuals measure their accuracy (eigenpairs.hpp). Signs:
// core/eigenvector_signs.hpp. Lives on the stack of solve(); problem, x and context must outlive it.
#pragma once

#include <string>

#include "problems/faces/eigen.hpp"
#include "solvers/contract/solve_run.hpp"

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

}  // namespace alidade::eigen
