#include "solvers/contract/surroundings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/random.hpp"

namespace alidade {
namespace {

constexpr Index kProducts = 12;
constexpr double kDifference = 1e-4;      // length of the step between gradients, of the map's size
constexpr double kLeastCurvature = 1e-4;  // relative to the largest of those found
constexpr double kDependent = 1e-8;       // relative to a vector's length before orthogonalisation
constexpr double kFlat = 1e-6;            // of the objective: what the largest curvature adds over the map's size
constexpr double kShortestDown = 1e-10;   // of the steps along the gradient, of the map's size
constexpr double kShortest = 1.0 / 256;   // of the steps tried, of the map's size
constexpr double kLongest = 1e12;         // for maps that are nearly a point
constexpr double kGrowth = 4;
constexpr std::array kStretches = {1e-6, 1e-4, 0.01, 0.1, 10.0, 100.0};
constexpr std::uint64_t kSeed = 0x5add1e;

/// Length of x about the mean of each Euclidean column; 1 for a map that is a point.
double size_of(const Domain& domain, const Point& x) {
  double squared = 0;
  for (std::size_t b = 0; b < domain.blocks().size(); ++b) {
    const auto block = x.block(b);
    if (std::holds_alternative<Euclidean>(domain.blocks()[b].manifold))
      squared += (block.rowwise() - block.colwise().mean()).squaredNorm();
    else
      squared += block.squaredNorm();
  }
  return squared > 0 ? std::sqrt(squared) : 1;
}

/// 1 for numbers that can move by `step` both ways, 0 for those that a bound holds. @pre there is no other border
Vector free_numbers(const Domain& domain, const Point& x, double step) {
  Point along = x, ahead = x, behind = x;
  along.vector().setConstant(step);
  domain.retract(x, along, ahead);
  along.vector().setConstant(-step);
  domain.retract(x, along, behind);
  return ((ahead.vector() - behind.vector()).array() > 1.999 * step).cast<double>();
}

/// Products with the Hessian at x, by differences of gradients.
class Curvature {
 public:
  Curvature(CountedProblem& problem, const Point& x, double step)
      : problem_(problem),
        domain_(problem.domain()),
        x_(x),
        step_(step),
        euclidean_(x),
        gradient_(x),
        moved_(x),
        tangent_(x) {
    known_ = slope(x_, gradient_);
  }
  [[nodiscard]] bool is_known() const { return known_; }
  [[nodiscard]] const Point& gradient() const { return gradient_; }
  /// False where there is no finite gradient.
  bool times(const Point& direction, Point& out) {
    tangent_.vector() = step_ * direction.vector();
    problem_.retract(x_, tangent_, moved_);
    if (!slope(moved_, tangent_)) return false;
    domain_.transport(moved_, x_, tangent_, out);
    out.vector() = (out.vector() - gradient_.vector()) / step_;
    return out.vector().allFinite();
  }

 private:
  bool slope(const Point& at, Point& out) {
    if (!problem_.gradient(at, euclidean_)) return false;
    domain_.gradient(at, euclidean_, out);
    return out.vector().allFinite();
  }

  CountedProblem& problem_;
  const Domain& domain_;
  const Point& x_;
  double step_;
  Point euclidean_, gradient_, moved_, tangent_;
  bool known_ = false;
};

struct Bend {
  Point gradient;
  double largest = 0;            // size of the largest curvature met
  std::optional<Point> falling;  // a unit tangent vector along which the curvature is negative
};

/// Nothing where there is no finite gradient.
std::optional<Bend> bend_at(CountedProblem& problem, const Point& x, double size) {
  const Domain& domain = problem.domain();
  Curvature hessian(problem, x, kDifference * size);
  if (!hessian.is_known()) return std::nullopt;
  const Vector free =
      domain.has_border() ? free_numbers(domain, x, kDifference * size) : Vector(Vector::Ones(x.size()));
  Rng rng(kSeed);
  Point next = x, product = x;
  for (double& entry : product.flat()) entry = rng.normal();
  domain.project(x, product, next);
  next.vector().array() *= free.array();
  std::vector<Point> basis;
  Eigen::MatrixXd inner = Eigen::MatrixXd::Zero(kProducts, kProducts);
  for (Index k = 0; k < kProducts; ++k) {
    const double before = domain.norm(x, next);
    for (int twice = 0; twice < 2; ++twice)
      for (const Point& other : basis) next.vector() -= domain.inner(x, other, next) * other.vector();
    const double length = domain.norm(x, next);
    if (!(length > kDependent * before)) break;
    next.vector() /= length;
    if (!hessian.times(next, product)) return std::nullopt;
    product.vector().array() *= free.array();
    basis.push_back(next);
    for (Index j = 0; j <= k; ++j)
      inner(j, k) = inner(k, j) = domain.inner(x, basis[static_cast<std::size_t>(j)], product);
    next = product;
  }
  const auto rank = std::ssize(basis);
  if (rank == 0) return std::nullopt;
  const SymmetricEigen ritz(Eigen::MatrixXd(inner.topLeftCorner(rank, rank)));
  Bend out{hessian.gradient(), ritz.eigenvalues().cwiseAbs().maxCoeff(), std::nullopt};
  out.gradient.vector().array() *= free.array();
  if (!(ritz.eigenvalues()[0] < -kLeastCurvature * out.largest)) return out;
  out.falling = domain.zero();
  for (Index k = 0; k < rank; ++k)
    out.falling->vector() += ritz.eigenvectors()(k, 0) * basis[static_cast<std::size_t>(k)].vector();
  return out;
}

}  // namespace

bool before_border(CountedProblem& problem, const Point& x, double objective, double least_fall) {
  const Domain& domain = problem.domain();
  Point euclidean = x, down = x, step = x, moved = x;
  if (!problem.gradient(x, euclidean)) return false;
  domain.gradient(x, euclidean, down);
  const double slope = domain.norm(x, down), shortest = kShortestDown * size_of(domain, x),
               longest = std::max(least_fall / slope, shortest);
  for (double length = longest; length >= shortest; length /= kGrowth) {
    step.vector() = -length / slope * down.vector();
    problem.retract(x, step, moved);
    const double value = problem.objective(moved);
    if (std::isfinite(value) && problem.gradient(moved, euclidean) && euclidean.vector().allFinite())
      return length < longest && value <= objective;
  }
  return std::isfinite(slope) && slope > 0;
}

Surroundings look_around(CountedProblem& problem, const Point& x, double objective, double least_fall) {
  const Domain& domain = problem.domain();
  const bool bounded = domain.is_boxed();
  if (x.size() == 0 || (domain.has_border() && !bounded)) return {};
  const double size = size_of(domain, x), threshold = objective - least_fall;
  LowerPoint best{x, objective};
  Point step = x, moved = x;
  const auto consider = [&] {
    const double value = moved.vector().allFinite() ? problem.objective(moved) : kUnknown;
    if (std::isfinite(value) && value < best.objective) best = {moved, value};
  };
  if (domain.is_euclidean())
    for (const double factor : kStretches) {
      moved.vector() = factor * x.vector();
      consider();
    }
  if (best.objective < threshold) return {std::move(best)};
  const auto bend = bend_at(problem, x, size);
  if (!bend) return {};
  const auto search = [&](const Point& direction, double shortest, double longest) {
    for (double length = shortest; length <= longest; length *= kGrowth) {
      step.vector() = length * size * direction.vector();
      problem.retract(x, step, moved);
      consider();
    }
  };
  // Where a straight slope would lower it enough over the size of the map.
  if (const double slope = domain.norm(x, bend->gradient); slope * size > least_fall) {
    Point down = bend->gradient;
    down.vector() *= -1 / slope;
    search(down, kShortestDown, 1);
    if (best.objective < threshold) return {std::move(best)};
  }
  if (!bend->falling)
    return {.lower = {}, .flat = !bounded && bend->largest * size * size < kFlat * std::abs(objective)};
  Point back = *bend->falling;
  back.vector() *= -1;
  search(*bend->falling, kShortest, kLongest);
  search(back, kShortest, kLongest);
  if (best.objective < threshold) return {std::move(best)};
  return {};
}

}  // namespace alidade
