// Convex programs over a Gram matrix (problems/programs/gram_program.hpp) by a factor X = YY' that widens until a dual
// bound proves that no psd matrix of any rank is better (Burer & Monteiro 2003).
// L-BFGS on Y; the certificate's eigenvectors above lambda, as many as Y has columns, become new columns; truncated
// Newton steps for the last digits, which the bound needs, since its error is first order and the objective's second.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct WideningFactorOptions {
  double tolerance = 1e-6;  // objective - bound <= tolerance |objective|
  Index max_iter = 60;
  Index descent_iter = 1000;
  double least_width = 1e-8;
  [[nodiscard]] static const OptionList<WideningFactorOptions>& list();
};

/// Starts from the factor in x (dense blocks are factored first). Leaves in x the factor along its principal axes, and
/// the dual point of the best bound as multipliers. A loss with corners is rounded over a width that falls from 1;
/// objective and bound are those of the loss itself.
///
/// Terminations: converged (the objective is within `tolerance` of itself of the proven bound); reduced_accuracy and
/// max_iter (the message says how near they are; x is usable, the certificate holds); time_limit, cancelled; diverged;
/// backend_failure (a bound was above the objective, so that the program contradicts itself; there is no certificate).
class WideningFactor final : public WithOptions<WideningFactor, Solver, WideningFactorOptions> {
 public:
  static constexpr std::string_view kName = "widening_factor";
  explicit WideningFactor(WideningFactorOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<GramFace>(); }
  /// @throws DataError unless x is a block of the program's order
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;
};

}  // namespace alidade
