// Computes all eigenvectors of a dense matrix: the reference against which the other solvers are checked.
// Eigen's SelfAdjointEigenSolver: tridiagonal form and the symmetric QR algorithm, Golub & Van Loan, section 8.3.
// O(n^3) time and 3 n^2 numbers, so it refuses above `max_size`; it cannot be interrupted.
#include <limits>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/eigen.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/eigen/eigen_run.hpp"

namespace alidade {
namespace {

struct EigenDenseOptions {
  Index max_size = 5000;
  [[nodiscard]] static const OptionList<EigenDenseOptions>& list() {
    static const OptionList<EigenDenseOptions> kList = OptionList<EigenDenseOptions>().integer(
        "max_size", &EigenDenseOptions::max_size, between(1, 100'000),
        "largest number of matrix rows; 5000 rows take some minutes and 600 MB");
    return kList;
  }
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

Summary EigenDense::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  constexpr double kAnyResidual = std::numeric_limits<double>::infinity();
  eigen::EigenRun run(*this, problem, x, context);
  const EigenRequest& request = run.request();
  require<ConfigError>(request.size <= options_.max_size,
                       "eigen_dense stores all {0} x {0} numbers of '{1}', but its max_size is "
                       "{2}. Use lanczos, or raise max_size.",
                       request.size, problem.name(), options_.max_size);
  run.begin();
  if (auto end = run.stopped("before the decomposition")) return *std::move(end);
  run.counts().iterations = 1;
  return run.accept(eigen::all_pairs(request), kAnyResidual,
                    fmt::format("all eigenvectors of {0} x {0}", request.size));
}

}  // namespace

SolverEntry eigen_dense_entry() {
  return solver_entry<EigenDense>(
      {.summary = "eigenvectors by a full decomposition; for matrices of a few thousand rows",
       .reference = "Golub & Van Loan, section 8.3; Eigen's SelfAdjointEigenSolver",
       .description =
           "All eigenvectors of a matrix of at most `max_size` rows, which is formed from its products if necessary."});
}

}  // namespace alidade
