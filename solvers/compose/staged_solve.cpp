#include "solvers/compose/staged_solve.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/error.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/counted_problem.hpp"
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

/// The end alone of a stage of several starts: the trace of its best start does not tell when that start began.
Trace end_of(const Summary& stage) {
  if (stage.trace.empty()) return {};
  TraceRecord end = stage.trace.back();
  end.iteration = stage.counts.iterations;
  end.seconds = stage.solve_seconds;
  const auto amounts = spent(stage.counts);
  for (std::size_t k = 0; k < kSpentNames.size(); ++k) {
    const auto metric = std::ranges::find(end.metrics, kSpentNames[k], &Figures::value_type::first);
    if (metric != end.metrics.end()) metric->second = static_cast<double>(amounts[k]);
  }
  return {std::move(end)};
}

bool same(double a, double b) {
  constexpr double kRounding = 1e-12;
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

}  // namespace

StagedSolve::StagedSolve(const Problem& problem, Solution& x, SolveContext& context)
    : problem_(problem), best_(x), context_(context), evaluation_(context.executor), walker_(x) {
  out_.counts.starts = 1;
  out_.objective = out_.initial_objective = problem.objective(x, evaluation_);
  reached_objective_ = out_.objective;
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
  return unless_thrown([&] { return run_stage(solver, problem, stage); },
                       [&](const std::exception& error) {
                         if (!reached_any_) throw;
                         out_.termination = Termination::stalled;
                         out_.message = fmt::format("{}: {}", stage, thrown_text(error));
                         return false;
                       });
}

bool StagedSolve::run_stage(const Solver& solver, const Problem& problem, const std::string& stage) {
  SolveContext inner = inner_context(context_, Rng(context_.rng.next()));
  std::optional<StageObserver> observer;
  if (context_.observer) inner.observer = &observer.emplace(*context_.observer, out_.counts.iterations);
  const double seconds_before = clock_.seconds() - out_.observe_seconds;
  const Summary summary = solver.solve(problem, walker_, inner);
  const bool first = stages_++ == 0;
  if (first && !summary.trace.empty()) out_.trace.front().metrics = summary.trace.front().metrics;
  const double begun = reached_objective_.value_or(kUnknown);
  const double objective = unless_thrown([&] { return problem_.objective(walker_, evaluation_); },
                                         [&](const std::exception&) {  // it answers no more, but the solver knows
                                           if (&problem != &problem_) throw;
                                           return summary.objective;
                                         });
  const bool same_objective =
      &problem == &problem_ || (same(summary.initial_objective, begun) && same(summary.objective, objective));
  const std::size_t records = out_.trace.size();
  append_trace(summary.counts.starts > 1 ? end_of(summary) : summary.trace, out_.counts, seconds_before, out_.trace);
  if (!same_objective && out_.trace.size() > records) {  // values of another objective are left out
    for (std::size_t k = records; k < out_.trace.size(); ++k)
      out_.trace[k].objective = out_.trace[k].gradient_norm = kUnknown;
    out_.trace.back().objective = objective;
  }
  out_.observe_seconds += summary.observe_seconds;
  out_.counts.iterations += summary.counts.iterations;
  out_.counts.add_spent(summary.counts);
  out_.message = fmt::format("{}: {}", stage, summary.message);
  const bool lower = objective <= out_.objective;
  if (lower) {
    out_.objective = objective;
    out_.gradient_norm = summary.gradient_norm;
    gradient_of_stage_ = !same_objective;
    best_ = walker_;
  }
  if (!summary.usable() && reached_any_) {
    out_.message = fmt::format("{} failed ({}); the solution reached before it is kept: {}", stage,
                               to_string(summary.termination), summary.message);
    out_.termination = Termination::stalled;
    return false;
  }
  out_.termination = summary.termination;
  if (!summary.usable()) return false;
  reached_any_ = true;
  reached_objective_ = objective;
  if (!lower && out_.termination == Termination::converged) {
    out_.termination = Termination::stalled;
    out_.message += fmt::format("; but an earlier point is kept, since its objective is lower: {:.6g} < {:.6g}",
                                out_.objective, objective);
  }
  context_.log.info("{}: objective {}", stage, objective);
  return summary.termination != Termination::cancelled && summary.termination != Termination::time_limit;
}

Summary StagedSolve::finish() {
  if (gradient_of_stage_) {
    const auto* const point = std::get_if<Point>(&best_);
    const auto stationarity = [&] { return CountedProblem(problem_, context_, out_.counts).stationarity(*point); };
    out_.gradient_norm = point ? unless_thrown(stationarity, [](const auto&) { return kUnknown; }) : kUnknown;
  }
  out_.best_objective = out_.objective;
  out_.solve_seconds = clock_.seconds() - out_.observe_seconds;
  return std::move(out_);
}

}  // namespace alidade
