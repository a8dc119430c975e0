#include "own_methods.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace own {
using namespace alidade;
namespace {

/// Neighbourhood components analysis (Goldberger, Roweis, Hinton & Salakhutdinov 2005, Eq. 3): the linear map Y = X A on
/// which a random neighbour, drawn by exp(-|y_i - y_j|^2), most often has the object's own label. An evaluation is O(n^2 d).
class Nca {
 public:
  Nca(const Observations& data, Index dimension)
      : x_(data.features->cast<double>()),
        same_(x_.rows(), x_.rows()),
        domain_(std::make_shared<const Domain>(std::vector<DomainBlock>{{"A", x_.cols(), dimension, Euclidean{}}})) {
    for (std::size_t i = 0; i < data.labels.size(); ++i)
      for (std::size_t j = 0; j < data.labels.size(); ++j)
        same_(static_cast<Index>(i), static_cast<Index>(j)) =
            data.labels[i] == data.labels[j] && !data.labels[i].empty();
  }
  const Domain& domain() const { return *domain_; }
  Solution start(Rng& rng) const { return domain_->random(rng); }
  Embedding decode(const Solution& a) const { return {{{"", x_ * std::get<Point>(a).block(0)}}}; }
  double value(const Point& a, Evaluation& e) const {
    Point unused = domain_->zero();
    return value_and_gradient(a, unused, e);
  }
  double value_and_gradient(const Point& a, Point& gradient, Evaluation&) const {
    const Matrix y = x_ * a.block(0);
    const Index n = y.rows();
    Matrix pull = Matrix::Zero(n, y.cols());
    std::vector<double> p(static_cast<std::size_t>(n));  // of each j to be drawn as the neighbour of i
    double out = 0;
    for (Index i = 0; i < n; ++i) {
      double nearest = INFINITY, all = 0, right = 0;
      for (Index j = 0; j < n; ++j)
        if (j != i) nearest = std::min(nearest, p[subscript(j)] = (y.row(i) - y.row(j)).squaredNorm());
      for (Index j = 0; j < n; ++j) all += p[subscript(j)] = j == i ? 0 : std::exp(nearest - p[subscript(j)]);
      for (Index j = 0; j < n; ++j) right += (p[subscript(j)] /= all) * same_(i, j);
      for (Index j = 0; j < n; ++j) {
        const double weight = p[subscript(j)] * (same_(i, j) - right) / static_cast<double>(n);
        for (Index c = 0; c < y.cols(); ++c) {
          const double force = weight * (y(i, c) - y(j, c));
          pull(i, c) += force;
          pull(j, c) -= force;
        }
      }
      out -= right / static_cast<double>(n);
    }
    gradient.block(0).noalias() = 2 * x_.transpose() * pull;
    return out;
  }

 private:
  Matrix x_, same_;
  std::shared_ptr<const Domain> domain_;
};

struct NcaOptions {
  Index n_components = 2;
  static const OptionList<NcaOptions>& list() {
    static const auto kList = OptionList<NcaOptions>().integer("n_components", &NcaOptions::n_components,
                                                               between(1, 100), "dimension of the map");
    return kList;
  }
};

struct SpectralStepOptions {
  Index max_iter = 500;
  static const OptionList<SpectralStepOptions>& list() {
    static const auto kList = OptionList<SpectralStepOptions>().integer("max_iter", &SpectralStepOptions::max_iter,
                                                                        at_least(0), "steps taken");
    return kList;
  }
};

/// Gradient descent by spectral steps (Barzilai & Borwein 1988), halved where the objective is above that of the last ten
/// (Raydan 1997).
class SpectralStep final : public WithOptions<SpectralStep, PointSolver, SpectralStepOptions> {
 public:
  static constexpr std::string_view kName = "spectral_step";
  explicit SpectralStep(SpectralStepOptions options) : WithOptions(options) {}
  static CapabilitySet needed() { return CapabilitySet::of<SmoothFace>(); }

 private:
  Index start_count() const override { return 1; }
  Summary solve_one(PointSolve& run) const override {
    require<UnsupportedPair>(run.domain().is_euclidean(), "Solver 'spectral_step' steps straight, off any manifold.");
    run.record_start();
    if (auto end = run.ended_at_start()) return *std::move(end);
    Point at = run.x, next = at, slope = run.domain().zero(), next_slope = slope;
    double value = run.problem().value_and_gradient(at, slope), best = value, step = 1 / slope.vector().norm();
    std::vector<double> last{value};
    for (Index iteration = 1; iteration <= run.left_of(options_.max_iter); ++iteration) {
      if (slope.vector().norm() <= 1e-6 * run.problem().longest_gradient())
        return run.finish(Termination::converged, "The gradient is a millionth of the longest.");
      for (;; step /= 2) {
        if (auto end = run.stopped(iteration)) return *std::move(end);
        next.vector() = at.vector() - step * slope.vector();
        value = run.problem().value_and_gradient(next, next_slope);
        if (value <= *std::max_element(last.begin(), last.end()) - 1e-4 * step * slope.vector().squaredNorm()) break;
        if (step < 1e-300) return run.finish(Termination::stalled, "No step lowers the objective.");
      }
      const Vector moved = next.vector() - at.vector(), turned = next_slope.vector() - slope.vector();
      step = moved.dot(turned) > 0 ? moved.squaredNorm() / moved.dot(turned) : 2 * step;
      std::swap(at, next);
      std::swap(slope, next_slope);
      last.push_back(value);
      if (last.size() > 10) last.erase(last.begin());
      if (value < best) run.x = at, best = value;
      ++run.counts().iterations;
      run.record(iteration, value, slope.vector().norm(), at);
    }
    return run.finish(Termination::max_iter, "All iterations done.");
  }
};

}  // namespace

ProblemEntry nca_entry() {
  return {.name = "nca",
          .summary = "a linear map on which neighbours share their label",
          .reference = "Goldberger et al. 2005",
          .equation = "max over A: sum over i of the probability that a neighbour of i has its label",
          .needs = {ObservationKind::features, ObservationKind::labels},
          .offers = borderless_offer<Nca>(),
          .options = NcaOptions::list().infos(),
          .make = [](const Observations& data, const ValueTable& options, Executor&) -> Problem {
            return {"nca", Nca(data, NcaOptions::list().parse(options, "problem 'nca'").n_components)};
          }};
}

SolverEntry spectral_step_entry() {
  return solver_entry<SpectralStep>(
      {.summary = "gradient descent by Barzilai's and Borwein's steps",
       .reference = "Barzilai & Borwein 1988; Raydan 1997"});
}

}  // namespace own
