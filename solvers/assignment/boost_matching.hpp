// The cheapest assignment by Boost.Graph's maximum-weight matching of general graphs, to check Alidade's own solver.
// Galil 1986, as implemented by Yi Ji in Boost 1.74. It throws or stalls on real weights, so costs become integers
// w_ij = 1 + round(2^bits (max - c_ij) / (max - min)), all positive; a heaviest matching then has min(rows, columns)
// pairs. The assignment is the cheapest up to min(rows, columns) (max - min) 2^-bits, without potentials to prove it.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct BoostMatchingOptions {
  Index bits = 40;
  [[nodiscard]] static const OptionList<BoostMatchingOptions>& list();
};

/// O((rows + columns)^3) time and O((rows + columns)^2) memory. Cannot be interrupted.
class BoostMatching final : public Solver {
 public:
  explicit BoostMatching(const BoostMatchingOptions& options) : options_(options) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<AssignmentFace>(); }
  [[nodiscard]] std::string_view name() const override { return "boost_matching"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override { return BoostMatchingOptions::list().resolve(options_); }
  /// @throws DataError on costs that are not finite or beyond 1e300.
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  BoostMatchingOptions options_;
};

[[nodiscard]] SolverEntry boost_matching_entry();

}  // namespace alidade
