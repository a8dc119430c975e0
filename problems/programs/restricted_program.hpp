// A DistanceProgram with only some of its rows, written out for solvers of semidefinite programs.
// Blocks: M (order x order); then, if there are any, the radii of these rows and the slacks of priced rows.
// For better scaling, the trace of M is bounded by the order instead of T, so the program's M is `scale` times the
// block. A row that some value of its radius satisfies at all distances is left out with that radius: it would leave
// the dual without interior.
#pragma once

#include "problems/programs/distance_program.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

struct RestrictedProgram {
  SemidefiniteProgram program;     // its first constraint is the trace bound
  std::vector<ConstraintId> rows;  // row of constraint k + 1
  std::vector<Index> radii;        // radius of entry k of block 1; slacks follow
  double scale = 1;                // T / order
};

/// @pre rows are all different. Cost and rows are sparse without a basis, dense (r^2 / 2 entries) with one.
/// O(order^2) for the cost if kappa is not 0.
[[nodiscard]] RestrictedProgram restricted_program(const DistanceProgram& source, std::span<const ConstraintId> rows);

/// Converts a solution of the restricted program to one of the whole. Block 0 is M, block 1 the radii (NaN if no row
/// has them), and the multipliers are those of `rows`, with the sign of DistanceProgram.
[[nodiscard]] SemidefiniteSolution of_whole(const DistanceProgram& source, const RestrictedProgram& restricted,
                                            const SemidefiniteSolution& x);

}  // namespace alidade
