#include "solvers/compose/each_block.hpp"

#include "problems/core/error.hpp"
#include "problems/faces/blocks.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/solve_run.hpp"

namespace alidade {

EachBlockOptions::EachBlockOptions() {
  ValueTable inner;
  inner.set("name", "ceres");
  solver = std::move(inner);
}

const OptionList<EachBlockOptions>& EachBlockOptions::list() {
  static const auto kList =
      OptionList<EachBlockOptions>().nested("solver", &EachBlockOptions::solver, "solver", "solver for each block");
  return kList;
}

EachBlock::EachBlock(const EachBlockOptions& options, SolverLookup lookup)
    : inner_(make_inner_solver(options.solver, "each_block", lookup)) {}

ValueTable EachBlock::resolved_options() const {
  ValueTable out;
  out.set("solver", inner_solver_table(*inner_));
  return out;
}

Summary EachBlock::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  SolveRun run(*this, problem, x, context);
  const BlocksFace& blocks = run.problem().face<BlocksFace>();
  const std::uint64_t root = context.rng.next();
  run.begin();
  Counts& counts = run.counts();
  double reached = run.summary().initial_objective;
  Index failed = 0, unfinished = 0;
  std::string trouble;
  Termination last = Termination::converged;
  std::optional<Termination> interrupted;
  const Index count = blocks.block_count();
  for (Index b = 0; b < count && !interrupted; ++b) {
    interrupted = context.interrupted();
    if (interrupted) break;
    SolveContext inner = inner_context(context, Rng::stream(root, "block", b));
    Solution block = blocks.block_of(b, x);
    const Summary part = inner_->solve(blocks.block_problem(b, x), block, inner);
    counts.add_spent(part.counts);
    ++counts.iterations;
    if (part.usable()) {
      blocks.set_block(b, block, x);
      reached += part.objective - part.initial_objective;
      if (part.termination == Termination::cancelled || part.termination == Termination::time_limit)
        interrupted = part.termination;
      else if (part.termination != Termination::converged)
        ++unfinished;
    } else {
      ++failed;
      last = part.termination;
      if (trouble.empty()) trouble = fmt::format("block {} failed ({}): {}", b + 1, to_string(last), part.message);
    }
    run.record(counts.iterations, reached);
    context.log.info("block {} of {}: {}", b + 1, count, part.message);
  }
  run.summary().objective = run.objective(x);
  if (interrupted)
    return run.finish(*interrupted,
                      fmt::format("{} in block {} of {}", to_string(*interrupted), counts.iterations, count));
  if (failed > 0)
    return run.finish(failed == count ? last : Termination::stalled,
                      failed == 1 ? trouble : fmt::format("{} of {} blocks failed; {}", failed, count, trouble));
  if (unfinished > 0)
    return run.finish(Termination::max_iter,
                      fmt::format("{} of {} blocks ended before convergence", unfinished, count));
  return run.finish(Termination::converged, fmt::format("all {} blocks converged", count));
}

SolverEntry each_block_entry(SolverLookup lookup) {
  return solver_entry<EachBlock, EachBlockOptions>(
      {.name = "each_block",
       .summary = "solves independent blocks, each once, by an inner solver",
       .reference = "one map per aspect",
       .description = "Solves blocks that do not interact, each once, by an inner solver.",
       .by_schedule = true},
      lookup);
}

}  // namespace alidade
