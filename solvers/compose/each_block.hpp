// A problem that falls into problems which do not interact, each solved once by an inner solver.
// Nothing of a block enters another, so one pass is enough: "t-STE of every aspect by itself" is solved so.
// The trace has one record a block; the objective of the whole follows from what each block gained.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct EachBlockOptions {
  Value solver;  // of each block: { name = "ceres", ... }
  EachBlockOptions();
  [[nodiscard]] static const OptionList<EachBlockOptions>& list();
};

/// A block whose solve fails keeps its start, and the message says which; if all fail, so does the whole. Several
/// starts of a block are the inner solver's own n_init.
class EachBlock final : public Solver {
 public:
  /// @throws ConfigError if the inner solver is not one of the catalog, or an option of it is wrong.
  /// `known` finds the inner solvers. @throws ConfigError
  EachBlock(const EachBlockOptions& options, SolverLookup known);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<BlocksFace, SeparateBlocks>(); }
  [[nodiscard]] std::string_view name() const override { return "each_block"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override;
  /// @throws UnsupportedPair if a block is nothing for the inner solver.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  std::unique_ptr<Solver> inner_;
};

[[nodiscard]] SolverEntry each_block_entry(SolverLookup known);

}  // namespace alidade
