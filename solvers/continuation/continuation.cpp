#include "solvers/continuation/continuation.hpp"

#include "problems/core/error.hpp"
#include "solvers/inner_solver.hpp"

namespace alidade {

ContinuationOptions::ContinuationOptions() {
  Table inner;
  inner.set("name", "ceres");
  solver = std::move(inner);
}

const OptionList<ContinuationOptions>& ContinuationOptions::list() {
  static const auto kList =
      OptionList<ContinuationOptions>()
          .nested("solver", &ContinuationOptions::solver, "solver", "solver of each stage")
          .integer("n_init", &ContinuationOptions::n_init, at_least(1),
                   "starts; the lowest objective is kept");
  return kList;
}

Continuation::Continuation(const ContinuationOptions& options)
    : n_init_(options.n_init), inner_(make_inner_solver(options.solver, "continuation")) {}

Table Continuation::resolved_options() const {
  Table out;
  out.set("solver", inner_solver_table(*inner_));
  out.set("n_init", static_cast<std::int64_t>(n_init_));
  return out;
}

Summary Continuation::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem adapted = require_fit(*this, problem, via);
  Summary out = best_of_starts(adapted, x, context, n_init_, [&](Solution& start, SolveContext& c) {
    return solve_one(adapted, start, c);
  });
  out.via = std::move(via);
  return out;
}

namespace {

/// Shows the iterates of a stage under the numbers they have on the whole path.
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

/// Appends a stage's trace, numbered and timed from the beginning of the path.
void append(const Trace& stage, Index before, double seconds_before, Trace& out) {
  for (const TraceRecord& record : stage) {
    if (record.iteration == 0) continue;  // the end of the stage before
    out.push_back(record);
    out.back().iteration += before;
    out.back().seconds += seconds_before;
  }
}

}  // namespace

Summary Continuation::solve_one(const Problem& problem, Solution& x, SolveContext& context) const {
  const StagesFace& path = problem.stages();
  Stopwatch clock;
  Evaluation evaluation(context.executor);
  Summary out;
  out.counts.starts = 1;
  out.objective = out.initial_objective = problem.objective(x, evaluation);
  Solution walker = x;
  Trace trace = {{0, clock.seconds(), out.objective, kUnknown, {}}};
  const Index stages = path.stage_count();
  for (Index k = 0; k < stages; ++k) {
    if (const auto interrupted = context.interrupted()) {
      out.termination = *interrupted;
      out.message = fmt::format("{} before stage {} of {}", to_string(*interrupted), k + 1, stages);
      break;
    }
    SolveContext inner_context(context.executor);
    inner_context.rng = Rng(context.rng.next());
    inner_context.stop = context.stop;
    inner_context.deadline = context.deadline;
    inner_context.log = context.log;
    std::optional<StageObserver> observer;
    if (context.observer) inner_context.observer = &observer.emplace(*context.observer, out.counts.iterations);
    const double seconds_before = clock.seconds() - out.observe_seconds;
    const Summary stage = inner_->solve(path.stage(k, walker), walker, inner_context);
    if (k == 0 && !stage.trace.empty()) trace.front().metrics = stage.trace.front().metrics;
    append(stage.trace, out.counts.iterations, seconds_before, trace);
    out.observe_seconds += stage.observe_seconds;
    out.counts.iterations += stage.counts.iterations;
    out.counts.evaluations += stage.counts.evaluations;
    out.counts.terms += stage.counts.terms;
    out.termination = stage.termination;
    out.gradient_norm = stage.gradient_norm;
    out.message = fmt::format("stage {} of {}: {}", k + 1, stages, stage.message);
    const double objective = problem.objective(walker, evaluation);
    if (objective <= out.objective) {
      out.objective = objective;
      x = walker;
    }
    context.log.info("stage {} of {}: objective {}", k + 1, stages, objective);
    if (!stage.usable() || stage.termination == Termination::cancelled ||
        stage.termination == Termination::time_limit)
      break;
  }
  out.best_objective = out.objective;
  out.solve_seconds = clock.seconds() - out.observe_seconds;
  out.trace = std::move(trace);
  return out;
}

}  // namespace alidade
