// Is a gradient the derivative of its value? Judged by the slope of the remainder, without a step size to tune.
// r(t) = |f(R_x(tv)) - f(x) - t <grad, v>| must fall like t^2: log r over log t has slope 2.
// The point must be generic: at a kink, or where the second derivative along v vanishes, the slope is another.
#pragma once

#include "problems/contract/problem.hpp"
#include "problems/core/random.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::testing {

struct Slope {
  double decades = 0;   // the longest stretch of t on which the local slope is 2 +- 0.1
  double smallest = 0;  // smallest remainder met
  bool linear = false;  // r is rounding everywhere: f is linear along v
};

/// The slope of the remainder of the smooth face at x along tangent v.
[[nodiscard]] Slope remainder_slope(const Problem& problem, const Point& x, const Point& v);

/// A random tangent vector at x of length 1 in the domain's metric.
[[nodiscard]] Point random_tangent(const Domain& domain, const Point& x, Rng& rng);

/// Asserts along `directions` random tangents: slope 2 on at least 2 decades, the Riemannian gradient is
/// tangent and represents the Euclidean one, value() has the bits of value_and_gradient().
void check_gradient(const Problem& problem, const Point& x, Rng& rng, int directions = 3);

}  // namespace alidade::testing
