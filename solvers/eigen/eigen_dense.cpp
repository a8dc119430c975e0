#include "solvers/eigen/eigen_dense.hpp"

#include <limits>

#include "problems/core/error.hpp"
#include "problems/faces/eigen.hpp"
#include "solvers/eigen/eigen_run.hpp"
#include "solvers/eigen/eigenpairs.hpp"

namespace alidade {

const OptionList<EigenDenseOptions>& EigenDenseOptions::list() {
  static const OptionList<EigenDenseOptions> kList =
      OptionList<EigenDenseOptions>().integer("max_size", &EigenDenseOptions::max_size, between(1, 100'000),
                                              "largest number of matrix rows; 5000 rows take some minutes and 600 MB");
  return kList;
}

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

SolverEntry eigen_dense_entry() {
  return solver_entry<EigenDense>(
      {.summary = "eigenvectors by a full decomposition; for matrices of a few thousand rows",
       .reference = "Golub & Van Loan, section 8.3; Eigen's SelfAdjointEigenSolver",
       .description =
           "All eigenvectors of a matrix of at most `max_size` rows, which is formed from its products if necessary."});
}

}  // namespace alidade
