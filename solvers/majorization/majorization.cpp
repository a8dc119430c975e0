#include "solvers/majorization/majorization.hpp"
#include "solvers/counted_recorder.hpp"

#include <cmath>
#include <deque>

namespace alidade {
namespace {

constexpr std::size_t kLookBack = 10;  // iterations over which `tolerance` judges

}  // namespace

const OptionList<MajorizationOptions>& MajorizationOptions::list() {
  using O = MajorizationOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .integer("max_iter", &O::max_iter, between(0, 1e9),
                   "iterations, each one minimised bound")
          .real("tolerance", &O::tolerance, at_least(0),
                "ends when ten iterations lower the objective by less than tolerance * objective")
          .real("relaxation", &O::relaxation, between(1, 2),
                "x + relaxation * (minimiser - x): beyond 1 faster; a step that raises the "
                "objective is taken "
                "with 1 instead")
          .integer("n_init", &O::n_init, at_least(1),
                   "random starts; the lowest objective is kept");
  return kList;
}

Table Majorization::resolved_options() const {
  return MajorizationOptions::list().resolve(options_);
}

Summary Majorization::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem fitted = require_fit(*this, problem, via);
  Summary summary = best_of_starts(fitted, x, context, options_.n_init,
                                   [&](Solution& start, SolveContext& inner) {
                                     return solve_one(fitted, std::get<Point>(start), inner);
                                   });
  summary.via = std::move(via);
  return summary;
}

Summary Majorization::solve_one(const Problem& problem, Point& x, SolveContext& context) const {
  const MajorizerFace& majorizer = problem.majorizer();
  const Domain& domain = *problem.domain();
  Evaluation evaluation(context.executor);
  Summary summary;
  CountedRecorder recorder(context, summary.counts);
  const auto exact = [&](const Point& at) {
    ++summary.counts.evaluations;
    return problem.objective(Solution(at), evaluation);
  };
  // Twice the step keeps a quadratic bound below where it touched; a curved domain has no such line.
  const double relaxation = domain.is_euclidean() ? options_.relaxation : 1;

  summary.initial_objective = exact(x);
  recorder.record(0, summary.initial_objective, kUnknown, &x);
  const auto finish = [&](Termination termination, std::string message) {
    summary.termination = termination;
    summary.message = std::move(message);
    summary.objective = summary.best_objective = exact(x);
    if (problem.offers().has(Capability::smooth) && termination != Termination::diverged) {
      Point gradient = domain.zero();
      ++summary.counts.evaluations;
      problem.smooth().value_and_gradient(x, gradient, evaluation);
      summary.gradient_norm = domain.stationarity(x, gradient);
    }
    recorder.finish(summary);
    return summary;
  };
  if (!std::isfinite(summary.initial_objective))
    return finish(Termination::diverged, "The objective is not finite at the start.");
  if (x.size() == 0) return finish(Termination::converged, "There are no unknowns.");

  Point minimiser = x, next = x;
  std::deque<double> recent = {summary.initial_objective};
  for (Index iteration = 1; iteration <= options_.max_iter; ++iteration) {
    if (const auto reason = context.interrupted())
      return finish(*reason, fmt::format("Ended in iteration {}.", iteration));
    const double before = recent.back();
    ++summary.counts.evaluations;
    static_cast<void>(majorizer.minimize_majorizer(x, minimiser, evaluation));
    double after = 0;
    bool taken = false;
    if (relaxation > 1) {
      next.vector() = x.vector() + relaxation * (minimiser.vector() - x.vector());
      after = exact(next);
      taken = after <= before;
    }
    if (!taken) {
      std::swap(next, minimiser);
      after = exact(next);
      taken = after <= before;
    }
    if (!taken)
      return std::isfinite(after)
                 ? finish(Termination::converged,
                          "The objective falls no further in this arithmetic.")
                 : finish(Termination::stalled, "The minimiser of the bound is not finite.");
    std::swap(x, next);
    ++summary.counts.iterations;
    recorder.record(iteration, after, kUnknown, &x);
    recent.push_back(after);
    if (recent.size() <= kLookBack) continue;
    if (recent.front() - after <= options_.tolerance * std::abs(after) &&
        (options_.tolerance > 0 || recent.front() == after))
      return finish(Termination::converged,
                    fmt::format("Ten iterations lowered the objective by less than {} of it.",
                                options_.tolerance));
    recent.pop_front();
  }
  return finish(Termination::max_iter, fmt::format("All {} iterations done.", options_.max_iter));
}

}  // namespace alidade
