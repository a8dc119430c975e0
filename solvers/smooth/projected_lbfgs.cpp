// L-BFGS within bounds of single numbers, by Bertsekas' two-metric projection: numbers that the gradient presses
// against their bounds take gradient steps, all others quasi-Newton steps, and the path P(x + t d) is searched.
// Bertsekas 1982, with the two loops of Nocedal 1980 on the pairs of the other numbers; the search along the path,
// which bends where a number meets its bound, is the bracketing of Lewis & Overton 2013 for kinks.
// All points that it evaluates lie within the bounds. The objective never rises.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/faces/boxed.hpp"
#include "problems/faces/smooth.hpp"
#include "solvers/contract/option_texts.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {
namespace {

struct ProjectedLbfgsOptions {
  Index lbfgs_rank = 20;
  Index max_iter = 1000;
  double tolerance = 1e-9;
  double gradient_tolerance = 1e-8;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<ProjectedLbfgsOptions>& list() {
    using O = ProjectedLbfgsOptions;
    static const OptionList<O> kList =
        OptionList<O>()
            .integer("lbfgs_rank", &O::lbfgs_rank, between(1, 1000), "number of pairs stored")
            .integer("max_iter", &O::max_iter, between(0, 1e9),
                     "largest number of iterations; each is one search along a path")
            .real("tolerance", &O::tolerance, at_least(0), kIdleText)
            .real("gradient_tolerance", &O::gradient_tolerance, half_open(0, 1), kGradientText)
            .integer("n_init", &O::n_init, at_least(1), kStartsText);
    return kList;
  }
};

class ProjectedLbfgs final : public WithOptions<ProjectedLbfgs, PointSolver, ProjectedLbfgsOptions> {
 public:
  static constexpr std::string_view kName = "projected_lbfgs";
  explicit ProjectedLbfgs(ProjectedLbfgsOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace, Boxed>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double resolution() const override { return options_.tolerance; }
  [[nodiscard]] double gradient_resolution() const override { return options_.gradient_tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

/// Descent from one start, the iterate of which is run.x.
class BoxedDescent {
 public:
  BoxedDescent(PointSolve& run, const ProjectedLbfgsOptions& options)
      : run_(run),
        options_(options),
        domain_(run.domain()),
        step_(domain_.zero()),
        gradient_(step_),
        next_(run.x),
        next_gradient_(step_),
        lower_(step_),
        upper_(step_) {
    step_.vector().setConstant(kInfinity);
    domain_.retract(run.x, step_, upper_);
    step_.vector().setConstant(-kInfinity);
    domain_.retract(run.x, step_, lower_);
  }

  Summary solve() {
    value_ = run_.problem().value_and_gradient(run_.x, gradient_);
    for (Index iteration = 1; iteration <= run_.left_of(options_.max_iter); ++iteration) {
      if (auto end = run_.stopped(iteration)) return *std::move(end);
      if (!gradient_.vector().allFinite()) return run_.finish(Termination::stalled, "The gradient is not finite.");
      const double length = domain_.stationarity(run_.x, gradient_);
      longest_ = std::max(longest_, length);
      if (!(length > options_.gradient_tolerance * longest_))
        return run_.finish(Termination::converged, PointSolve::small_gradient_text(options_.gradient_tolerance),
                           {.objective = {}, .gradient_norm = length});
      choose_direction();
      const double before = value_;
      if (!search()) {
        if (auto end = run_.stopped(iteration)) return *std::move(end);
        if (pairs_.empty()) return run_.finish_without_step();
        pairs_.clear();
        --iteration;
        continue;
      }
      remember();
      ++run_.counts().iterations;
      run_.record(iteration, value_, length, run_.x);
      values_.push_back(before);
      if (values_.size() > kJudgedIterations &&
          values_[values_.size() - kJudgedIterations] - value_ < options_.tolerance * std::abs(value_))
        return run_.finish(Termination::converged, PointSolve::idle_text(options_.tolerance));
    }
    return run_.finish_iterations(options_.max_iter);
  }

 private:
  static constexpr double kFirstStep = 0.01;  // of the start's length
  static constexpr double kArmijo = 1e-4, kWolfe = 0.9;
  static constexpr double kGrowth = 4, kLeastCut = 0.1, kMostCut = 0.5;
  static constexpr int kMostTrials = 40;
  static constexpr double kDependent = 1e-12;  // cosine of a pair below which it says nothing of the curvature

  struct Pair {
    Vector s, y;
  };

  /// Writes free_, 1 where a number takes quasi-Newton steps and 0 where the gradient presses it against a bound, and
  /// direction_.
  void choose_direction() {
    const auto g = gradient_.vector(), x = run_.x.vector();
    const Index n = x.size();
    scale_ = pairs_.empty() ? first_scale() : pairs_.back().s.dot(pairs_.back().y) / pairs_.back().y.squaredNorm();
    // What a gradient step moves by at most: near a minimum, only numbers on their bounds are closer to them than that.
    step_.vector() = -scale_ * g;
    domain_.retract(run_.x, step_, next_);
    const double margin = (next_.vector() - x).lpNorm<Eigen::Infinity>();
    free_.resize(n);
    for (Index i = 0; i < n; ++i)
      free_[i] = (g[i] > 0 && x[i] - lower_.vector()[i] <= margin) || (g[i] < 0 && upper_.vector()[i] - x[i] <= margin)
                     ? 0
                     : 1;
    direction_ = two_loops(free_.cwiseProduct(g));
    if (!(direction_.dot(g) < 0)) direction_ = -scale_ * free_.cwiseProduct(g);
    direction_ -= scale_ * (Vector::Ones(n) - free_).cwiseProduct(g);
  }
  [[nodiscard]] double first_scale() const {
    const double size = run_.x.vector().norm();
    return kFirstStep * (size > 0 ? size : 1) / gradient_.vector().norm();
  }
  /// - H q for the inverse Hessian H of the free numbers, q being 0 at the others. O(pairs * n)
  [[nodiscard]] Vector two_loops(Vector q) const {
    std::vector<double> alpha(pairs_.size()), curvature(pairs_.size());
    double scale = scale_;
    bool scaled = false;
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      const auto& [s, y] = pairs_[k];
      const Vector free_y = free_.cwiseProduct(y);
      const double sy = s.dot(free_y), yy = y.dot(free_y);
      if (!(sy > kDependent * std::sqrt(yy * s.dot(free_.cwiseProduct(s))))) continue;
      if (!std::exchange(scaled, true)) scale = sy / yy;
      curvature[k] = sy;
      alpha[k] = s.dot(q) / sy;
      q -= alpha[k] * free_y;
    }
    q *= scale;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      if (curvature[k] == 0) continue;
      const auto& [s, y] = pairs_[k];
      q += (alpha[k] - y.dot(q) / curvature[k]) * free_.cwiseProduct(s);
    }
    return -q;
  }

  /// Moves to P(x + t d) for a t that satisfies a weak Wolfe condition; best_ is then the point before. False, with x
  /// as it was, if no step lowers the objective or the solve has to end.
  bool search() {
    const Vector g = gradient_.vector(), x = run_.x.vector();
    const double along = g.dot(free_.cwiseProduct(direction_));
    const double first_slope = slope_of(run_.x, gradient_);
    double low = 0, low_value = value_, low_slope = first_slope, high = kInfinity, t = 1;
    for (int trial = 0; trial < kMostTrials && !run_.context.interrupted(); ++trial) {
      step_.vector() = t * direction_;
      domain_.retract(run_.x, step_, next_);
      const Vector moved = next_.vector() - x;
      if (moved.isZero(0)) break;
      const double value = run_.problem().value_and_gradient(next_, next_gradient_);
      const bool finite = std::isfinite(value) && next_gradient_.vector().allFinite();
      const double bound = t * along + g.dot(moved - free_.cwiseProduct(moved));
      if (!finite || !(value <= value_ + kArmijo * bound) || !(value < value_)) {
        high = t;
      } else {
        low = t, low_value = value, low_slope = slope_of(next_, next_gradient_);
        best_ = next_, best_gradient_ = next_gradient_, best_value_ = value;
        if (low_slope >= kWolfe * first_slope) break;
      }
      if (high == kInfinity) {
        t *= kGrowth;
        continue;
      }
      const double width = high - low, excess = value - low_value - low_slope * width;
      const double cut = finite && high == t ? -low_slope * width / (2 * excess) : kMostCut;
      t = low + width * (finite ? std::clamp(std::isfinite(cut) ? cut : kMostCut, kLeastCut, kMostCut) : kLeastCut);
    }
    if (low == 0) return false;
    std::swap(run_.x, best_);
    std::swap(gradient_, best_gradient_);
    value_ = best_value_;
    return true;
  }

  /// The slope of the path at `at`, of numbers that no bound holds there.
  [[nodiscard]] double slope_of(const Point& at, const Point& gradient) const {
    double out = 0;
    for (Index i = 0; i < direction_.size(); ++i)
      if (const double d = direction_[i], x = at.vector()[i]; d > 0 ? x < upper_.vector()[i] : x > lower_.vector()[i])
        out += gradient.vector()[i] * d;
    return out;
  }

  /// The last step and the change of the gradient. @pre search() moved
  void remember() {
    Vector s = run_.x.vector() - best_.vector(), y = gradient_.vector() - best_gradient_.vector();
    if (!(s.dot(y) > kDependent * s.norm() * y.norm())) return;
    if (std::ssize(pairs_) == options_.lbfgs_rank) pairs_.pop_front();
    pairs_.push_back({std::move(s), std::move(y)});
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  PointSolve& run_;
  const ProjectedLbfgsOptions& options_;
  const Domain& domain_;
  double value_ = 0, longest_ = 0, scale_ = 1, best_value_ = 0;
  std::vector<double> values_;
  std::deque<Pair> pairs_;
  Vector free_, direction_;
  Point step_, gradient_, next_, next_gradient_, lower_, upper_, best_, best_gradient_;
};

Summary ProjectedLbfgs::solve_one(PointSolve& run) const {
  if (auto end = run.ended_before_a_step()) return *std::move(end);
  return BoxedDescent(run, options_).solve();
}

}  // namespace

SolverEntry projected_lbfgs_entry() {
  return solver_entry<ProjectedLbfgs>(
      {.summary = "L-BFGS within bounds of single numbers, as L-BFGS-B is for",
       .reference = "Bertsekas 1982; Nocedal 1980; Lewis & Overton 2013",
       .description = "L-BFGS within bounds of single numbers, infinite ones too, by two-metric projection: numbers "
                      "that the gradient presses against their bounds take gradient steps, the others quasi-Newton "
                      "steps. For what L-BFGS-B is used for."});
}

}  // namespace alidade
