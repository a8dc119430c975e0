#include "solvers/eigen/eigen_dense.hpp"

#include <limits>

#include "problems/core/error.hpp"
#include "solvers/eigen/eigen_run.hpp"
#include "solvers/eigen/eigenpairs.hpp"

namespace alidade {

const OptionList<EigenDenseOptions>& EigenDenseOptions::list() {
  static const OptionList<EigenDenseOptions> kList = OptionList<EigenDenseOptions>().integer(
      "max_size", &EigenDenseOptions::max_size, between(1, 100'000),
      "rows above which it refuses: 5000 are some minutes and 600 MB");
  return kList;
}

Table EigenDense::resolved_options() const { return EigenDenseOptions::list().resolve(options_); }

Summary EigenDense::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  constexpr double kAnyResidual = std::numeric_limits<double>::infinity();
  eigen::EigenRun run(*this, problem, x, context);
  const EigenRequest& request = run.request();
  require<ConfigError>(request.size <= options_.max_size,
                       "eigen_dense forms all {0} x {0} numbers of '{1}', and its max_size is {2}: "
                       "use lanczos, or raise it.",
                       request.size, problem.name(), options_.max_size);
  run.begin();
  if (const auto reason = context.interrupted())
    return run.finish(*reason, "Ended before the decomposition.");
  run.counts().iterations = 1;
  return run.accept(eigen::all_pairs(request), kAnyResidual,
                    fmt::format("all eigenvectors of {0} x {0}", request.size));
}

SolverEntry eigen_dense_entry() {
  return solver_entry<EigenDense, EigenDenseOptions>(
      {.name = "eigen_dense",
       .summary = "eigenvectors by all eigenvectors of a matrix of few thousand rows",
       .reference = "Golub & Van Loan, section 8.3; Eigen's SelfAdjointEigenSolver"});
}

}  // namespace alidade
