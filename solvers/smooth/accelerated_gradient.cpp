// Accelerated projected gradient: Nesterov's steps with a step size found by backtracking (FISTA, Beck & Teboulle
// 2009), restarted whenever the objective would rise (O'Donoghue & Candes 2015). y = R_x(beta v), x <- R_y(-rate grad).
// Where the domain is convex and flat (Euclidean, box, psd cone) its retraction is the projection; elsewhere steps are
// Riemannian ones. All points that it evaluates lie in the domain. The objective never rises.
#include <cmath>
#include <utility>

#include "problems/core/options.hpp"
#include "problems/faces/smooth.hpp"
#include "solvers/contract/option_texts.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {
namespace {

struct AcceleratedGradientOptions {
  Index max_iter = 1000;
  double gradient_tolerance = 1e-6;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<AcceleratedGradientOptions>& list() {
    using O = AcceleratedGradientOptions;
    static const OptionList<O> kList =
        OptionList<O>()
            .integer("max_iter", &O::max_iter, between(0, 1e9),
                     "largest number of iterations; each is one gradient and one or more values")
            .real("gradient_tolerance", &O::gradient_tolerance, half_open(0, 1), kGradientText)
            .integer("n_init", &O::n_init, at_least(1), kStartsText);
    return kList;
  }
};

class AcceleratedGradient final : public WithOptions<AcceleratedGradient, PointSolver, AcceleratedGradientOptions> {
 public:
  static constexpr std::string_view kName = "accelerated_gradient";
  explicit AcceleratedGradient(AcceleratedGradientOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double gradient_resolution() const override { return options_.gradient_tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

/// Descent from one start.
class AcceleratedDescent {
 public:
  AcceleratedDescent(PointSolve& run, const AcceleratedGradientOptions& options)
      : run_(run),
        options_(options),
        domain_(run.domain()),
        value_(run.initial_objective()),
        y_(run.x),
        z_(run.x),
        euclidean_(domain_.zero()),
        gradient_(euclidean_),
        step_(euclidean_),
        moved_(euclidean_),
        velocity_(euclidean_) {}

  Summary solve() {
    for (Index iteration = 1; iteration <= run_.left_of(options_.max_iter); ++iteration) {
      if (auto end = run_.stopped(iteration)) return *std::move(end);
      look_ahead();
      double at_y = run_.problem().value_and_gradient(y_, euclidean_);
      domain_.gradient(y_, euclidean_, gradient_);
      if (momentum_ && !(std::isfinite(at_y) && gradient_.vector().allFinite())) {
        restart();
        at_y = run_.problem().value_and_gradient(y_, euclidean_);
        domain_.gradient(y_, euclidean_, gradient_);
      }
      if (!gradient_.vector().allFinite()) return run_.finish(Termination::stalled, "The gradient is not finite.");
      double at_z = kUnknown;
      for (;;) {
        if (const auto end = descend(at_y, at_z, iteration)) return *end;
        if (at_z < value_) break;
        // Even steps from x raise the objective by rounding alone.
        if (!momentum_) return run_.finish_without_step();
        restart();
        at_y = run_.problem().value_and_gradient(y_, euclidean_);
        domain_.gradient(y_, euclidean_, gradient_);
      }
      const double length = std::sqrt(squared_) / rate_;
      longest_ = std::max(longest_, length);
      advance(at_z);
      ++run_.counts().iterations;
      run_.record(iteration, value_, length, run_.x);
      if (length < options_.gradient_tolerance * longest_)
        return run_.finish(Termination::converged, PointSolve::small_gradient_text(options_.gradient_tolerance));
    }
    return run_.finish_iterations(options_.max_iter);
  }

 private:
  static constexpr double kFirstStep = 1e-3;  // of the start's length
  static constexpr double kCut = 0.5;
  static constexpr double kGrowth = 1.25;       // of a step size that was not cut
  static constexpr double kLeastShare = 1e-30;  // of the largest step size, below which no step helps
  static constexpr double kRounding = 1e-14;    // of the objective

  /// y, ahead of x by the momentum.
  void look_ahead() {
    const double next = (1 + std::sqrt(1 + 4 * age_ * age_)) / 2, beta = (age_ - 1) / next;
    age_ = next;
    momentum_ = beta > 0;
    y_ = run_.x;
    if (!momentum_) return;
    step_.vector() = beta * velocity_.vector();
    run_.problem().retract(run_.x, step_, y_);
  }
  void restart() {
    age_ = 1;
    momentum_ = false;
    y_ = run_.x;
  }

  /// Finds a step size at which z is below what a bound of curvature 1 / rate says; writes z, its value and squared_.
  /// A summary if the solve ends.
  std::optional<Summary> descend(double at_y, double& at_z, Index iteration) {
    const double length = domain_.norm(y_, gradient_);
    if (length == 0) return run_.finish(Termination::converged, "Converged: the gradient is zero.");
    if (rate_ == 0) {
      const double size = run_.x.vector().norm();
      rate_ = kFirstStep * (size > 0 ? size : 1) / length;
    }
    bool cut = false;
    for (;; rate_ *= kCut, cut = true) {
      if (auto end = run_.stopped(iteration)) return end;
      if (!(rate_ > kLeastShare * largest_rate_)) return run_.finish_without_step();
      step_.vector() = -rate_ * gradient_.vector();
      run_.problem().retract(y_, step_, z_);
      if (!z_.vector().allFinite()) continue;
      moved_.vector() = z_.vector() - y_.vector();
      const double slope = euclidean_.vector().dot(moved_.vector());
      domain_.project(y_, moved_, moved_);
      squared_ = domain_.inner(y_, moved_, moved_);
      if (squared_ == 0) return run_.finish_without_step();
      at_z = run_.problem().value(z_);
      if (at_z <= at_y + slope + squared_ / (2 * rate_) + kRounding * std::abs(at_y)) break;
    }
    grows_ = !cut;
    return std::nullopt;
  }

  /// x <- z, with the way there as the velocity.
  void advance(double at_z) {
    moved_.vector() = z_.vector() - run_.x.vector();
    domain_.project(run_.x, moved_, moved_);
    domain_.transport(run_.x, z_, moved_, velocity_);
    std::swap(run_.x, z_);
    value_ = at_z;
    largest_rate_ = std::max(largest_rate_, rate_);
    if (grows_) rate_ *= kGrowth;
  }

  PointSolve& run_;
  const AcceleratedGradientOptions& options_;
  const Domain& domain_;
  double value_;     // at x
  double rate_ = 0;  // step size; 0: not known yet
  double largest_rate_ = 0;
  double squared_ = 0;     // length of the last step
  double longest_ = 0;     // projected gradient
  double age_ = 1;         // Nesterov's t, of steps since the last restart
  bool momentum_ = false;  // whether y is ahead of x
  bool grows_ = false;
  Point y_, z_, euclidean_, gradient_, step_, moved_, velocity_;
};

Summary AcceleratedGradient::solve_one(PointSolve& run) const {
  if (auto end = run.ended_before_a_step()) return *std::move(end);
  return AcceleratedDescent(run, options_).solve();
}

}  // namespace

SolverEntry accelerated_gradient_entry() {
  return solver_entry<AcceleratedGradient>(
      {.summary = "accelerated projected gradient descent (FISTA) with backtracking and restarts; for "
                  "domains with a border, too",
       .reference = "Beck & Teboulle 2009; O'Donoghue & Candes 2015",
       .description = "Accelerated projected gradient (FISTA). The step size is found by backtracking, momentum "
                      "restarts where the objective would rise. Meant for convex objectives with a border, such as "
                      "losses over positive semidefinite matrices."});
}

}  // namespace alidade
