// One solve of an eigenproblem but for the decomposition: the request, what the start is worth, the pairs, the summary.
// Values are Rayleigh quotients, and how exact they are is said by residuals: eigenpairs.hpp. Signs:
// core/eigenvector_signs.hpp. Lives on the stack of solve(); problem, x and context must outlive it.
#pragma once

#include <string>

#include "problems/faces/eigen.hpp"
#include "solvers/contract/recorder.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade::eigen {

class EigenRun {
 public:
  /// @throws as require_fit; DataError on a request that is none.
  EigenRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context);

  [[nodiscard]] const EigenRequest& request() const { return request_; }
  [[nodiscard]] Counts& counts() { return summary_.counts; }

  /// Records the start. Once, before the others.
  void begin();
  Summary finish(Termination termination, std::string message);
  /// Ends with these pairs, `how` they were found being the message: converged if the largest |A v - lambda v| is at
  /// most `tolerance` |A|, or sqrt(tolerance) times the largest |lambda|; else of reduced accuracy. Where there are
  /// none, or not of finite numbers: backend_failure, and x stays.
  Summary accept(EigenSolution found, double tolerance, const std::string& how);

 private:
  Summary summary_;
  Problem problem_;
  EigenRequest request_;
  Solution& x_;
  Evaluation evaluation_;
  Recorder recorder_;
};

}  // namespace alidade::eigen
