#include "solvers/contract/counted_problem.hpp"
#include "solvers/contract/recorder.hpp"
#include "solvers/smooth/golden_section_cg.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace alidade {
namespace {

constexpr double kGolden = 1 / std::numbers::phi;

struct Found {
  double step = 0;
  double value = 0;
};

/// The lowest point seen of a function of a step >= 0 that is `at_zero` at 0: 0 itself if none is lower. `value` may be
/// asked 2 * most times; not finite counts as high.
Found golden_section(const std::function<double(double)>& value, double at_zero, double first,
                     double tolerance, Index most) {
  Found best{0, at_zero};
  const auto at = [&](double step) {
    const double found = value(step);
    if (found < best.value) best = {step, found};
    return std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
  };
  double low = 0, high = first;
  Index asked = 1;
  double value_at_high = at(high);
  if (value_at_high < at_zero) {  // double until it rises
    double before = value_at_high;
    while (true) {
      if (asked++ >= most) return best;
      const double next = at(2 * high);
      if (next >= before) break;
      low = high;
      high *= 2;
      before = next;
    }
    high *= 2;
  } else {  // halve until it is lower
    while (true) {
      if (asked++ >= most) return best;
      const double half = high / 2;
      if (at(half) < at_zero) break;
      high = half;
    }
  }
  const double width = high - low, enough = std::min(tolerance, tolerance * width);
  double inner = high - kGolden * width, outer = low + kGolden * width;
  double value_at_inner = at(inner), value_at_outer = at(outer);
  for (asked = 2; asked < most && high - low > enough; ++asked) {
    if (value_at_inner <= value_at_outer) {
      high = outer;
      outer = inner;
      value_at_outer = value_at_inner;
      inner = high - kGolden * (high - low);
      value_at_inner = at(inner);
    } else {
      low = inner;
      inner = outer;
      value_at_inner = value_at_outer;
      outer = low + kGolden * (high - low);
      value_at_outer = at(outer);
    }
  }
  return best;
}

double rows_of(const Domain& domain) {
  Index rows = 0;
  for (const DomainBlock& block : domain.blocks()) rows += block.rows;
  return static_cast<double>(rows);
}

}  // namespace

const OptionList<GoldenSectionCgOptions>& GoldenSectionCgOptions::list() {
  using O = GoldenSectionCgOptions;
  static const OptionList<O> kList =
      OptionList<O>()
          .integer("max_iter", &O::max_iter, between(0, 1e9),
                   "largest number of iterations; each is one line search, the first along the "
                   "steepest descent")
          .real("step_tolerance", &O::step_tolerance, above(0),
                "a line search ends when its bracket is shorter than this, or than this times its "
                "first length")
          .integer("max_evaluations", &O::max_evaluations, at_least(2),
                   "largest number of objective values to find a bracket, and again to narrow it")
          .real("scale", &O::scale, at_least(0),
                "factor of the gradient in steps; the first step is 1 / |gradient|^2. 0: half the "
                "number of objects, which turns a mean over objects into half their sum")
          .real("tolerance", &O::tolerance, at_least(0),
                "converged when an iteration lowers the sum over objects by less than this, or "
                "|scale * gradient|^2 is below it")
          .integer("n_init", &O::n_init, at_least(1),
                   "number of starts; the lowest objective is kept");
  return kList;
}

Table GoldenSectionCg::resolved_options() const {
  return GoldenSectionCgOptions::list().resolve(options_);
}

Summary GoldenSectionCg::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  return best_of_starts(*this, problem, x, context, options_.n_init,
                        [&](const Problem& fitted, Point& start, SolveContext& inner) {
                          return solve_one(fitted, start, inner);
                        });
}

Summary GoldenSectionCg::solve_one(const Problem& problem, Point& x, SolveContext& context) const {
  const Domain& domain = *problem.domain();
  Summary summary;
  Recorder recorder(context, summary.counts);
  CountedProblem counted(problem, context, summary.counts);
  const double scale = options_.scale > 0 ? options_.scale : std::max(1.0, rows_of(domain) / 2);
  Point euclidean = domain.zero(), gradient = domain.zero(), before = domain.zero(),
        direction = domain.zero(), tangent = domain.zero(), next = x, trial = x;
  const Point start = x;

  summary.initial_objective = counted.objective(x);
  const auto finish = [&](Termination termination, std::string message) {
    summary.termination = termination;
    summary.message = std::move(message);
    summary.objective = summary.initial_objective;
    if (summary.counts.iterations > 0) summary.objective = counted.objective(x);
    if (!(summary.objective <= summary.initial_objective) &&
        std::isfinite(summary.initial_objective)) {
      x = start;
      summary.objective = summary.initial_objective;
    }
    summary.best_objective = summary.objective;
    if (termination != Termination::diverged) summary.gradient_norm = counted.stationarity(x);
    recorder.finish(summary);
    return summary;
  };
  const auto slope = [&](const Point& at) {  // writes `gradient`; returns the value
    const double value = counted.value_and_gradient(at, euclidean);
    domain.gradient(at, euclidean, gradient);
    gradient.vector() *= scale;
    return value;
  };
  if (!std::isfinite(summary.initial_objective)) {
    recorder.record(0, summary.initial_objective, kUnknown, &x);
    return finish(Termination::diverged, "The objective is not finite at the start.");
  }
  double value = summary.initial_objective, squared = 0;
  if (x.size() == 0 || options_.max_iter == 0 || context.interrupted()) {
    recorder.record(0, value, kUnknown, &x);
  } else {
    value = slope(x);
    squared = domain.inner(x, gradient, gradient);
    recorder.record(0, value, domain.stationarity(x, euclidean), &x);
  }
  if (x.size() == 0)
    return finish(Termination::converged, "There are no unknowns, so nothing to solve.");

  double step = 0;
  bool steepest = true;
  for (Index iteration = 1; iteration <= options_.max_iter; ++iteration) {
    if (const auto reason = context.interrupted())
      return finish(*reason, fmt::format("Stopped in iteration {}.", iteration));
    if (squared <= options_.tolerance)
      return finish(Termination::converged, "Converged: the gradient is below the tolerance.");
    if (steepest) direction.vector() = -gradient.vector();
    if (iteration == 1) step = 1 / squared;
    std::optional<Termination> interrupted;
    const Found found = golden_section(
        [&](double length) {
          if (!interrupted) interrupted = context.interrupted();
          if (interrupted) return std::numeric_limits<double>::infinity();
          tangent.vector() = length * direction.vector();
          counted.retract(x, tangent, trial);
          const double reached = counted.value(trial);
          return std::isnan(reached) ? std::numeric_limits<double>::infinity() : reached;
        },
        value, step, options_.step_tolerance, options_.max_evaluations);
    if (found.step == 0) {
      if (interrupted)
        return finish(*interrupted, fmt::format("Stopped in iteration {}.", iteration));
      if (steepest)
        return finish(Termination::converged, "No lower point was found along the gradient.");
      steepest = true;  // the direction was a bad one
      --iteration;
      continue;
    }
    tangent.vector() = found.step * direction.vector();
    counted.retract(x, tangent, next);
    step = found.step;
    std::swap(before, gradient);
    const double fallen = value - found.value;
    value = slope(next);
    const double squared_before = squared;
    squared = domain.inner(next, gradient, gradient);
    // Old vectors go where the new gradient lives.
    domain.transport(x, next, before, tangent);
    const double change = squared - domain.inner(next, gradient, tangent);
    const double beta = std::max(0.0, change / squared_before);
    domain.transport(x, next, direction, tangent);
    direction.vector() = beta * tangent.vector() - gradient.vector();
    // Uphill, or not finite: where a line search was inexact.
    steepest = !(domain.inner(next, gradient, direction) < 0);
    std::swap(x, next);
    ++summary.counts.iterations;
    recorder.record(iteration, value, domain.stationarity(x, euclidean), &x);
    if (interrupted)
      return finish(*interrupted, fmt::format("Stopped in iteration {}.", iteration));
    if (fallen * 2 * scale <= options_.tolerance)
      return finish(Termination::converged,
                    "Converged: an iteration lowered the objective by less than the tolerance.");
  }
  return finish(Termination::max_iter, fmt::format("All {} iterations done.", options_.max_iter));
}

SolverEntry golden_section_cg_entry() {
  return solver_entry<GoldenSectionCg, GoldenSectionCgOptions>(
      {.name = "golden_section_cg",
       .summary = "conjugate gradients with a golden section search along each direction",
       .reference = "Polak & Ribiere 1969; Kiefer 1953; as in the program of Venna, Peltonen, Nybo, "
                    "Aidos & Kaski 2010"});
}

}  // namespace alidade
