// Continuation: follows the path of easier problems to a problem; solves each from the solution of the one before.
// [AG90] Allgower & Georg, "Numerical continuation methods"; graduated optimisation (Blake & Zisserman 1987).
// The trace covers all stages; easier ones have an objective, the problem's own, only at their ends. Returns the best
// solution by the objective of the problem itself.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct ContinuationOptions {
  Value solver;        // of each stage: { name = "ceres", ... }
  Value last_solver;   // of the last stage; null: `solver`
  Index n_stages = 0;  // 0: the problem's own path
  Index n_init = 1;
  ContinuationOptions();
  [[nodiscard]] static const OptionList<ContinuationOptions>& list();
};

class Continuation final : public Solver {
 public:
  /// `lookup` finds the inner solvers.
  /// @throws ConfigError if the catalog does not have an inner solver, or one of its options is wrong.
  Continuation(const ContinuationOptions& options, SolverLookup lookup);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<StagesFace>(); }
  [[nodiscard]] std::string_view name() const override { return "continuation"; }
  [[nodiscard]] CapabilitySet needs() const override;
  [[nodiscard]] ValueTable resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  Summary solve_one(const Problem& problem, Solution& x, SolveContext& context) const;
  Index n_stages_;
  Index n_init_;
  std::unique_ptr<Solver> inner_;
  std::unique_ptr<Solver> last_;  // null: inner_
};

[[nodiscard]] SolverEntry continuation_entry(SolverLookup lookup);

}  // namespace alidade
