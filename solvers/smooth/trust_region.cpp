// Riemannian trust region (Absil, Baker & Gallivan 2007): each step minimises f(x) + <g, s> + <s, H s> / 2 over tangent
// vectors no longer than a radius, by conjugate gradients that end at the radius, at negative curvature, or where the
// residual has fallen enough (Steihaug 1983; Toint 1981). H v is a difference of gradients along v, carried back to x's
// tangent space (Boumal 2015, RTR-FD): one gradient a product, and no second derivatives are asked of a problem.
// The radius follows how well the model foretold the objective (Conn, Gould & Toint 2000). The objective never rises.
#include <algorithm>
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

struct TrustRegionOptions {
  Index max_iter = 2000;
  Index max_products = 100;
  double difference = 1e-6;
  double gradient_tolerance = 1e-7;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<TrustRegionOptions>& list() {
    using O = TrustRegionOptions;
    static const OptionList<O> kList =
        OptionList<O>()
            .integer("max_iter", &O::max_iter, between(0, 1e9),
                     "largest number of iterations; each is a step that is tried, with up to max_products gradients")
            .integer("max_products", &O::max_products, at_least(1),
                     "largest number of products with the Hessian a step; each is one gradient")
            .real("difference", &O::difference, between(1e-12, 1e-1),
                  "how far apart two gradients are whose difference is a product with the Hessian, as a share of the "
                  "point's length; larger where sums are in float")
            .real("gradient_tolerance", &O::gradient_tolerance, half_open(0, 1), kGradientText)
            .integer("n_init", &O::n_init, at_least(1), kStartsText);
    return kList;
  }
};

class TrustRegion final : public WithOptions<TrustRegion, PointSolver, TrustRegionOptions> {
 public:
  static constexpr std::string_view kName = "trust_region";
  explicit TrustRegion(TrustRegionOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace, Borderless>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double gradient_resolution() const override { return options_.gradient_tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

/// Descent from one start.
class TrustRegionDescent {
 public:
  TrustRegionDescent(PointSolve& run, const TrustRegionOptions& options)
      : run_(run),
        options_(options),
        domain_(run.domain()),
        value_(run.initial_objective()),
        radius_(kFirstRadius * length_of_point()),
        euclidean_(domain_.zero()),
        gradient_(euclidean_),
        step_(euclidean_),
        along_(euclidean_),
        curved_(euclidean_),
        residual_(euclidean_),
        there_(euclidean_),
        moved_(euclidean_),
        next_(run.x) {}

  Summary solve() {
    run_.problem().value_and_gradient(run_.x, euclidean_);
    domain_.gradient(run_.x, euclidean_, gradient_);
    for (Index iteration = 1; iteration <= run_.left_of(options_.max_iter); ++iteration) {
      if (!gradient_.vector().allFinite()) return run_.finish(Termination::stalled, "The gradient is not finite.");
      const double length = domain_.norm(run_.x, gradient_);
      longest_ = std::max(longest_, length);
      if (length == 0 || length < options_.gradient_tolerance * longest_)
        return run_.finish(Termination::converged, PointSolve::small_gradient_text(options_.gradient_tolerance),
                           {.objective = value_, .gradient_norm = length});
      const double foretold = minimise_model(length);
      if (auto end = run_.stopped(iteration)) return *std::move(end);
      run_.problem().retract(run_.x, step_, next_);
      const double value = next_.vector().allFinite() ? run_.problem().value_and_gradient(next_, there_) : kUnknown;
      const bool finite = std::isfinite(value) && there_.vector().allFinite();
      // Near the end both falls are rounding, and their ratio says nothing.
      const double slack = kRounding * std::abs(value_);
      const double ratio = finite ? (value_ - value + slack) / (foretold + slack) : -1;
      ++run_.counts().iterations;
      if (!(ratio >= kPoor))
        radius_ = kCut * std::min(radius_, domain_.norm(run_.x, step_));
      else if (ratio > kGood && at_radius_)
        radius_ *= kGrowth;
      if (finite && ratio > kAccepted && value <= value_) {
        const bool still = value == value_;
        std::swap(run_.x, next_);
        std::swap(euclidean_, there_);
        value_ = value;
        domain_.gradient(run_.x, euclidean_, gradient_);
        unmoved_ = still ? unmoved_ + 1 : 0;
      }
      run_.record(iteration, value_, domain_.norm(run_.x, gradient_), run_.x);
      if (!(radius_ > kLeastRadius * length_of_point()))
        return run_.finish_without_step("Steps that lower the objective are too short to matter, as at its kinks.");
      if (unmoved_ == kMostUnmoved) return run_.finish_without_step();
    }
    return run_.finish_iterations(options_.max_iter);
  }

 private:
  static constexpr double kFirstRadius = 0.1;  // of the start's length
  static constexpr double kAccepted = 0.1;     // share of the foretold fall
  static constexpr double kPoor = 0.25;        // below, the radius is cut
  static constexpr double kGood = 0.75;        // above, a radius that was reached grows
  static constexpr double kCut = 0.25, kGrowth = 2;
  static constexpr double kResidual = 0.1;    // share of the gradient that a step may leave, at most
  static constexpr double kRounding = 1e-13;  // of the objective, by which both falls are lengthened
  // Of the point's length; along a shorter step a fall is one of rounding, which would hold the radius up.
  static constexpr double kLeastRadius = 1e-10;
  static constexpr int kMostUnmoved = 3;  // steps in a row that change the gradient alone

  [[nodiscard]] double length_of_point() const {
    const double length = run_.x.vector().norm();
    return length > 0 ? length : 1;
  }

  /// Writes H v, of v = along_, into curved_; false where no gradient is finite there.
  bool multiply(double squared) {
    const double share = options_.difference * length_of_point() / std::sqrt(squared);
    moved_.vector() = share * along_.vector();
    run_.problem().retract(run_.x, moved_, next_);
    if (!next_.vector().allFinite()) return false;
    run_.problem().value_and_gradient(next_, there_);
    domain_.gradient(next_, there_, moved_);
    domain_.transport(next_, run_.x, moved_, curved_);
    curved_.vector() = (curved_.vector() - gradient_.vector()) / share;
    domain_.project(run_.x, curved_, curved_);
    return curved_.vector().allFinite();
  }

  /// Writes the step; returns by how much the model falls along it. `length`: of the gradient.
  double minimise_model(double length) {
    const Point& x = run_.x;
    const double enough = length * std::min(kResidual, length / longest_);
    step_.set_zero();
    residual_ = gradient_;
    along_.vector() = -gradient_.vector();
    double squared = length * length, foretold = 0;  // of the residual
    at_radius_ = false;
    for (Index product = 0; product < options_.max_products; ++product) {
      if (run_.context.interrupted()) break;
      const double ss = domain_.inner(x, step_, step_), sd = domain_.inner(x, step_, along_),
                   dd = domain_.inner(x, along_, along_);
      const double to_radius = (std::sqrt(sd * sd + dd * (radius_ * radius_ - ss)) - sd) / dd;
      const bool known = multiply(dd);
      const double curvature = known ? domain_.inner(x, along_, curved_) : 0;
      const double rate = curvature > 0 ? squared / curvature : to_radius;
      at_radius_ = !(rate < to_radius);
      const double taken = at_radius_ ? to_radius : rate;
      // Along it the model's slope at the step so far is -squared: the residual and the direction agree to rounding.
      foretold += taken * squared - taken * taken * curvature / 2;
      step_.vector() += taken * along_.vector();
      if (at_radius_) break;
      residual_.vector() += taken * curved_.vector();
      const double left = domain_.inner(x, residual_, residual_);
      if (!(std::sqrt(left) > enough)) break;
      along_.vector() = left / squared * along_.vector() - residual_.vector();
      squared = left;
    }
    return foretold;
  }

  PointSolve& run_;
  const TrustRegionOptions& options_;
  const Domain& domain_;
  double value_;        // at x
  double radius_;       // of the region in which the model is trusted
  double longest_ = 0;  // gradient
  bool at_radius_ = false;
  int unmoved_ = 0;
  Point euclidean_, gradient_, step_, along_, curved_, residual_, there_, moved_, next_;
};

Summary TrustRegion::solve_one(PointSolve& run) const {
  if (auto end = run.ended_before_a_step()) return *std::move(end);
  return TrustRegionDescent(run, options_).solve();
}

}  // namespace

SolverEntry trust_region_entry() {
  return solver_entry<TrustRegion>(
      {.summary = "Riemannian trust region: second-order steps by conjugate gradients on differences of gradients",
       .reference = "Absil, Baker & Gallivan 2007; Boumal 2015",
       .description = "Riemannian trust region. Each step minimises a quadratic model within a radius by truncated "
                      "conjugate gradients; products with the Hessian are differences of gradients. Leaves saddles "
                      "along negative curvature, and ends with a gradient far smaller than descent reaches."});
}

}  // namespace alidade
