// Computes all eigenvectors of a dense matrix: the reference against which the other solvers are checked.
// Eigen's SelfAdjointEigenSolver: tridiagonal form and the symmetric QR algorithm, Golub & Van Loan, section 8.3.
// O(n^3) time and 3 n^2 numbers, so it refuses above `max_size`; it cannot be interrupted.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct EigenDenseOptions {
  Index max_size = 5000;
  [[nodiscard]] static const OptionList<EigenDenseOptions>& list();
};

/// The summary's gradient_norm is the largest |A v - lambda v|.
class EigenDense final : public WithOptions<EigenDense, Solver, EigenDenseOptions> {
 public:
  static constexpr std::string_view kName = "eigen_dense";
  explicit EigenDense(EigenDenseOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<EigenFace>(); }
  /// @throws DataError on an invalid request; ConfigError above max_size
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;
};

[[nodiscard]] SolverEntry eigen_dense_entry();

}  // namespace alidade
