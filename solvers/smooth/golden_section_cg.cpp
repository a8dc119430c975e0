// Nonlinear conjugate gradients (Polak & Ribiere 1969, never below 0) with a line search that needs only values: it
// brackets by doubling or halving the step of the search before, then uses golden section (Kiefer 1953). Each solve
// begins with steepest descent. The additive program published by the authors of NeRV minimises in this way; the
// defaults are its constants.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/option_texts.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {
namespace {

struct GoldenSectionCgOptions {
  Index max_iter = 41;
  double step_tolerance = 0.01;
  Index max_evaluations = 40;
  double scale = 0;
  double tolerance = 1e-8;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<GoldenSectionCgOptions>& list() {
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
                  "converged when an iteration along the gradient lowers the objective by less than this times itself, "
                  "or the norm of the "
                  "gradient is below this times the largest met")
            .integer("n_init", &O::n_init, at_least(1), kStartsText);
    return kList;
  }
};

/// About 15 values per line search, one gradient per iteration.
class GoldenSectionCg final : public WithOptions<GoldenSectionCg, PointSolver, GoldenSectionCgOptions> {
 public:
  static constexpr std::string_view kName = "golden_section_cg";
  explicit GoldenSectionCg(GoldenSectionCgOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace, Borderless>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double resolution() const override { return options_.tolerance; }
  [[nodiscard]] double gradient_resolution() const override { return options_.tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

constexpr double kGolden = 1 / std::numbers::phi;

struct LinePoint {
  double step = 0;
  double value = 0;
};

/// The lowest point evaluated of a function of a step >= 0 with value `at_zero` at 0; 0 if none is lower. Calls `value`
/// at most 2 * limit times; values that are not finite count as high.
LinePoint golden_section(const std::function<double(double)>& value, double at_zero, double first, double tolerance,
                         Index limit) {
  LinePoint best{0, at_zero};
  const auto at = [&](double step) {
    const double value_there = value(step);
    if (value_there < best.value) best = {step, value_there};
    return std::isfinite(value_there) ? value_there : std::numeric_limits<double>::infinity();
  };
  double low = 0, high = first;
  Index asked = 1;
  double value_at_high = at(high);
  if (value_at_high < at_zero) {  // double until it rises
    double before = value_at_high;
    while (true) {
      if (asked++ >= limit) return best;
      const double next = at(2 * high);
      if (next >= before) break;
      low = high;
      high *= 2;
      before = next;
    }
    high *= 2;
  } else {  // halve until it is lower
    while (true) {
      if (asked++ >= limit) return best;
      const double half = high / 2;
      if (at(half) < at_zero) break;
      high = half;
    }
  }
  const double width = high - low, narrowest = std::min(tolerance, tolerance * width);
  double inner = high - kGolden * width, outer = low + kGolden * width;
  double value_at_inner = at(inner), value_at_outer = at(outer);
  for (asked = 2; asked < limit && high - low > narrowest; ++asked) {
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

/// Conjugate gradients from one start.
class ConjugateDescent {
 public:
  ConjugateDescent(PointSolve& run, const GoldenSectionCgOptions& options)
      : run_(run),
        options_(options),
        domain_(run.domain()),
        scale_(options.scale > 0 ? options.scale : std::max(1.0, rows_of(domain_) / 2)),
        euclidean_(domain_.zero()),
        gradient_(domain_.zero()),
        before_(domain_.zero()),
        direction_(domain_.zero()),
        tangent_(domain_.zero()),
        next_(run.x),
        trial_(run.x),
        value_(run.initial_objective()) {}

  Summary solve() {
    begin();
    if (auto end = run_.ended_at_start()) return *std::move(end);
    for (Index iteration = 1; iteration <= run_.left_of(options_.max_iter); ++iteration) {
      if (auto end = run_.stopped(iteration)) return *std::move(end);
      longest_ = std::max(longest_, squared_);
      if (squared_ <= options_.tolerance * longest_ * options_.tolerance)
        return run_.finish(Termination::converged, PointSolve::small_gradient_text(options_.tolerance));
      const bool along_gradient = steepest_;
      if (along_gradient) direction_.vector() = -gradient_.vector();
      if (iteration == 1) step_ = 1 / squared_;
      const LinePoint minimum = search();
      if (minimum.step == 0) {
        if (interrupted_) return *run_.stopped(iteration);
        if (steepest_) return run_.finish_without_step("No lower point was found along the gradient.");
        steepest_ = true;  // the direction was a bad one
        --iteration;
        continue;
      }
      const double decrease = value_ - minimum.value;
      move(minimum.step);
      ++run_.counts().iterations;
      run_.record(iteration, value_, domain_.stationarity(run_.x, euclidean_), run_.x);
      if (interrupted_) return *run_.stopped(iteration);
      if (!(decrease <= options_.tolerance * std::abs(value_))) continue;
      if (along_gradient)
        return run_.finish(Termination::converged,
                           fmt::format("Converged: an iteration along the gradient lowered the objective by less than "
                                       "{:g} %.",
                                       100 * options_.tolerance));
      steepest_ = true;
    }
    return run_.finish_iterations(options_.max_iter);
  }

 private:
  /// Records the start, with its gradient if there will be iterations.
  void begin() {
    double stationarity = kUnknown;
    if (std::isfinite(value_) && run_.x.size() > 0 && options_.max_iter > 0 && !run_.context.interrupted()) {
      value_ = slope(run_.x);
      squared_ = domain_.inner(run_.x, gradient_, gradient_);
      stationarity = domain_.stationarity(run_.x, euclidean_);
    }
    run_.record(0, value_, stationarity, run_.x);
  }

  /// Writes the scaled gradient; returns the value.
  double slope(const Point& at) {
    const double value = run_.problem().value_and_gradient(at, euclidean_);
    domain_.gradient(at, euclidean_, gradient_);
    gradient_.vector() *= scale_;
    return value;
  }

  /// Searches along the direction; every value is high once the solve has to stop.
  LinePoint search() {
    return golden_section(
        [&](double length) {
          if (!interrupted_) interrupted_ = run_.context.interrupted();
          if (interrupted_) return std::numeric_limits<double>::infinity();
          tangent_.vector() = length * direction_.vector();
          run_.problem().retract(run_.x, tangent_, trial_);
          const double reached = run_.problem().value(trial_);
          return std::isnan(reached) ? std::numeric_limits<double>::infinity() : reached;
        },
        value_, step_, options_.step_tolerance, options_.max_evaluations);
  }

  /// Takes the step, and the next direction by Polak and Ribiere.
  void move(double step) {
    tangent_.vector() = step * direction_.vector();
    run_.problem().retract(run_.x, tangent_, next_);
    step_ = step;
    std::swap(before_, gradient_);
    value_ = slope(next_);
    const double squared_before = squared_;
    squared_ = domain_.inner(next_, gradient_, gradient_);
    // Transports old vectors to the place of the new gradient.
    domain_.transport(run_.x, next_, before_, tangent_);
    const double change = squared_ - domain_.inner(next_, gradient_, tangent_);
    const double beta = std::max(0.0, change / squared_before);
    domain_.transport(run_.x, next_, direction_, tangent_);
    direction_.vector() = beta * tangent_.vector() - gradient_.vector();
    // Uphill or not finite, after an inexact line search.
    steepest_ = !(domain_.inner(next_, gradient_, direction_) < 0);
    std::swap(run_.x, next_);
  }

  PointSolve& run_;
  const GoldenSectionCgOptions& options_;
  const Domain& domain_;
  double scale_;
  Point euclidean_, gradient_, before_, direction_, tangent_, next_, trial_;
  double value_, squared_ = 0, step_ = 0;
  double longest_ = 0;  // gradient, squared
  bool steepest_ = true;
  std::optional<Termination> interrupted_;
};

Summary GoldenSectionCg::solve_one(PointSolve& run) const { return ConjugateDescent(run, options_).solve(); }

}  // namespace

SolverEntry golden_section_cg_entry() {
  return solver_entry<GoldenSectionCg>(
      {.summary = "conjugate gradients with a golden section search along each direction",
       .reference = "Polak & Ribiere 1969; Kiefer 1953; as in the program of Venna, Peltonen, Nybo, Aidos & Kaski 2010",
       .description = "Conjugate gradients (Polak-Ribiere, not below 0) with a golden section search along each "
                      "direction. Its constants are those of the program that the authors of NeRV published.",
       .by_schedule = true});
}

}  // namespace alidade
