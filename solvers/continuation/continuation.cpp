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

Summary Continuation::solve_one(const Problem& problem, Solution& x, SolveContext& context) const {
  const StagesFace& path = problem.stages();
  Recorder recorder(context);
  Evaluation evaluation(context.executor);
  Summary out;
  out.counts.starts = 1;
  out.objective = out.initial_objective = problem.objective(x, evaluation);
  recorder.record(0, out.objective, kUnknown, std::get_if<Point>(&x));
  Solution walker = x;
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
    const Summary stage = inner_->solve(path.stage(k, walker), walker, inner_context);
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
    recorder.record(out.counts.iterations, objective, stage.gradient_norm, std::get_if<Point>(&walker));
    context.log.info("stage {} of {}: objective {}", k + 1, stages, objective);
    if (!stage.usable() || stage.termination == Termination::cancelled ||
        stage.termination == Termination::time_limit)
      break;
  }
  out.best_objective = out.objective;
  recorder.finish(out);
  return out;
}

}  // namespace alidade
