// Cutting planes for semidefinite programs with a separation oracle: solve with some rows, ask for violated rows, add
// the worst, drop inactive ones, and repeat, each round from the last solution. Kelley 1960; Helmberg & Rendl 1998
// (rows of a semidefinite program added and dropped); [GR07] section 3.1 drops none. Every round proves bounds for all
// rows, since the multipliers of the rows in use are also multipliers of the whole program.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct CuttingPlaneOptions {
  Value solver;                   // for the program of each round
  Index first_rows = 1;           // for each object and side
  Index budget = 2;               // rows added per round, for each object and side
  bool drop = true;               // rows with y < 1e-6 max y and |slack| > 1e-3 (of a mean d2 of 2) two rounds running
  bool warm_start = true;         // each round from X, y and Z of the round before
  double early_tolerance = 1e-3;  // of the inner solver, while violated rows are still found
  double tolerance = 1e-8;        // (objective - proven bound) / |objective|
  double violation = 1e-6;        // allowed violation of rows, for a mean d2 of 2
  Index max_iter = 50;            // rounds
  CuttingPlaneOptions();
  [[nodiscard]] static const OptionList<CuttingPlaneOptions>& list();
};

/// Leaves in x a solution with the rows it was found with and their multipliers; starts from the rows and multipliers
/// in x. An iteration is a round. Its record has the figures `rows` (in the program of the round), `violated_rows` and
/// `violated_objects` (of all rows, after it), `violation` (the largest) and `lower_bound` (the best proven so far).
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
  /// `known` finds the inner solver.
  /// @throws ConfigError unless `solver` is a solver of the catalog for semidefinite programs
  CuttingPlane(const CuttingPlaneOptions& options, SolverLookup known);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SeparationFace>(); }
  [[nodiscard]] std::string_view name() const override { return "cutting_plane"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  CuttingPlaneOptions options_;
  Table table_;                                 // the inner solver as requested
  std::vector<std::unique_ptr<Solver>> inner_;  // by decreasing tolerance: early ones, the requested one, two tighter
};

[[nodiscard]] SolverEntry cutting_plane_entry(SolverLookup known);

}  // namespace alidade
