// Cutting planes for semidefinite programs whose rows are found by an oracle: solve with some rows, look for violated
// ones among all, add the worst, drop those that play no part, and again, each time from the last answer. Kelley 1960;
// Helmberg & Rendl 1998 (rows of a semidefinite program added and dropped); [GR07] section 3.1 does without. Every
// round proves bounds for all rows: the multipliers of the rows in use are ones of the whole program.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct CuttingPlaneOptions {
  Value solver;                   // of the program of a round
  Index first_rows = 1;           // for each object and side
  Index budget = 2;               // rows added a round, for each object and side
  bool drop = true;               // rows with y < 1e-6 max y and |slack| > 1e-3 (of a mean d2 of 2) two rounds running
  bool warm_start = true;         // each round from X, y and Z of the round before
  double early_tolerance = 1e-3;  // of the inner solver, while rows are still being found
  double tolerance = 1e-8;        // (objective - proven bound) / |objective|
  double violation = 1e-6;        // by which rows may be violated, where the mean d2 is 2
  Index max_iter = 50;            // rounds
  CuttingPlaneOptions();
  [[nodiscard]] static const OptionList<CuttingPlaneOptions>& list();
};

/// Leaves a solution with the rows it was found with and their multipliers in x, and begins with rows and multipliers
/// that x has. An iteration is a round; its record has the figures `rows` (in the program of the round),
/// `violated_rows` and `violated_objects` (of all rows, after it), `violation` (the largest), `lower_bound` (the best
/// proven so far). Rounds are solved to `early_tolerance` until no row is violated or a round does little, then more
/// exactly in a step or two to the inner solver's own tolerance, and where the gap stays open all the same, to a tenth
/// and a hundredth of that.
///
/// Terminations: converged with violation <= `violation` and the proven gap <= `tolerance`, or with an optimum of 0
/// proven to 1e-6 of the cost's scale (the points collapse); reduced_accuracy (no row is left to add, the gap says what
/// the answer is worth); max_iter; time_limit and cancelled, also in mid-round, with the answer of the round before;
/// stalled (the inner solver failed in a later round); infeasible and backend_failure as the inner solver ended in the
/// first round (x unchanged).
class CuttingPlane final : public Solver {
 public:
  /// @throws ConfigError unless `solver` is one of the catalog's that solves semidefinite programs
  /// `known` finds the inner solvers. @throws ConfigError
  CuttingPlane(const CuttingPlaneOptions& options, SolverLookup known);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SeparationFace>(); }
  [[nodiscard]] std::string_view name() const override { return "cutting_plane"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  CuttingPlaneOptions options_;
  Table table_;                                 // the inner solver as asked for
  std::vector<std::unique_ptr<Solver>> inner_;  // by falling tolerance: early ones, the one asked for, two beyond
};

[[nodiscard]] SolverEntry cutting_plane_entry(SolverLookup known);

}  // namespace alidade
