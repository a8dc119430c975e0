// Programs over squared distances by a factor of few columns, G = U U' (Burer & Monteiro 2003), for n in the thousands.
// Augmented Lagrangian (Bertsekas 1982) over a working set that the program's oracle feeds, its inner problems solved
// by truncated Newton steps (factor_newton.hpp), the radii eliminated exactly. The problem in U is not convex; the
// answer is the semidefinite program's all the same when its multipliers prove a lower bound that meets it, and the
// summary says whether they do. A bottom eigenvector of the certificate leads out of other stationary points, and
// raises the rank.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct LowRankOptions {
  Index rank = 8;
  Index max_rank = 40;
  double tolerance = 1e-6;
  Index max_iter = 100;
  Index rows_per_side = 3;
  Index smoothing = 100;
  double penalty = 3;
  double max_penalty = 2e4;
  double penalty_growth = 3;
  Value fallback = "cutting_plane";
  Index fallback_order = 400;
  [[nodiscard]] static const OptionList<LowRankOptions>& list();
};

/// Starts from the factor in x, its columns made up to `rank` by none or cut to the leading axes; leaves the factor,
/// the multipliers of the working rows and these rows' ids in x. Dense blocks are factored first.
///
/// Terminations: converged (rows violated by at most `tolerance` where the mean squared distance is 2, and the proven
/// gap at most `tolerance` relative to the objective); stalled and max_iter (the message says which of both is missing
/// and by how much; x is usable, the certificate holds); time_limit, cancelled (x as it was an iteration before);
/// diverged. An answer that is not proven after max_iter rounds is handed to `fallback`, of programs without a basis
/// and of at most `fallback_order`, which goes on from x and its rows; the better proven of both is kept and, if it is
/// the fallback's, `via` names it. Where the program's optimum is 0, x is the zero factor: all objects at one place.
class LowRank final : public Solver {
 public:
  /// `known` finds the inner solvers. @throws ConfigError
  LowRank(const LowRankOptions& options, SolverLookup known);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SeparationFace>(); }
  [[nodiscard]] std::string_view name() const override { return "low_rank"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override;
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  LowRankOptions options_;
  std::unique_ptr<Solver> fallback_;  // null: none
};

[[nodiscard]] SolverEntry low_rank_entry(SolverLookup known);

}  // namespace alidade
