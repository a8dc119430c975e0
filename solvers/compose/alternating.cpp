// Block coordinate descent: sweeps over the blocks; an inner solver solves each with the others fixed.
// Bertsekas, "Nonlinear Programming", section 3.7. If the blocks come from the memberships of a mixture, this is
// generalised expectation maximisation (Dempster, Laird & Rubin 1977), which only needs each block's problem to
// improve. Returns the best end of a sweep, because the objective of a problem with heuristic blocks may rise in
// between.
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/blocks.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/counted_problem.hpp"
#include "solvers/contract/option_texts.hpp"
#include "solvers/contract/solve_run.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {
namespace {

struct AlternatingOptions {
  Value solver;  // of each block: { name = "ceres", max_iter = 10 }
  Index max_iter = 100;
  double tolerance = 1e-6;
  Index patience = 1;
  Index n_init = 1;
  AlternatingOptions();
  [[nodiscard]] static const OptionList<AlternatingOptions>& list() {
    using O = AlternatingOptions;
    static const auto kList =
        OptionList<O>()
            .nested("solver", &O::solver, "solver", "solver for each block in each sweep; a few iterations are enough")
            .integer("max_iter", &O::max_iter, at_least(0), "number of sweeps over all blocks")
            .real("tolerance", &O::tolerance, at_least(0),
                  "relative tolerance: a sweep is idle if it does not lower the objective below the "
                  "lowest one by more than this fraction")
            .integer("patience", &O::patience, at_least(1),
                     "number of idle sweeps in a row after which the solver stops")
            .integer("n_init", &O::n_init, at_least(1), kStartsText);
    return kList;
  }
};

class Alternating final : public WithOptions<Alternating, Solver, AlternatingOptions> {
 public:
  static constexpr std::string_view kName = "alternating";
  /// `lookup` finds the inner solver.
  /// @throws ConfigError if the catalog does not have the inner solver, or one of its options is wrong.
  Alternating(AlternatingOptions options, SolverLookup lookup)
      : Alternating(take_inner_solver(options.solver, kName, lookup), options) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<BlocksFace>(); }
  /// One record per sweep. @throws UnsupportedPair if the inner solver does not fit a block.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  Summary solve_one(const Problem& problem, Solution& x, SolveContext& context) const;
  Alternating(std::unique_ptr<Solver> inner, const AlternatingOptions& options)
      : WithOptions(options), inner_(std::move(inner)) {}

  std::unique_ptr<Solver> inner_;
};

AlternatingOptions::AlternatingOptions() {
  ValueTable inner;
  inner.set("name", "ceres");
  inner.set("max_iter", 10);
  solver = std::move(inner);
}

Summary Alternating::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  return best_of_starts(
      *this, problem, x, context, options_.n_init,
      [&](const Problem& adapted, Solution& start, SolveContext& c) { return solve_one(adapted, start, c); });
}

Summary Alternating::solve_one(const Problem& problem, Solution& x, SolveContext& context) const {
  const BlocksFace& blocks = problem.face<BlocksFace>();
  const std::uint64_t root = context.rng.next();
  Solution walker = x;
  SolveRun run(problem, x, context);
  run.begin();
  double& lowest = run.summary().objective;
  Counts& counts = run.counts();
  const Index count = blocks.block_count();
  Index idle = 0;
  const auto finish = [&](Termination termination, std::string message) {
    if (problem.offers().has<SmoothFace>())
      run.summary().gradient_norm = CountedProblem(problem, context, counts).stationarity(std::get<Point>(x));
    return run.finish(termination, std::move(message));
  };
  const auto sweeps = [&] {
    while (counts.iterations < options_.max_iter) {
      std::optional<Termination> interrupted;
      Index moved = 0;
      BlockEnd failed;  // the last of this sweep
      for (Index b = 0; b < count && !interrupted; ++b) {
        interrupted = context.interrupted();
        if (interrupted) break;
        const BlockEnd end =
            solve_block(*inner_, blocks, b, walker, context, Rng::stream(root, counts.iterations, b), counts);
        const Termination how = end.summary.termination;
        if (end.moved) ++moved;
        if (how == Termination::cancelled || how == Termination::time_limit) interrupted = how;
        if (!end.trouble.empty()) failed = end;
      }
      if (moved == 0 && failed.thrown) std::rethrow_exception(failed.thrown);
      if (moved == 0 && !interrupted)
        return finish(counts.iterations == 0 ? failed.summary.termination : Termination::stalled,
                      fmt::format("no block could be solved in sweep {}: {}", counts.iterations + 1, failed.trouble));
      if (moved > 0) {
        ++counts.iterations;
        const double objective = run.objective(walker);
        ++counts.evaluations;
        const bool lower = objective < lowest - options_.tolerance * std::abs(lowest);
        idle = lower ? 0 : idle + 1;
        if (objective <= lowest) {
          lowest = objective;
          x = walker;
        }
        run.recorder().record(counts.iterations, objective, [&] { return walker; });
        context.log.info("sweep {}: objective {}", counts.iterations, objective);
      }
      if (interrupted)
        return finish(*interrupted, fmt::format("{} in sweep {}", to_string(*interrupted), counts.iterations));
      if (idle >= options_.patience && !failed.trouble.empty()) return finish(Termination::stalled, failed.trouble);
      if (idle >= options_.patience)
        return finish(Termination::converged, fmt::format("{} sweeps, the last {} without a relative decrease above {}",
                                                          counts.iterations, idle, options_.tolerance));
    }
    return finish(Termination::max_iter, fmt::format("{} sweeps", options_.max_iter));
  };
  return unless_thrown(sweeps, [&](const std::exception& error) {
    if (!(lowest < run.summary().initial_objective)) throw;
    return run.finish(Termination::stalled, thrown_text(error));
  });
}

}  // namespace

SolverEntry alternating_entry(SolverLookup lookup) {
  return solver_entry<Alternating>(
      {.summary = "solves one block after the other by an inner solver, with the other blocks "
                  "held fixed, in sweeps",
       .reference = "Bertsekas 1999, section 3.7; Dempster, Laird & Rubin 1977",
       .description = "Block coordinate descent: an inner solver improves one block for a few iterations, with the "
                      "others fixed. Stops after `patience` sweeps without a relative decrease; keeps the best."},
      lookup);
}

}  // namespace alidade
