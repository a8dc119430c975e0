// The cheapest assignment of rows to columns, with dual potentials that prove it.
// Hungarian method by shortest augmenting paths: Kuhn 1955; Jonker & Volgenant 1987; Burkard, Dell'Amico & Martello,
// "Assignment Problems", section 4.4. Matches every row or every column, whichever are fewer.
// Exact up to rounding of the sums of costs, which the certificate's gap shows.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/assignment/assignment_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct HungarianOptions {
  [[nodiscard]] static const OptionList<HungarianOptions>& list();
};

/// O(s^2 l) time and O(s l) memory for s rows and l columns or vice versa, s <= l. Leaves potentials in x with
/// row_potential[i] + column_potential[j] <= cost(i, j), with equality for matched pairs, and 0 where unmatched. Always
/// returns the same one of equally cheap assignments. If interrupted, it leaves x unchanged.
class Hungarian final : public WithOptions<Hungarian, AssignmentSolver, HungarianOptions> {
 public:
  static constexpr std::string_view kName = "hungarian";
  explicit Hungarian(HungarianOptions options) : WithOptions(std::move(options)) {}

 private:
  AssignmentSearch match(const Matrix& costs, SolveContext& context, Counts& counts) const override;
};

[[nodiscard]] SolverEntry hungarian_entry();

}  // namespace alidade
