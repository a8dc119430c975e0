// Looks for a way down from a point that a solver takes for a minimum: whether it is a saddle, or a map that has shrunk
// or never grown, where every gradient is small.
// Maps of other sizes are tried first, then steps of all sizes along the gradient if it is long, and along a direction
// of negative curvature, which Lanczos' method on differences of gradients finds (Golub & Van Loan 2013, section 10.1).
// Nothing found is no proof that nothing is there.
#pragma once

#include <optional>

#include "problems/spaces/point.hpp"
#include "solvers/contract/counted_problem.hpp"

namespace alidade {

struct LowerPoint {
  Point x;
  double objective = 0;
};

struct Surroundings {
  std::optional<LowerPoint> lower;  // none: none was found
  bool flat = false;                // no direction tried has curvature: the plateau of a map that has flown apart
};

/// Looks around x for a point whose objective is lower by more than `least_fall`. At most 13 gradients and 6 values;
/// 17 values more where the gradient is long, 50 where a direction of negative curvature is found. Only for domains
/// whose border, if there is one, is bounds of single numbers: those that a bound holds stay there. Draws no random
/// number of the solve. @pre the objective at x is finite.
[[nodiscard]] Surroundings look_around(CountedProblem& problem, const Point& x, double objective, double least_fall);

/// Whether the objective or its gradient is not finite beyond x: a step down the gradient that is long enough to lower
/// the objective by `least_fall`, as the slope promises, is not finite, and among those down to 1e-10 of the map's size
/// the first finite one is no higher than x, or there is none. At most 17 values and gradients.
[[nodiscard]] bool before_border(CountedProblem& problem, const Point& x, double objective, double least_fall);

}  // namespace alidade
