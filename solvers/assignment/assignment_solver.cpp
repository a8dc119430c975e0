#include "solvers/assignment/assignment_solver.hpp"

#include "solvers/assignment/assignment_costs.hpp"
#include "solvers/contract/solve_run.hpp"

namespace alidade {

Summary AssignmentSolver::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  SolveRun run(*this, problem, x, context);
  const Matrix costs = assignment::checked_costs(run.problem());
  run.begin();
  if (auto end = run.stopped("before the search")) return *std::move(end);
  AssignmentSearch search = match(costs, context, run.counts());
  if (search.termination == Termination::converged) {
    run.take(std::move(search.x));
    run.summary().certificate = search.certificate;
    run.record_solution();
  }
  return run.finish(search.termination, std::move(search.message));
}

}  // namespace alidade
