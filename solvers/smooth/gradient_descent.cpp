#include "solvers/smooth/gradient_descent.hpp"

#include <cmath>

#include "problems/core/step_gains.hpp"
#include "problems/faces/finite_sum.hpp"
#include "solvers/contract/counted_problem.hpp"
#include "solvers/contract/recorder.hpp"

namespace alidade {
namespace {

constexpr double kRateCut = 0.1;
constexpr double kBoldCut = 0.5;
constexpr double kLeastShare = 1e-30;  // of the first rate, below which no step helps
/// A step may end this far above the start, relative to 1 + |objective|: rounding of sums in float.
constexpr double kSlack = 1e-6;

}  // namespace

const OptionList<GradientDescentOptions>& GradientDescentOptions::list() {
  using O = GradientDescentOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .real("learning_rate", &O::learning_rate, at_least(0),
                "step size; 0: n / 48 for n objects, at least 50, which suits t-SNE (usually n / "
                "12, for gradients without the factor 4)")
          .flag("per_term", &O::per_term,
                "multiply the learning rate by objects / terms of a finite sum, so that it suits "
                "any number of triplets")
          .text("rate_rule", &O::rate_rule, {"cut", "bold_driver"},
                "how the learning rate adapts. cut: divide it by ten and return to the lowest "
                "point whenever a step ends above the start; bold_driver: multiply it by growth "
                "after a step that lowers the objective, otherwise halve it; every step is kept")
          .real("growth", &O::growth, at_least(1),
                "for bold_driver: factor of the learning rate "
                "after a step that lowers the objective")
          .integer("patience", &O::patience, at_least(1),
                   "for bold_driver: stop after this number of steps in a row that do not lower "
                   "the objective")
          .real("momentum", &O::momentum, half_open(0, 1),
                "fraction of the last step added to the next")
          .flag("gains", &O::gains, "adapt a gain for each coordinate; otherwise all gains are 1")
          .integer("max_iter", &O::max_iter, between(0, 1e9),
                   "largest number of iterations; each is one gradient")
          .real("min_gradient_norm", &O::min_gradient_norm, at_least(0),
                "converged when the norm of the gradient is below this")
          .integer("n_init", &O::n_init, at_least(1),
                   "number of random starts; the lowest objective is kept");
  return kList;
}

Table GradientDescent::resolved_options() const {
  return GradientDescentOptions::list().resolve(options_);
}

Summary GradientDescent::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  return best_of_starts(*this, problem, x, context, options_.n_init,
                        [&](const Problem& fitted, Point& start, SolveContext& inner) {
                          return solve_one(fitted, start, inner);
                        });
}

Summary GradientDescent::solve_one(const Problem& problem, Point& x, SolveContext& context) const {
  const Domain& domain = *problem.domain();
  Summary summary;
  Recorder recorder(context, summary.counts);
  CountedProblem counted(problem, context, summary.counts);
  Point best = x, gradient = domain.zero();
  double best_value = counted.objective(x);
  summary.initial_objective = best_value;
  recorder.record(0, best_value, kUnknown, &x);
  const auto finish = [&](Termination termination, std::string message) {
    summary.termination = termination;
    summary.message = std::move(message);
    x = best;
    summary.objective = summary.best_objective = counted.objective(x);
    if (std::isfinite(summary.objective)) summary.gradient_norm = counted.stationarity(x);
    recorder.finish(summary);
    return summary;
  };
  if (const auto reason = context.interrupted())
    return finish(*reason, "Stopped before the first iteration.");
  if (!std::isfinite(best_value))
    return finish(Termination::diverged, "The objective is not finite at the start.");
  if (x.size() == 0)
    return finish(Termination::converged, "There are no unknowns, so nothing to solve.");

  double rate = options_.learning_rate > 0 ? options_.learning_rate
                                           : usual_rate(domain.blocks().front().rows);
  if (options_.per_term) {
    require<UnsupportedPair>(problem.offers().has<FiniteSumFace>(),
                             "per_term divides the learning rate by the number of terms, but {} "
                             "is not a sum of terms. Leave per_term out.",
                             problem.name());
    rate *= static_cast<double>(domain.blocks().front().rows) /
            std::max(1.0, static_cast<double>(problem.face<FiniteSumFace>().term_count()));
  }
  const bool bold = options_.rate_rule == "bold_driver";
  const double least_rate = rate * kLeastShare;
  const double highest = best_value + kSlack * (1 + std::abs(best_value));
  Point riemannian = domain.zero(), velocity = domain.zero(), next = x, step = domain.zero();
  Vector gains = Vector::Ones(x.size());
  int cuts = 0;
  Index failures = 0;  // bold_driver: steps in a row that did not lower the objective
  double last_value = best_value;
  const auto cut_note = [&] {
    return cuts == 0 ? std::string()
                     : fmt::format(" The learning rate was cut {} times, to {:.3g}.", cuts, rate);
  };

  counted.value_and_gradient(x, gradient);
  for (Index iteration = 1; iteration <= options_.max_iter; ++iteration) {
    domain.gradient(x, gradient, riemannian);
    if (!riemannian.vector().allFinite())
      return finish(Termination::stalled, "The gradient is not finite." + cut_note());
    if (domain.norm(x, riemannian) < options_.min_gradient_norm)
      return finish(Termination::converged, fmt::format("Converged: the norm of the gradient is "
                                                        "below {}.{}",
                                                        options_.min_gradient_norm, cut_note()));
    double value = kUnknown;
    for (;;) {
      if (const auto reason = context.interrupted())
        return finish(*reason, fmt::format("Stopped in iteration {}.{}", iteration, cut_note()));
      if (options_.gains) adapt_gains(riemannian.vector(), velocity.vector(), gains);
      step.vector() =
          options_.momentum * velocity.vector() - rate * gains.cwiseProduct(riemannian.vector());
      if (!domain.is_euclidean()) {
        velocity = step;
        domain.project(x, velocity, step);
      }
      if (step.vector().allFinite()) {
        counted.retract(x, step, next);
        value = next.vector().allFinite() ? counted.value_and_gradient(next, gradient) : kUnknown;
        if (bold ? std::isfinite(value) : value <= highest) break;
      }
      rate *= kRateCut;
      ++cuts;
      if (rate < least_rate)
        return finish(Termination::converged,
                      "No step lowers the objective any further at this floating-point precision." +
                          cut_note());
      // Once more from the lowest point, at rest.
      x = best;
      velocity.set_zero();
      gains.setOnes();
      counted.value_and_gradient(x, gradient);
      domain.gradient(x, gradient, riemannian);
    }
    domain.transport(x, next, step, velocity);
    std::swap(x, next);
    ++summary.counts.iterations;
    recorder.record(iteration, value, kUnknown, &x);
    if (value < best_value) {
      best_value = value;
      best = x;
    }
    if (!bold) continue;
    const bool fell = value < last_value;
    rate *= fell ? options_.growth : kBoldCut;
    failures = fell ? 0 : failures + 1;
    last_value = value;
    if (failures == options_.patience)
      return finish(Termination::converged,
                    fmt::format("{} steps in a row did not lower the objective.{}", failures, cut_note()));
  }
  return finish(Termination::max_iter,
                fmt::format("All {} iterations done.{}", options_.max_iter, cut_note()));
}

SolverEntry gradient_descent_entry() {
  return solver_entry<GradientDescent, GradientDescentOptions>(
      {.name = "gradient_descent",
       .summary = "batch gradient descent with momentum and a gain for each coordinate, as in "
                  "t-SNE",
       .reference = "Jacobs 1988; van der Maaten & Hinton 2008"});
}

}  // namespace alidade
