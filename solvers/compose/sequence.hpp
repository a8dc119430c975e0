// Sequence: runs solvers one after another on the same problem, each from the end of the one before.
// Cheap noisy steps find the right valley, exact ones its bottom: L. Bottou, "Large-scale machine learning with
// stochastic gradient descent" (2010), section 4, on hybrids of stochastic and batch steps.
// The trace covers all parts. Returns the best end of a part by the objective.
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
  /// `lookup` finds the inner solvers.
  /// @throws ConfigError unless at least two solvers of the catalog are listed, with valid options.
  Sequence(const SequenceOptions& options, SolverLookup lookup);

  /// The needs of the default parts, riemannian_sgd and ceres.
  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<FiniteSumFace, SmoothFace, Borderless>(); }
  [[nodiscard]] std::string_view name() const override { return "sequence"; }
  /// The union of the needs of its parts.
  [[nodiscard]] CapabilitySet needs() const override;
  [[nodiscard]] ValueTable resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  Index n_init_;
  std::vector<std::unique_ptr<Solver>> parts_;
};

[[nodiscard]] SolverEntry sequence_entry(SolverLookup lookup);

}  // namespace alidade
