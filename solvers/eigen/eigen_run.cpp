#include "solvers/eigen/eigen_run.hpp"

#include <cmath>
#include <utility>

#include "problems/core/eigenvector_signs.hpp"
#include "problems/faces/eigen.hpp"
#include "solvers/eigen/eigenpairs.hpp"

namespace alidade::eigen {

EigenRun::EigenRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context)
    : SolveRun(solver, problem, x, context), request_(this->problem().face<EigenFace>().eigen_request()) {
  require_valid(request_, problem.name());
}

void EigenRun::begin() {
  counts().evaluations = 1;
  SolveRun::begin();
}

Summary EigenRun::accept(EigenSolution pairs, double tolerance, const std::string& how) {
  if (pairs.vectors.size() == 0 || !pairs.vectors.allFinite())
    return finish(Termination::backend_failure,
                  "The decomposition failed, because the matrix has entries that are not finite.");
  const Residuals residuals = refine(request_, pairs);
  fix_signs(pairs.vectors);
  summary().gradient_norm = residuals.largest;
  take(std::move(pairs));
  ++counts().evaluations;
  record_solution();
  const bool exact =
      residuals.largest <= std::sqrt(tolerance) * residuals.scale || residuals.largest <= tolerance * residuals.norm;
  return finish(exact ? Termination::converged : Termination::reduced_accuracy,
                fmt::format("{}; |A v - lambda v| <= {:.1e}", how, residuals.largest));
}

}  // namespace alidade::eigen
