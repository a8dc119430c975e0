#include "solvers/contract/counted_problem.hpp"
#include "solvers/contract/recorder.hpp"
#include "solvers/smooth/majorization.hpp"

#include <cmath>
#include <deque>

namespace alidade {

const OptionList<MajorizationOptions>& MajorizationOptions::list() {
  using O = MajorizationOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .integer("max_iter", &O::max_iter, between(0, 1e9),
                   "largest number of iterations; each minimises one bound")
          .real("tolerance", &O::tolerance, at_least(0),
                "converged when ten iterations lower the objective by less than tolerance * "
                "objective")
          .real("relaxation", &O::relaxation, between(1, 2),
                "step x + relaxation * (minimiser - x); values above 1 are faster; a step that "
                "would raise the objective uses 1 instead")
          .integer("n_init", &O::n_init, at_least(1),
                   "number of random starts; the lowest objective is kept");
  return kList;
}

Table Majorization::resolved_options() const {
  return MajorizationOptions::list().resolve(options_);
}

Summary Majorization::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  return best_of_starts(*this, problem, x, context, options_.n_init,
                        [&](const Problem& fitted, Point& start, SolveContext& inner) {
                          return solve_one(fitted, start, inner);
                        });
}

Summary Majorization::solve_one(const Problem& problem, Point& x, SolveContext& context) const {
  const Domain& domain = *problem.domain();
  Summary summary;
  Recorder recorder(context, summary.counts);
  CountedProblem counted(problem, context, summary.counts);
  // Twice the step keeps a quadratic bound below where it touched; a curved domain has no such line.
  const double relaxation = domain.is_euclidean() ? options_.relaxation : 1;

  summary.initial_objective = counted.objective(x);
  recorder.record(0, summary.initial_objective, kUnknown, &x);
  const auto finish = [&](Termination termination, std::string message) {
    summary.termination = termination;
    summary.message = std::move(message);
    summary.objective = summary.best_objective = counted.objective(x);
    if (termination != Termination::diverged) summary.gradient_norm = counted.stationarity(x);
    recorder.finish(summary);
    return summary;
  };
  if (!std::isfinite(summary.initial_objective))
    return finish(Termination::diverged, "The objective is not finite at the start.");
  if (x.size() == 0)
    return finish(Termination::converged, "There are no unknowns, so nothing to solve.");

  Point minimiser = x, next = x;
  std::deque<double> recent = {summary.initial_objective};
  for (Index iteration = 1; iteration <= options_.max_iter; ++iteration) {
    if (const auto reason = context.interrupted())
      return finish(*reason, fmt::format("Stopped in iteration {}.", iteration));
    const double before = recent.back();
    counted.minimize_majorizer(x, minimiser);
    double after = 0;
    bool taken = false;
    if (relaxation > 1) {
      next.vector() = x.vector() + relaxation * (minimiser.vector() - x.vector());
      after = counted.objective(next);
      taken = after <= before;
    }
    if (!taken) {
      std::swap(next, minimiser);
      after = counted.objective(next);
      taken = after <= before;
    }
    if (!taken)
      return std::isfinite(after)
                 ? finish(Termination::converged,
                          "Converged: the objective falls no further at this floating-point "
                          "precision.")
                 : finish(Termination::stalled, "The minimiser of the bound is not finite.");
    std::swap(x, next);
    ++summary.counts.iterations;
    recorder.record(iteration, after, kUnknown, &x);
    recent.push_back(after);
    if (recent.size() <= kJudgedIterations) continue;
    if (recent.front() - after <= options_.tolerance * std::abs(after) &&
        (options_.tolerance > 0 || recent.front() == after))
      return finish(Termination::converged,
                    fmt::format("Converged: ten iterations improved the objective by less than "
                                "{:g} %.",
                                100 * options_.tolerance));
    recent.pop_front();
  }
  return finish(Termination::max_iter, fmt::format("All {} iterations done.", options_.max_iter));
}

SolverEntry majorization_entry() {
  return solver_entry<Majorization, MajorizationOptions>(
      {.name = "majorization",
       .summary = "majorization (MM): repeatedly minimises an upper bound that touches the "
                  "objective; needs no step size",
       .reference = "de Leeuw 1977; Hunter & Lange 2004"});
}

}  // namespace alidade
