// Block coordinate descent: one block after the other by an inner solver, the others held, in sweeps.
// Bertsekas, "Nonlinear Programming", section 3.7; with the memberships of a mixture behind the blocks it is
// generalised expectation maximisation (Dempster, Laird & Rubin 1977), which needs only that a block's problem is
// improved. Kept and returned is the best end of a sweep: a problem whose blocks follow a rule of thumb may rise in
// between.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct AlternatingOptions {
  Value solver;  // of a block: { name = "ceres", max_iter = 10 }
  Index max_iter = 100;
  double tolerance = 1e-6;
  Index patience = 1;
  Index n_init = 1;
  AlternatingOptions();
  [[nodiscard]] static const OptionList<AlternatingOptions>& list();
};

class Alternating final : public Solver {
 public:
  /// @throws ConfigError if the inner solver is not one of the catalog, or an option of it is wrong.
  /// `known` finds the inner solvers. @throws ConfigError
  Alternating(const AlternatingOptions& options, SolverLookup known);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<BlocksFace>(); }
  [[nodiscard]] std::string_view name() const override { return "alternating"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override;
  /// One record a sweep. @throws UnsupportedPair if a block is nothing for the inner solver.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  Summary solve_one(const Problem& problem, Solution& x, SolveContext& context) const;
  AlternatingOptions options_;
  std::unique_ptr<Solver> inner_;
};

[[nodiscard]] SolverEntry alternating_entry(SolverLookup known);

}  // namespace alidade
