// Programs over squared distances by a factor of few columns, G = U U' (Burer & Monteiro 2003), for n in the thousands.
// Augmented Lagrangian (Bertsekas 1982) over a working set of rows from the program's oracle. Inner problems are solved
// by truncated Newton steps (factor_newton.hpp); radii are eliminated exactly. The problem in U is not convex. Its
// solution is optimal for the semidefinite program if its multipliers prove a lower bound that meets it; the summary
// says whether they do. A factor whose columns are all in use gets more: with some to spare, Newton steps leave other
// stationary points.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct LowRankOptions {
  Index rank = 8;
  Index max_rank = 0;       // answers of people, which contradict each other, need as many as they have objects
  double tolerance = 1e-6;  // largest violation <= tolerance and (objective - bound) / |objective| <= tolerance
  Index max_iter = 100;
  Index rows_per_side = 3;
  Index smoothing = 100;  // U <- U - L U / the largest degree, L the Laplacian of positive weights; |U| is kept
  double penalty = 3;     // psi(c) = max over y of y c - (y - y_k)^2 / (2 rho), see distance_lagrangian.hpp
  double max_penalty = 2e4;
  double penalty_growth = 3;  // rho <- penalty_growth rho where violations fall to above a quarter of the last ones
  Value fallback = "cutting_plane";
  Index fallback_order = 400;
  [[nodiscard]] static const OptionList<LowRankOptions>& list();
};

/// Starts from the factor in x, with short random columns added up to `rank` or reduced to the leading axes. Leaves in
/// x the factor, the multipliers of the working rows and the ids of these rows. Dense blocks are factored first.
///
/// Terminations: converged (rows violated by at most `tolerance` for a mean squared distance of 2, and the proven gap
/// at most `tolerance` relative to the objective); stalled and max_iter (the message says which of the two is missing
/// and by how much; x is usable, the certificate holds); time_limit, cancelled (x of the iteration before); diverged.
/// If the solution is not proven after max_iter rounds, `fallback` continues from x and its rows, for programs of order
/// at most `fallback_order` of which one step of interior points takes no more than some seconds. The better proven of
/// both is kept; if it is the fallback's, `via` names it. If the program's optimum is 0 and a map at one point attains
/// it, x is the zero factor: all objects coincide.
class LowRank final : public Solver {
 public:
  /// `lookup` finds the inner solvers. @throws ConfigError
  LowRank(const LowRankOptions& options, SolverLookup lookup);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SeparationFace>(); }
  [[nodiscard]] std::string_view name() const override { return "low_rank"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] ValueTable resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  LowRankOptions options_;
  std::unique_ptr<Solver> fallback_;  // null: none
};

}  // namespace alidade
