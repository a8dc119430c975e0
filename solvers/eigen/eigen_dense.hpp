// Computes all eigenvectors of a dense matrix: the reference against which the other solvers are checked.
// Eigen's SelfAdjointEigenSolver: tridiagonal form and the symmetric QR algorithm, Golub & Van Loan, section 8.3.
// O(n^3) time and 3 n^2 numbers, so it refuses above `max_size`; it cannot be interrupted.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct EigenDenseOptions {
  /// largest number of matrix rows; 5000 rows take some minutes and 600 MB
  Index max_size = 5000;
  [[nodiscard]] static const OptionList<EigenDenseOptions>& list();
};

/// The summary's gradient_norm is the largest |A v - lambda v|.
class EigenDense final : public Solver {
 public:
  explicit EigenDense(EigenDenseOptions options)
      : options_(EigenDenseOptions::list().checked(std::move(options), "solver 'eigen_dense'")) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<EigenFace>(); }
  [[nodiscard]] std::string_view name() const override { return "eigen_dense"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] ValueTable resolved_options() const override;
  /// @throws DataError on an invalid request; ConfigError above max_size
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;

 private:
  EigenDenseOptions options_;
};

[[nodiscard]] SolverEntry eigen_dense_entry();

}  // namespace alidade
