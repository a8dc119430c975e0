#include "solvers/assignment/assignment_solver.hpp"

#include <fmt/core.h>

#include "solvers/assignment/assignment_costs.hpp"
#include "solvers/contract/recorder.hpp"

namespace alidade {

Summary AssignmentSolver::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem adapted = require_fit(*this, problem, x, via);
  Evaluation evaluation(context.executor);
  const Matrix costs = assignment::checked_costs(adapted);
  Summary out;
  Recorder recorder(context, out.counts);
  out.via = std::move(via);
  out.counts.starts = 1;
  out.objective = out.initial_objective = adapted.objective(x, evaluation);
  recorder.record(0, out.objective, kUnknown, nullptr);
  AssignmentSearch search;
  if (const auto interrupted = context.interrupted()) {
    search.termination = *interrupted;
    search.message = fmt::format("{} before the search", to_string(*interrupted));
  } else {
    search = match(costs, context, out.counts);
  }
  if (search.termination == Termination::converged) {
    x = std::move(search.x);
    out.objective = adapted.objective(x, evaluation);
    out.certificate = search.certificate;
    recorder.record(out.counts.iterations, out.objective, kUnknown, nullptr);
  }
  out.termination = search.termination;
  out.message = std::move(search.message);
  out.best_objective = out.objective;
  recorder.finish(out);
  return out;
}

}  // namespace alidade
