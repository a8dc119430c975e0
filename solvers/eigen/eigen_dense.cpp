#include "solvers/eigen/eigen_dense.hpp"

#include "problems/core/eigenvector_signs.hpp"
#include "problems/core/error.hpp"
#include "solvers/eigen/eigenpairs.hpp"
#include "solvers/recorder.hpp"

namespace alidade {

const OptionList<EigenDenseOptions>& EigenDenseOptions::list() {
  static const OptionList<EigenDenseOptions> kList = OptionList<EigenDenseOptions>().integer(
      "max_size", &EigenDenseOptions::max_size, between(1, 100'000),
      "rows above which it refuses: 5000 are some minutes and 600 MB");
  return kList;
}

Table EigenDense::resolved_options() const { return EigenDenseOptions::list().resolve(options_); }

Summary EigenDense::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem adapted = require_fit(*this, problem, via);
  const EigenRequest request = adapted.eigen().eigen_request();
  eigen::require_valid(request, problem.name());
  require<ConfigError>(request.size <= options_.max_size,
                       "eigen_dense forms all {0} x {0} numbers of '{1}', and its max_size is {2}: "
                       "use lanczos, or raise it.",
                       request.size, problem.name(), options_.max_size);
  Evaluation evaluation(context.executor);
  Summary out;
  Recorder recorder(context, out.counts);
  out.via = std::move(via);
  out.counts.starts = 1;
  out.counts.evaluations = 1;
  out.objective = out.initial_objective = adapted.objective(x, evaluation);
  const Solution& now = x;
  recorder.record(0, out.objective, [&] { return now; });
  if (const auto reason = context.interrupted()) {
    out.termination = *reason;
    out.message = "Ended before the decomposition.";
  } else {
    EigenSolution found = eigen::all_pairs(request);
    if (found.vectors.size() == 0 || !found.vectors.allFinite()) {
      out.termination = Termination::backend_failure;
      out.message = "The decomposition failed: the matrix has entries that are not finite.";
    } else {
      const eigen::Residuals residuals = eigen::refine(request, found);
      fix_signs(found.vectors);
      out.gradient_norm = residuals.largest;
      x = std::move(found);
      out.objective = adapted.objective(x, evaluation);
      ++out.counts.evaluations;
      out.counts.iterations = 1;
      out.termination = Termination::converged;
      out.message = fmt::format("all eigenvectors of {0} x {0}; |A v - lambda v| <= {1:.1e}",
                                request.size, residuals.largest);
      recorder.record(1, out.objective, [&] { return now; });
    }
  }
  out.best_objective = out.objective;
  recorder.finish(out);
  return out;
}

}  // namespace alidade
