#include "solvers/compose/staged_solve.hpp"

#include <algorithm>

#include "problems/core/error.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/recorder.hpp"

namespace alidade {
namespace {

/// Shows the iterates of a stage with their numbers in the whole solve.
class StageObserver final : public Observer {
 public:
  StageObserver(Observer& whole, Index before) : whole_(whole), before_(before) {}
  [[nodiscard]] bool wants(Index iteration) const override {
    // The start of a later stage is the end of the one before.
    return (before_ == 0 || iteration > 0) && whole_.wants(before_ + iteration);
  }
  void observe(const Solution& x, TraceRecord& record) override {
    record.iteration += before_;
    whole_.observe(x, record);
    record.iteration -= before_;
  }

 private:
  Observer& whole_;
  Index before_;
};

/// Appends a stage's trace, with iterations, times and costs from the beginning of the whole solve.
void append(const Trace& stage, const Counts& before, double seconds_before, Trace& out) {
  for (const TraceRecord& record : stage) {
    if (record.iteration == 0) continue;  // the end of the stage before
    out.push_back(record);
    out.back().iteration += before.iterations;
    out.back().seconds += seconds_before;
    add_spent(before, out.back().metrics);
  }
}

}  // namespace

StagedSolve::StagedSolve(const Problem& problem, Solution& x, SolveContext& context)
    : problem_(problem), best_(x), context_(context), evaluation_(context.executor), walker_(x) {
  out_.counts.starts = 1;
  out_.objective = out_.initial_objective = problem.objective(x, evaluation_);
  out_.trace = {{0, clock_.seconds(), out_.objective, kUnknown, {}}};
}

bool StagedSolve::may_begin(const std::string& stage) {
  const auto interrupted = context_.interrupted();
  if (!interrupted) return true;
  out_.termination = *interrupted;
  out_.message = fmt::format("{} before {}", to_string(*interrupted), stage);
  return false;
}

bool StagedSolve::run(const Solver& solver, const Problem& problem, const std::string& stage) {
  SolveContext inner = inner_context(context_, Rng(context_.rng.next()));
  std::optional<StageObserver> observer;
  if (context_.observer) inner.observer = &observer.emplace(*context_.observer, out_.counts.iterations);
  const double seconds_before = clock_.seconds() - out_.observe_seconds;
  const Summary summary = solver.solve(problem, walker_, inner);
  const bool first = stages_++ == 0;
  if (first && !summary.trace.empty()) out_.trace.front().metrics = summary.trace.front().metrics;
  append(summary.trace, out_.counts, seconds_before, out_.trace);
  out_.observe_seconds += summary.observe_seconds;
  out_.counts.iterations += summary.counts.iterations;
  out_.counts.add_spent(summary.counts);
  out_.message = fmt::format("{}: {}", stage, summary.message);
  if (!summary.usable() && !first) {
    out_.message = fmt::format("{} failed ({}); the solution reached before it is kept: {}", stage,
                               to_string(summary.termination), summary.message);
    out_.termination = Termination::stalled;
    return false;
  }
  out_.termination = summary.termination;
  if (!summary.usable()) return false;
  const double objective = problem_.objective(walker_, evaluation_);
  if (objective <= out_.objective) {
    out_.objective = objective;
    out_.gradient_norm = summary.gradient_norm;
    best_ = walker_;
  }
  context_.log.info("{}: objective {}", stage, objective);
  return summary.termination != Termination::cancelled && summary.termination != Termination::time_limit;
}

Summary StagedSolve::finish() {
  out_.best_objective = out_.objective;
  out_.solve_seconds = clock_.seconds() - out_.observe_seconds;
  return std::move(out_);
}

}  // namespace alidade
