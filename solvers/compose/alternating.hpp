// Block coordinate descent: sweeps over the blocks; an inner solver solves each with the others fixed.
// Bertsekas, "Nonlinear Programming", section 3.7. If the blocks come from the memberships of a mixture, this is
// generalised expectation maximisation (Dempster, Laird & Rubin 1977), which only needs each block's problem to
// improve. Returns the best end of a sweep, because the objective of a problem with heuristic blocks may rise in
// between.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct AlternatingOptions {
  Value solver;  // of each block: { name = "ceres", max_iter = 10 }
  Index max_iter = 100;
  double tolerance = 1e-6;
  Index patience = 1;
  Index n_init = 1;
  AlternatingOptions();
  [[nodiscard]] static const OptionList<AlternatingOptions>& list();
};

class Alternating final : public Solver {
 public:
  /// `lookup` finds the inner solver.
  /// @throws ConfigError if the catalog does not have the inner solver, or one of its options is wrong.
  Alternating(const AlternatingOptions& options, SolverLookup lookup);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<BlocksFace>(); }
  [[nodiscard]] std::string_view name() const override { return "alternating"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] ValueTable resolved_options() const override;
  /// One record per sweep. @throws UnsupportedPair if the inner solver does not fit a block.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  Summary solve_one(const Problem& problem, Solution& x, SolveContext& context) const;
  AlternatingOptions options_;
  std::unique_ptr<Solver> inner_;
};

[[nodiscard]] SolverEntry alternating_entry(SolverLookup lookup);

}  // namespace alidade
