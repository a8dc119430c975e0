#include "solvers/eigen/eigen_run.hpp"

#include <cmath>
#include <utility>

#include "problems/core/eigenvector_signs.hpp"
#include "problems/faces/eigen.hpp"
#include "solvers/eigen/eigenpairs.hpp"

namespace alidade::eigen {

EigenRun::EigenRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context)
    : problem_(require_fit(solver, problem, x, summary_.via)),
      request_(problem_.face<EigenFace>().eigen_request()),
      x_(x),
      evaluation_(context.executor),
      recorder_(context, summary_.counts) {
  require_valid(request_, problem.name());
  summary_.counts.starts = 1;
}

void EigenRun::begin() {
  summary_.counts.evaluations = 1;
  summary_.objective = summary_.initial_objective = problem_.objective(x_, evaluation_);
  recorder_.record(0, summary_.objective, [this] { return x_; });
}

Summary EigenRun::finish(Termination termination, std::string message) {
  summary_.termination = termination;
  summary_.message = std::move(message);
  summary_.best_objective = summary_.objective;
  recorder_.finish(summary_);
  return std::move(summary_);
}

Summary EigenRun::accept(EigenSolution found, double tolerance, const std::string& how) {
  if (found.vectors.size() == 0 || !found.vectors.allFinite())
    return finish(Termination::backend_failure,
                  "The decomposition failed, because the matrix has entries that are not finite.");
  const Residuals residuals = refine(request_, found);
  fix_signs(found.vectors);
  summary_.gradient_norm = residuals.largest;
  x_ = std::move(found);
  summary_.objective = problem_.objective(x_, evaluation_);
  ++summary_.counts.evaluations;
  recorder_.record(summary_.counts.iterations, summary_.objective, [this] { return x_; });
  const bool exact =
      residuals.largest <= std::sqrt(tolerance) * residuals.scale || residuals.largest <= tolerance * residuals.norm;
  return finish(exact ? Termination::converged : Termination::reduced_accuracy,
                fmt::format("{}; |A v - lambda v| <= {:.1e}", how, residuals.largest));
}

}  // namespace alidade::eigen
