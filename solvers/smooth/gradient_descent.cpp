// Batch gradient descent with momentum and a gain for each coordinate, the usual descent of t-SNE.
// Jacobs 1988 (delta-bar-delta), as van der Maaten & Hinton 2008 use it: v <- momentum v - rate gain . grad, x <-
// R_x(v). A gain shrinks to 0.8 of itself, not below 0.01, where gradient and velocity have the same sign, and grows
// by 0.2 elsewhere. The objective may rise on the way; the solver returns the lowest point it met.
// rate_rule = bold_driver is the plain descent of the published programs of t-STE, MVTE and ETE [MW12; AU15; AVW16]:
// after each step the rate is multiplied by `growth` if the objective fell, otherwise by 1/2; the step is always kept.
// They use momentum = 0, gains = false, per_term = true, growth 1.01 (MVTE: 1.1) and patience 100 (t-STE: 5).
#include <cmath>
#include <string>
#include <utility>

#include "problems/core/inner_minimizers.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/finite_sum.hpp"
#include "solvers/contract/option_texts.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {
namespace {

struct GradientDescentOptions {
  double learning_rate = 0;
  double momentum = 0.8;
  bool gains = true;
  bool per_term = false;
  std::string rate_rule = "cut";
  double growth = 1.01;
  Index patience = 100;
  Index max_iter = 750;
  double gradient_tolerance = 1e-7;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<GradientDescentOptions>& list() {
    using O = GradientDescentOptions;
    static const OptionList<O> kList =
        OptionList<O>()
            .real("learning_rate", &O::learning_rate, at_least(0),
                  "step size; 0: n / 48 for n objects, at least 50, which suits t-SNE (usually n / "
                  "12, for gradients without the factor 4); off flat domains, at most a tenth of the point's length")
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
            .real("momentum", &O::momentum, half_open(0, 1), "fraction of the last step added to the next")
            .flag("gains", &O::gains, "adapt a gain for each coordinate; otherwise all gains are 1")
            .integer("max_iter", &O::max_iter, between(0, 1e9), "largest number of iterations; each is one gradient")
            .real("gradient_tolerance", &O::gradient_tolerance, half_open(0, 1), kGradientText)
            .integer("n_init", &O::n_init, at_least(1), kStartsText);
    return kList;
  }
};

class GradientDescent final : public WithOptions<GradientDescent, PointSolver, GradientDescentOptions> {
 public:
  static constexpr std::string_view kName = "gradient_descent";
  explicit GradientDescent(GradientDescentOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double gradient_resolution() const override { return options_.gradient_tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

constexpr double kRateCut = 0.1;
constexpr double kBoldCut = 0.5;
constexpr double kLongestStep = 0.1;   // by default, of the point's length, on curved domains
constexpr double kLeastShare = 1e-30;  // of the first rate, below which no step helps
/// A step may end this far above the start, relative to 1 + |objective|, because sums in float are rounded.
constexpr double kSlack = 1e-6;

/// Descent from one start: velocity, gains and rate.
class MomentumDescent {
 public:
  MomentumDescent(PointSolve& run, const GradientDescentOptions& options)
      : run_(run),
        options_(options),
        domain_(run.domain()),
        bold_(options.rate_rule == "bold_driver"),
        best_value_(run.initial_objective()),
        highest_(best_value_ + kSlack * (1 + std::abs(best_value_))),
        rate_(first_rate()),
        least_rate_(rate_ * kLeastShare),
        x_(run.x),
        gradient_(domain_.zero()),
        riemannian_(domain_.zero()),
        velocity_(domain_.zero()),
        next_(run.x),
        step_(domain_.zero()),
        gains_(Vector::Ones(run.x.size())) {}

  Summary solve() {
    Index failures = 0;  // bold_driver: steps in a row that did not lower the objective
    double last_value = best_value_;
    run_.problem().value_and_gradient(x_, gradient_);
    for (Index iteration = 1; iteration <= run_.left_of(options_.max_iter); ++iteration) {
      domain_.gradient(x_, gradient_, riemannian_);
      if (!riemannian_.vector().allFinite()) return finish(Termination::stalled, "The gradient is not finite.");
      const double length = domain_.norm(x_, riemannian_);
      longest_ = std::max(longest_, length);
      // A sphere bounds how far a step that is too long ends above the start, so no cut would follow it.
      if (longest_ == length && options_.learning_rate == 0 && !domain_.is_euclidean() && length > 0)
        rate_ = std::min(rate_, kLongestStep * x_.vector().norm() / length);
      if (length == 0 || length < options_.gradient_tolerance * longest_)
        return finish(Termination::converged, PointSolve::small_gradient_text(options_.gradient_tolerance));
      double value = kUnknown;
      for (;;) {
        if (const auto reason = run_.context.interrupted())
          return finish(*reason, fmt::format("Stopped in iteration {}.", iteration));
        if (try_step(value)) break;
        rate_ *= kRateCut;
        ++cuts_;
        if (rate_ < least_rate_) return run_.finish_without_step();
        return_to_best();
      }
      domain_.transport(x_, next_, step_, velocity_);
      std::swap(x_, next_);
      ++run_.counts().iterations;
      run_.record(iteration, value, kUnknown, x_);
      if (value < best_value_) {
        best_value_ = value;
        run_.x = x_;
      }
      if (!bold_) continue;
      const bool fell = value < last_value;
      rate_ *= fell ? options_.growth : kBoldCut;
      failures = fell ? 0 : failures + 1;
      last_value = value;
      if (failures == options_.patience)
        return finish(Termination::converged, fmt::format("{} steps in a row did not lower the objective.", failures));
    }
    return finish(Termination::max_iter, fmt::format("All {} iterations done.", options_.max_iter));
  }

 private:
  [[nodiscard]] double first_rate() const {
    const auto objects = domain_.blocks().front().rows;
    double rate = options_.learning_rate > 0 ? options_.learning_rate : default_rate(objects);
    if (!options_.per_term) return rate;
    const Problem& problem = run_.uncounted();
    require<UnsupportedPair>(problem.offers().has<FiniteSumFace>(),
                             "per_term divides the learning rate by the number of terms, but {} "
                             "is not a sum of terms. Leave per_term out.",
                             problem.name());
    rate *=
        static_cast<double>(objects) / std::max(1.0, static_cast<double>(problem.face<FiniteSumFace>().term_count()));
    return rate;
  }

  /// Writes `next_`, its value and the gradient there. Returns whether to accept the point.
  bool try_step(double& value) {
    if (options_.gains) adapt_gains(riemannian_.vector(), velocity_.vector(), gains_);
    step_.vector() = options_.momentum * velocity_.vector() - rate_ * gains_.cwiseProduct(riemannian_.vector());
    if (!domain_.is_euclidean()) {
      velocity_ = step_;
      domain_.project(x_, velocity_, step_);
    }
    if (!step_.vector().allFinite()) return false;
    run_.problem().retract(x_, step_, next_);
    value = next_.vector().allFinite() ? run_.problem().value_and_gradient(next_, gradient_) : kUnknown;
    return (bold_ ? std::isfinite(value) : value <= highest_) && gradient_.vector().allFinite();
  }

  /// Restarts from the lowest point, at rest.
  void return_to_best() {
    x_ = run_.x;
    velocity_.set_zero();
    gains_.setOnes();
    run_.problem().value_and_gradient(x_, gradient_);
    domain_.gradient(x_, gradient_, riemannian_);
  }

  Summary finish(Termination termination, std::string message) {
    if (cuts_ > 0) message += fmt::format(" The learning rate was cut {} times, to {:.3g}.", cuts_, rate_);
    return run_.finish(termination, std::move(message));
  }

  PointSolve& run_;
  const GradientDescentOptions& options_;
  const Domain& domain_;
  bool bold_;
  double best_value_, highest_, rate_, least_rate_;
  double longest_ = 0;  // gradient
  int cuts_ = 0;
  Point x_, gradient_, riemannian_, velocity_, next_, step_;
  Vector gains_;
};

Summary GradientDescent::solve_one(PointSolve& run) const {
  if (auto end = run.ended_before_a_step()) return *std::move(end);
  return MomentumDescent(run, options_).solve();
}

}  // namespace

SolverEntry gradient_descent_entry() {
  return solver_entry<GradientDescent>(
      {.summary = "batch gradient descent with momentum and a gain for each coordinate, as in "
                  "t-SNE",
       .reference = "Jacobs 1988; van der Maaten & Hinton 2008",
       .description = "Batch gradient descent with momentum and a gain for each coordinate (delta-bar-delta). Returns "
                      "the lowest point met. If a step ends above the start, the learning rate is cut to a tenth; or "
                      "it follows the bold driver of the published programs of t-STE, MVTE and ETE.",
       .by_schedule = true});
}

}  // namespace alidade
