// Solves each block of a problem once with an inner solver, for blocks that do not interact.
// No block depends on another, so one pass is enough; for example "t-STE for each aspect separately".
// The trace has one record per block; the whole objective follows from the gain of each block.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct EachBlockOptions {
  Value solver;  // of each block: { name = "ceres", ... }
  EachBlockOptions();
  [[nodiscard]] static const OptionList<EachBlockOptions>& list();
};

/// A block whose solve fails keeps its start, and the message names it; if all fail, the whole solve fails. For several
/// starts of a block, set the inner solver's n_init.
class EachBlock final : public Solver {
 public:
  /// `lookup` finds the inner solver.
  /// @throws ConfigError if the catalog does not have the inner solver, or one of its options is wrong.
  EachBlock(const EachBlockOptions& options, SolverLookup lookup);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<BlocksFace, SeparateBlocks>(); }
  [[nodiscard]] std::string_view name() const override { return "each_block"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] ValueTable resolved_options() const override;
  /// @throws UnsupportedPair if the inner solver does not fit a block.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  std::unique_ptr<Solver> inner_;
};

[[nodiscard]] SolverEntry each_block_entry(SolverLookup lookup);

}  // namespace alidade
