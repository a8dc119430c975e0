// What solvers of assignment problems share: costs that can be reckoned with, and lower bounds from dual potentials.
// minimise sum_i c(i, column_of[i]) over matchings of min(rows, columns) pairs; its dual, of the shorter side u free
// and of the longer v <= 0: maximise sum u + sum v subject to u_i + v_j <= c_ij (Kuhn 1955; Burkard, Dell'Amico &
// Martello). In a square both sides are free; ours have v <= 0 all the same.
#pragma once

#include "problems/core/types.hpp"
#include "problems/problem.hpp"
#include "problems/programs/solution.hpp"

namespace alidade::assignment {

/// The costs of the problem, rows x columns.
/// @throws DataError unless all are finite and below 1e300 in size, so that sums of them are finite too.
[[nodiscard]] Matrix checked_costs(const Problem& problem);

/// sum_i costs(i, column_of[i]) over the matched rows.
[[nodiscard]] double cost_of(const Matrix& costs, const AssignmentSolution& x);

/// The lower bound that the potentials prove: those of the longer side are cut to at most 0, those of the shorter side
/// lowered to the least c_ij minus the other. O(rows columns). @pre as many potentials as rows and columns.
[[nodiscard]] double lower_bound(const Matrix& costs, const AssignmentSolution& x);

}  // namespace alidade::assignment
