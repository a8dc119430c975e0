#include "solvers/contract/point_solver.hpp"

#include <cmath>

#include "problems/core/error.hpp"

namespace alidade {

PointSolve::PointSolve(const Problem& problem, Point& start, SolveContext& solve_context)
    : x(start),
      context(solve_context),
      problem_(problem),
      recorder_(solve_context, summary_.counts),
      counted_(problem, solve_context, summary_.counts),
      start_(start) {
  summary_.initial_objective = counted_.objective(x);
}

std::optional<Summary> PointSolve::ended_at_start() {
  if (!std::isfinite(initial_objective()))
    return finish(Termination::diverged, "The objective is not finite at the start.");
  if (x.size() == 0) return finish(Termination::converged, "There are no unknowns, so nothing to solve.");
  return std::nullopt;
}

std::optional<Summary> PointSolve::stopped(Index iteration) {
  const auto reason = context.interrupted();
  if (!reason) return std::nullopt;
  return finish(*reason, iteration == 0 ? "Stopped before the first iteration."
                                        : fmt::format("Stopped in iteration {}.", iteration));
}

Summary PointSolve::finish(Termination termination, std::string message, const KnownEnd& known) {
  summary_.termination = termination;
  summary_.message = std::move(message);
  const bool moved = x.vector() != start_.vector();
  summary_.objective = known.objective ? *known.objective : moved ? counted_.objective(x) : summary_.initial_objective;
  if (!(summary_.objective <= summary_.initial_objective) && std::isfinite(summary_.initial_objective)) {
    x = start_;
    summary_.objective = summary_.initial_objective;
  }
  summary_.best_objective = summary_.objective;
  if (known.gradient_norm)
    summary_.gradient_norm = *known.gradient_norm;
  else if (std::isfinite(summary_.objective))
    summary_.gradient_norm = counted_.stationarity(x);
  recorder_.finish(summary_);
  return std::move(summary_);
}

Summary PointSolver::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem fitted = require_fit(*this, problem, via);
  Summary out = best_of_starts(fitted, x, context, start_count(), [&](Solution& start, SolveContext& inner) {
    PointSolve run(fitted, std::get<Point>(start), inner);
    return solve_one(run);
  });
  out.via = std::move(via);
  return out;
}

}  // namespace alidade
