// Sequence: solvers run one after another on the same problem, each from where the one before ended.
// Cheap noisy steps to the right valley, then exact ones to its bottom: L. Bottou, "Large-scale machine learning with
// stochastic gradient descent" (2010), section 4, on hybrids of stochastic and batch steps.
// The trace runs through all parts; kept and returned is the best end of a part by the objective.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct SequenceOptions {
  Value solvers;  // [ { name = "riemannian_sgd", ... }, { name = "ceres", ... } ], two or more
  Index n_init = 1;
  SequenceOptions();
  [[nodiscard]] static const OptionList<SequenceOptions>& list();
};

class Sequence final : public Solver {
 public:
  /// @throws ConfigError unless two or more solvers of the catalog are listed, with options they have.
  /// `known` finds the inner solvers. @throws ConfigError
  Sequence(const SequenceOptions& options, SolverLookup known);

  /// Of the default parts, riemannian_sgd and ceres.
  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<FiniteSumFace, SmoothFace, Borderless>(); }
  [[nodiscard]] std::string_view name() const override { return "sequence"; }
  /// All that any of the parts needs.
  [[nodiscard]] CapabilitySet needs() const override;
  [[nodiscard]] Table resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  Index n_init_;
  std::vector<std::unique_ptr<Solver>> parts_;
};

[[nodiscard]] SolverEntry sequence_entry(SolverLookup known);

}  // namespace alidade
