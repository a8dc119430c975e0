// Programs over squared distances with one distance a row, as unfolding has, by a primal-dual interior point method
// (rank_one_program.hpp). Every multiplier that it meets leaves the slack positive definite, so each proves a bound.
// Memory and time grow with the square and the cube of the rows: for up to some thousands.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct InteriorPointOptions {
  double tolerance = 1e-6;  // (objective - bound) / |objective| <= tolerance
  Index max_iter = 60;
  Index most_rows = 3500;
  Value otherwise = "low_rank";
  [[nodiscard]] static const OptionList<InteriorPointOptions>& list();
};

/// Leaves in x the factor of G, or of M on the program's basis, and the multipliers of all rows. Does not look at the
/// values in x. Programs of another form, where a row has several distances, a radius or a slack, or the cost is not a
/// negative multiple of the trace, and those of more than `most_rows` rows are solved by `otherwise`, which the message
/// names.
///
/// Terminations: converged (the certificate's gap is at most `tolerance`, and the rows hold as the problem restores or
/// shrinks G); reduced_accuracy (rounding ends it before); max_iter; time_limit and cancelled (x is the last iterate).
class InteriorPoint final : public Solver {
 public:
  /// `lookup` finds the inner solver. @throws ConfigError
  InteriorPoint(const InteriorPointOptions& options, SolverLookup lookup);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SeparationFace>(); }
  [[nodiscard]] std::string_view name() const override { return "interior_point"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] ValueTable resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  InteriorPointOptions options_;
  std::unique_ptr<Solver> otherwise_;
};

[[nodiscard]] SolverEntry interior_point_entry(SolverLookup lookup);

}  // namespace alidade
