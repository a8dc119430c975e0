// How far a finished map of ste or gnmds is from the best of any dimension, which its convex problem (ste_convex,
// gnmds_convex) proves at the same regulariser. Used by `alidade certify` and by the metrics optimality_gap and
// dimension_price.
#pragma once

#include <optional>
#include <string>

#include "problems/core/value.hpp"
#include "problems/evidence/observations.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// Objectives are those of the map's loss with its regulariser; lower is better.
struct Optimality {
  double lambda, lambda_fraction;  // of the convex problem; the share of lambda_max
  double objective;                // of the map
  double lower_bound;              // proven for maps of any dimension
  double reached;                  // the lowest known of the map's dimension, at most `objective`
  double best;                     // the lowest known of any dimension
  Index rank;                      // of the map that has it
  Termination termination;         // of the convex solve; the bound is proven however it ended

  /// (objective - bound) / bound: at least 0, up to rounding.
  [[nodiscard]] double gap() const { return (objective - lower_bound) / lower_bound; }
  /// The part of gap() that no map of this dimension is known to save.
  [[nodiscard]] double dimension_price() const { return (reached - lower_bound) / lower_bound; }
};

/// Why no bound can be proven for maps of this problem on these answers; nothing if one can.
[[nodiscard]] std::optional<std::string> unprovable_reason(const std::string& problem, const ValueTable& options,
                                                           const Observations& answers);

/// Judges the map, whose row i is the place of object i of the answers. The bound is within `tolerance` of the optimum
/// unless the time ended before. Two solves: by widening_factor over all dimensions, and by L-BFGS from its leading
/// axes in the map's dimension.
/// @pre unprovable_reason says nothing  @throws DataError if no bound was found
[[nodiscard]] Optimality optimality_of(const std::string& problem, const ValueTable& options,
                                       const Observations& answers, const Matrix& coordinates, double tolerance,
                                       SolveContext& context);

}  // namespace alidade
