#include "solvers/compose/alternating.hpp"

#include "problems/core/error.hpp"
#include "problems/faces/blocks.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/counted_problem.hpp"
#include "solvers/contract/recorder.hpp"

namespace alidade {

AlternatingOptions::AlternatingOptions() {
  Table inner;
  inner.set("name", "ceres");
  inner.set("max_iter", 10);
  solver = std::move(inner);
}

const OptionList<AlternatingOptions>& AlternatingOptions::list() {
  using O = AlternatingOptions;
  static const auto kList =
      OptionList<O>()
          .nested("solver", &O::solver, "solver", "solver for each block in each sweep; a few iterations are enough")
          .integer("max_iter", &O::max_iter, at_least(0), "number of sweeps over all blocks")
          .real("tolerance", &O::tolerance, at_least(0),
                "relative tolerance: a sweep is idle if it does not lower the objective below the "
                "lowest one by more than this fraction")
          .integer("patience", &O::patience, at_least(1), "number of idle sweeps in a row after which the solver stops")
          .integer("n_init", &O::n_init, at_least(1), "number of starts; the lowest objective is kept");
  return kList;
}

Alternating::Alternating(const AlternatingOptions& options, SolverLookup known)
    : options_(AlternatingOptions::list().checked(options, "solver 'alternating'")),
      inner_(make_inner_solver(options.solver, "alternating", known)) {}

Table Alternating::resolved_options() const {
  Table out = AlternatingOptions::list().resolve(options_);
  out.set("solver", inner_solver_table(*inner_));
  return out;
}

Summary Alternating::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem adapted = require_fit(*this, problem, x, via);
  Summary out = best_of_starts(adapted, x, context, options_.n_init,
                               [&](Solution& start, SolveContext& c) { return solve_one(adapted, start, c); });
  out.via = std::move(via);
  return out;
}

Summary Alternating::solve_one(const Problem& problem, Solution& x, SolveContext& context) const {
  const BlocksFace& blocks = problem.face<BlocksFace>();
  Evaluation evaluation(context.executor);
  const std::uint64_t root = context.rng.next();
  Solution walker = x;
  Summary out;
  Recorder recorder(context, out.counts);
  out.counts.starts = 1;
  out.objective = out.initial_objective = problem.objective(x, evaluation);
  recorder.record(0, out.objective, kUnknown, std::get_if<Point>(&walker));
  const Index count = blocks.block_count();
  Index idle = 0;
  const auto end = [&](Termination termination, std::string message) {
    out.termination = termination;
    out.message = std::move(message);
  };
  end(Termination::max_iter, fmt::format("{} sweeps", options_.max_iter));
  while (out.counts.iterations < options_.max_iter) {
    std::optional<Termination> interrupted;
    Index moved = 0;
    std::string trouble;
    Termination failure = Termination::stalled;
    for (Index b = 0; b < count && !interrupted; ++b) {
      interrupted = context.interrupted();
      if (interrupted) break;
      SolveContext inner = inner_context(context, Rng::stream(root, out.counts.iterations, b));
      Solution block = blocks.block_of(b, walker);
      const Summary part = inner_->solve(blocks.block_problem(b, walker), block, inner);
      out.counts.add_spent(part.counts);
      if (part.usable()) {
        blocks.set_block(b, block, walker);
        ++moved;
        if (part.termination == Termination::cancelled || part.termination == Termination::time_limit)
          interrupted = part.termination;
      } else {
        failure = part.termination;
        trouble = part.message;
      }
    }
    if (moved == 0 && !interrupted) {
      end(out.counts.iterations == 0 ? failure : Termination::stalled,
          fmt::format("no block could be solved in sweep {}: {}", out.counts.iterations + 1, trouble));
      break;
    }
    if (moved > 0) {
      ++out.counts.iterations;
      const double objective = problem.objective(walker, evaluation);
      ++out.counts.evaluations;
      const bool lower = objective < out.objective - options_.tolerance * std::abs(out.objective);
      idle = lower ? 0 : idle + 1;
      if (objective <= out.objective) {
        out.objective = objective;
        x = walker;
      }
      recorder.record(out.counts.iterations, objective, kUnknown, std::get_if<Point>(&walker));
      context.log.info("sweep {}: objective {}", out.counts.iterations, objective);
    }
    if (interrupted) {
      end(*interrupted, fmt::format("{} in sweep {}", to_string(*interrupted), out.counts.iterations));
      break;
    }
    if (idle >= options_.patience) {
      end(Termination::converged, fmt::format("{} sweeps, the last {} without a relative decrease above {}",
                                              out.counts.iterations, idle, options_.tolerance));
      break;
    }
  }
  if (problem.offers().has<SmoothFace>())
    out.gradient_norm = CountedProblem(problem, context, out.counts).stationarity(std::get<Point>(x));
  out.best_objective = out.objective;
  recorder.finish(out);
  return out;
}

SolverEntry alternating_entry(SolverLookup known) {
  return solver_entry<Alternating, AlternatingOptions>(
      {.name = "alternating",
       .summary = "solves one block after the other by an inner solver, with the other blocks "
                  "held fixed, in sweeps",
       .reference = "Bertsekas 1999, section 3.7; Dempster, Laird & Rubin 1977"},
      known);
}

}  // namespace alidade
