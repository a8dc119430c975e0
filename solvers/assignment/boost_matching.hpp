// The cheapest assignment by Boost.Graph's maximum-weight matching of general graphs, to check Alidade's own solver.
// Galil 1986, as implemented by Yi Ji in Boost 1.74. It throws or stalls on real weights, so costs become integers
// w_ij = 1 + round(2^bits (max - c_ij) / (max - min)), all positive; a heaviest matching then has min(rows, columns)
// pairs. The assignment is the cheapest up to min(rows, columns) (max - min) 2^-bits, without potentials to prove it.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/assignment/assignment_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct BoostMatchingOptions {
  Index bits = 40;
  [[nodiscard]] static const OptionList<BoostMatchingOptions>& list();
};

/// O((rows + columns)^3) time and O((rows + columns)^2) memory. Cannot be interrupted.
class BoostMatching final : public WithOptions<BoostMatching, AssignmentSolver, BoostMatchingOptions> {
 public:
  static constexpr std::string_view kName = "boost_matching";
  explicit BoostMatching(BoostMatchingOptions options) : WithOptions(std::move(options)) {}

 private:
  AssignmentSearch match(const Matrix& costs, SolveContext& context, Counts& counts) const override;
};

[[nodiscard]] SolverEntry boost_matching_entry();

}  // namespace alidade
