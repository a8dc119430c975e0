// The toy of nonnegative factors whose data have an exact fit, for solvers of positive unknowns.
#pragma once

#include "tests/support/toy_problems.hpp"

namespace alidade::testing {

/// 6 x 8 data that are the product of a nonnegative 6 x 3 matrix, the unknown, and a known 3 x 8 one: the lowest value
/// is 0.
[[nodiscard]] inline Problem nonnegative_fit(Rng& rng) {
  const Matrix h = random_matrix(3, 8, rng).cwiseAbs(), truth = random_matrix(6, 3, rng).cwiseAbs();
  return {"toy_nmf", NonnegativeFit(truth * h, h)};
}

}  // namespace alidade::testing
