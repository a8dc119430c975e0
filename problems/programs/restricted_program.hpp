// A DistanceProgram with some of its rows only, written out for solvers of semidefinite programs.
// Blocks: M (order x order), then, where there are any, the radii that these rows mention and the slacks of rows that
// have a price. The trace of M is bounded by the order instead of T, which is better scaled: M of the program is
// `scale` times the block. Rows that some value of a radius satisfies whatever the distances are left out, with the
// radius: they would leave the dual without interior.
#pragma once

#include "problems/programs/distance_program.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

struct RestrictedProgram {
  SemidefiniteProgram program;  // its first constraint is the trace's
  std::vector<RowId> rows;      // of constraint k + 1
  std::vector<Index> radii;     // of entry k of block 1, before the slacks
  double scale = 1;             // T / order
};

/// Rows must be different ones. Cost and rows are sparse without a basis, dense (r^2 / 2 entries) with one.
/// O(order^2) for the cost where kappa is not 0.
[[nodiscard]] RestrictedProgram restricted_program(const DistanceProgram& source, std::span<const RowId> rows);

/// A solution of the restricted program as one of the whole: block 0 is M, block 1 the radii (NaN where no row mentions
/// one), multipliers those of `rows`, in the sign of DistanceProgram.
[[nodiscard]] SemidefiniteSolution of_whole(const DistanceProgram& source, const RestrictedProgram& restricted,
                                            const SemidefiniteSolution& x);

}  // namespace alidade
