// The cheapest assignment of rows to columns, with the dual potentials that prove it.
// Hungarian method by shortest augmenting paths: Kuhn 1955; Jonker & Volgenant 1987; Burkard, Dell'Amico & Martello,
// "Assignment Problems", section 4.4. Every row or every column is matched, whichever are fewer.
// Exact up to the rounding of sums of costs: the certificate's gap says how exact.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct HungarianOptions {
  [[nodiscard]] static const OptionList<HungarianOptions>& list();
};

/// O(s^2 l) time for s rows and l columns or the other way round, s <= l; O(s l) memory. Leaves in x potentials with
/// row_potential[i] + column_potential[j] <= cost(i, j), equal where i is matched with j, and 0 where unmatched. Of
/// equally cheap assignments always the same. Stopped early it leaves x as it is.
class Hungarian final : public Solver {
 public:
  explicit Hungarian(const HungarianOptions& options);

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<AssignmentFace>(); }
  [[nodiscard]] std::string_view name() const override { return "hungarian"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override;
  /// @throws DataError on costs that are not finite or beyond 1e300.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;
};

[[nodiscard]] SolverEntry hungarian_entry();

}  // namespace alidade
