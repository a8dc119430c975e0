#include "solvers/compose/each_block.hpp"

#include "problems/core/error.hpp"
#include "problems/faces/blocks.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/recorder.hpp"

namespace alidade {

EachBlockOptions::EachBlockOptions() {
  Table inner;
  inner.set("name", "ceres");
  solver = std::move(inner);
}

const OptionList<EachBlockOptions>& EachBlockOptions::list() {
  static const auto kList =
      OptionList<EachBlockOptions>().nested("solver", &EachBlockOptions::solver, "solver", "solver for each block");
  return kList;
}

EachBlock::EachBlock(const EachBlockOptions& options, SolverLookup known)
    : inner_(make_inner_solver(options.solver, "each_block", known)) {}

Table EachBlock::resolved_options() const {
  Table out;
  out.set("solver", inner_solver_table(*inner_));
  return out;
}

Summary EachBlock::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem adapted = require_fit(*this, problem, x, via);
  const BlocksFace& blocks = adapted.face<BlocksFace>();
  Evaluation evaluation(context.executor);
  const std::uint64_t root = context.rng.next();
  Summary out;
  Recorder recorder(context, out.counts);
  out.via = std::move(via);
  out.counts.starts = 1;
  out.initial_objective = adapted.objective(x, evaluation);
  recorder.record(0, out.initial_objective, kUnknown, std::get_if<Point>(&x));
  double reached = out.initial_objective;
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
    out.counts.add_spent(part.counts);
    ++out.counts.iterations;
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
    recorder.record(out.counts.iterations, reached, kUnknown, std::get_if<Point>(&x));
    context.log.info("block {} of {}: {}", b + 1, count, part.message);
  }
  out.objective = out.best_objective = adapted.objective(x, evaluation);
  if (interrupted) {
    out.termination = *interrupted;
    out.message = fmt::format("{} in block {} of {}", to_string(*interrupted), out.counts.iterations, count);
  } else if (failed > 0) {
    out.termination = failed == count ? last : Termination::stalled;
    out.message = failed == 1 ? trouble : fmt::format("{} of {} blocks failed; {}", failed, count, trouble);
  } else {
    out.termination = unfinished > 0 ? Termination::max_iter : Termination::converged;
    out.message = unfinished > 0 ? fmt::format("{} of {} blocks ended before convergence", unfinished, count)
                                 : fmt::format("all {} blocks converged", count);
  }
  recorder.finish(out);
  return out;
}

SolverEntry each_block_entry(SolverLookup known) {
  return solver_entry<EachBlock, EachBlockOptions>(
      {.name = "each_block",
       .summary = "solves independent blocks, each once, by an inner solver",
       .reference = "one map per aspect"},
      known);
}

}  // namespace alidade
