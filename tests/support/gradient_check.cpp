#include "tests/support/gradient_check.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/faces/smooth.hpp"
#include "tests/support/approx.hpp"

namespace alidade::testing {

Point random_tangent(const Domain& domain, const Point& x, Rng& rng) {
  Point ambient = domain.zero();
  for (double& entry : ambient.flat()) entry = rng.normal();
  Point v = domain.zero();
  domain.project(x, ambient, v);
  v.vector() /= domain.norm(x, v);
  return v;
}

Slope remainder_slope(const Problem& problem, const Point& x, const Point& v) {
  constexpr double kStepsPerDecade = 4;
  constexpr double kFirst = 1e-8;
  constexpr int kSteps = 33;  // to t = 1
  const Domain& domain = *problem.domain();
  Executor executor;
  Evaluation evaluation(executor);
  Point gradient = domain.zero();
  const double f = problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
  const double along = gradient.vector().dot(v.vector());

  Slope out;
  out.smallest = std::numeric_limits<double>::infinity();
  std::vector<double> remainder;
  double largest = 0;
  Point step = domain.zero(), moved = domain.zero();
  for (int i = 0; i < kSteps; ++i) {
    const double t = kFirst * std::pow(10, i / kStepsPerDecade);
    step.vector() = t * v.vector();
    domain.retract(x, step, moved);
    const double r = std::abs(problem.face<SmoothFace>().value(moved, evaluation) - f - t * along);
    remainder.push_back(r);
    out.smallest = std::min(out.smallest, r);
    largest = std::max(largest, r / t);
  }
  out.linear = largest * kFirst <= 1e-14 * std::abs(f) && remainder.back() <= 1e-12 * std::abs(f);
  // Slopes over one decade, so that rounding in a single remainder weighs little.
  int run = 0, longest = 0;
  for (std::size_t i = 4; i < remainder.size(); ++i) {
    const double slope = std::log10(remainder[i] / remainder[i - 4]);
    run = std::abs(slope - 2) <= 0.1 ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  if (longest > 0) out.decades = (longest + 3) / kStepsPerDecade;
  return out;
}

void check_gradient(const Problem& problem, const Point& x, Rng& rng, int directions) {
  const Domain& domain = *problem.domain();
  Executor executor;
  Evaluation evaluation(executor);
  Point euclidean = domain.zero(), riemannian = domain.zero(), tangent = domain.zero();
  // A gradient buffer that is not empty must be overwritten.
  for (double& entry : euclidean.flat()) entry = 1e30;
  const double f = problem.face<SmoothFace>().value_and_gradient(x, euclidean, evaluation);
  CHECK(std::isfinite(f));
  CHECK(f == problem.face<SmoothFace>().value(x, evaluation));
  domain.gradient(x, euclidean, riemannian);
  domain.project(x, riemannian, tangent);
  CHECK(all_close(tangent.flat(), riemannian.flat(), kSum));
  for (int i = 0; i < directions; ++i) {
    const Point v = random_tangent(domain, x, rng);
    const double scale = domain.norm(x, riemannian);
    CHECK(close(domain.inner(x, riemannian, v), euclidean.vector().dot(v.vector()), {1e-11, 1e-12 * scale}));
    const Slope slope = remainder_slope(problem, x, v);
    CAPTURE(i);
    CAPTURE(slope.smallest);
    CHECK((slope.linear || slope.decades >= 2));
  }
}

}  // namespace alidade::testing
