// Cutting planes for semidefinite programs with a separation oracle: solve with some rows, ask for violated rows, add
// the worst, drop inactive ones, and repeat, each round from the last solution. Kelley 1960; Helmberg & Rendl 1998
// (rows of a semidefinite program added and dropped); [GR07] section 3.1 drops none. Every round proves bounds for all
// rows, since the multipliers of the rows in use are also multipliers of the whole program.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct CuttingPlaneOptions {
  Value solver;
  Index first_rows = 1;
  Index budget = 2;
  bool drop = true;  // |slack| > 1e-3 at a mean squared distance of 2, and y < max(1e-6, 1e-2 |slack|) max y
  bool warm_start = true;
  double early_tolerance = 1e-3;
  double tolerance = 1e-8;  // (objective - bound) / |objective| <= tolerance
  double violation = 1e-6;
  Index max_iter = 50;
  CuttingPlaneOptions();
  [[nodiscard]] static const OptionList<CuttingPlaneOptions>& list();
};

/// Leaves in x a solution with the rows it was found with and their multipliers; starts from the rows and multipliers
/// in x. An iteration is a round. Its record has the figures `rows` (in the program of the round), `violated_rows` and
/// `violated_objects` (of all rows, after it), `violation` (the largest), `lower_bound` (the best proven so far),
/// `price` (of the violations, certificate.md) and `violated_unused` (of the rows that its program did not have; others
/// may pay a slack). Where no more digits come, the round nearest to its bounds is returned.
/// Rounds are solved to `early_tolerance` until no row is violated or a round improves little; then, in one or two
/// steps, to the inner solver's own tolerance; and if the gap is still open, to a tenth and a hundredth of that.
///
/// Terminations: converged with violation <= `violation` and the proven gap <= `tolerance`, or with an optimum of 0
/// proven to 1e-6 of the cost's scale (the points collapse); reduced_accuracy (no row is left to add; the gap says how
/// good the solution is); max_iter; time_limit and cancelled, also within a round, with the solution of the round
/// before; stalled (the inner solver failed in a later round); infeasible and backend_failure as the inner solver ended
/// in the first round (x unchanged).
class CuttingPlane final : public Solver {
 public:
  /// `lookup` finds the inner solver.
  /// @throws ConfigError unless `solver` is a solver of the catalog for semidefinite programs
  CuttingPlane(const CuttingPlaneOptions& options, SolverLookup lookup);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SeparationFace>(); }
  [[nodiscard]] std::string_view name() const override { return "cutting_plane"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] ValueTable resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  CuttingPlaneOptions options_;
  ValueTable table_;                            // the inner solver as requested
  std::vector<std::unique_ptr<Solver>> inner_;  // by decreasing tolerance: early ones, the requested one, two tighter
};

[[nodiscard]] SolverEntry cutting_plane_entry(SolverLookup lookup);

}  // namespace alidade
