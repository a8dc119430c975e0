#include "solvers/contract/solve_run.hpp"

#include <fmt/core.h>

namespace alidade {

SolveRun::SolveRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context)
    : problem_(require_fit(solver, problem, x, summary_.via)), x_(x), context_(context) {
  summary_.counts.starts = 1;
}

SolveRun::SolveRun(const Problem& adapted, Solution& x, SolveContext& context)
    : problem_(adapted), x_(x), context_(context) {
  summary_.counts.starts = 1;
}

void SolveRun::begin() {
  begin_unrecorded();
  record(0, summary_.objective);
}

void SolveRun::take(Solution x) {
  x_ = std::move(x);
  summary_.objective = objective(x_);
}

void SolveRun::record(Index iteration, double objective, Figures figures) {
  recorder_.record(
      iteration, objective, [this] { return x_; }, std::move(figures));
}

std::optional<Summary> SolveRun::stopped(std::string_view when) {
  const auto reason = context_.interrupted();
  if (!reason) return std::nullopt;
  return finish(*reason, stop_text(*reason, when));
}

Summary SolveRun::not_begun(Termination reason) {
  return finish(reason, stop_text(reason, "before the first iteration"));
}

std::string SolveRun::stop_text(Termination reason, std::string_view when) {
  return fmt::format("{} {}", to_string(reason), when);
}

Summary SolveRun::finish(Termination termination, std::string message) {
  summary_.termination = termination;
  summary_.message = std::move(message);
  summary_.best_objective = summary_.objective;
  recorder_.finish(summary_);
  return std::move(summary_);
}

}  // namespace alidade
