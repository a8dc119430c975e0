// Solves each block of a problem once with an inner solver, for blocks that do not interact.
// No block depends on another, so one pass is enough; for example "t-STE for each aspect separately".
// The trace has one record per block; the whole objective follows from the gain of each block.
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/blocks.hpp"
#include "solvers/compose/inner_solver.hpp"
#include "solvers/contract/solve_run.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {
namespace {

struct EachBlockOptions {
  Value solver;  // of each block: { name = "ceres", ... }
  EachBlockOptions();
  [[nodiscard]] static const OptionList<EachBlockOptions>& list() {
    static const auto kList =
        OptionList<EachBlockOptions>().nested("solver", &EachBlockOptions::solver, "solver", "solver for each block");
    return kList;
  }
};

/// A block whose solve fails keeps its start, or the lower point that it reached, and the message names it. If all
/// fail, the whole solve fails. For several starts of a block, set the inner solver's n_init.
class EachBlock final : public WithOptions<EachBlock, Solver, EachBlockOptions> {
 public:
  static constexpr std::string_view kName = "each_block";
  /// `lookup` finds the inner solver.
  /// @throws ConfigError if the catalog does not have the inner solver, or one of its options is wrong.
  EachBlock(EachBlockOptions options, SolverLookup lookup)
      : EachBlock(take_inner_solver(options.solver, kName, lookup), options) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<BlocksFace, SeparateBlocks>(); }
  /// @throws UnsupportedPair if the inner solver does not fit a block.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  EachBlock(std::unique_ptr<Solver> inner, const EachBlockOptions& options)
      : WithOptions(options), inner_(std::move(inner)) {}

  std::unique_ptr<Solver> inner_;
};

EachBlockOptions::EachBlockOptions() {
  ValueTable inner;
  inner.set("name", "ceres");
  solver = std::move(inner);
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
    const BlockEnd end = solve_block(*inner_, blocks, b, x, context, Rng::stream(root, "block", b), counts);
    const Summary& part = end.summary;
    ++counts.iterations;
    if (end.moved) reached += part.objective - part.initial_objective;
    if (!end.trouble.empty()) {
      if (++failed == count && end.thrown) std::rethrow_exception(end.thrown);
      last = part.termination;
      if (trouble.empty()) trouble = end.trouble;
    } else if (part.termination == Termination::cancelled || part.termination == Termination::time_limit) {
      interrupted = part.termination;
    } else if (part.termination != Termination::converged) {
      ++unfinished;
    }
    run.record(counts.iterations, reached);
    context.log.info("block {} of {}: {}", b + 1, count, part.message);
  }
  run.summary().objective = unless_thrown([&] { return run.objective(x); }, [&](const auto&) { return reached; });
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

}  // namespace

SolverEntry each_block_entry(SolverLookup lookup) {
  return solver_entry<EachBlock>({.summary = "solves independent blocks, each once, by an inner solver",
                                  .reference = "one map per aspect",
                                  .description = "Solves blocks that do not interact, each once, by an inner solver.",
                                  .by_schedule = true},
                                 lookup);
}

}  // namespace alidade
