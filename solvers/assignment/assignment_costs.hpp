// Shared by solvers of assignment problems: checked costs, and lower bounds from dual potentials.
// Minimise sum_i c(i, column_of[i]) over matchings of min(rows, columns) pairs. The dual maximises sum u + sum v
// subject to u_i + v_j <= c_ij, with u of the shorter side free and v of the longer side <= 0 (Kuhn 1955; Burkard,
// Dell'Amico & Martello). For a square matrix both sides are free; Alidade keeps v <= 0.
#pragma once

#include "problems/contract/problem.hpp"
#include "problems/core/types.hpp"
#include "problems/programs/solution.hpp"

namespace alidade::assignment {

/// The costs of the problem, rows x columns.
/// @throws DataError unless all are finite and below 1e300 in absolute value, so that their sums are finite.
[[nodiscard]] Matrix checked_costs(const Problem& problem);

/// sum_i costs(i, column_of[i]) over the matched rows.
[[nodiscard]] double cost_of(const Matrix& costs, const AssignmentSolution& x);

/// The lower bound that the potentials prove. Those of the longer side are cut to at most 0; those of the shorter side
/// are lowered to the least c_ij minus the other. O(rows columns). @pre one potential per row and per column.
[[nodiscard]] double lower_bound(const Matrix& costs, const AssignmentSolution& x);

}  // namespace alidade::assignment
