// Features and places by a formula, so that a program in another language can compute the same: sines and cosines.
// No two distances of the few objects that tests use are equal.
// Features are rounded to float, as everywhere.
#pragma once

#include <cmath>

#include "problems/spaces/point.hpp"
#include "tests/support/feature_makers.hpp"

namespace alidade::testing {

/// n x p: sin(1 + 3 i + 7 c).
[[nodiscard]] inline Observations wave_features(Index n, Index p) {
  Matrix X(n, p);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < p; ++c) X(i, c) = std::sin(1 + 3 * static_cast<double>(i) + 7 * static_cast<double>(c));
  return of_features(X);
}

/// Sets the map to cos(2 + 5 i + 3 c).
inline void place_on_waves(Point& x) {
  auto Y = x.block(0);
  for (Index i = 0; i < Y.rows(); ++i)
    for (Index c = 0; c < Y.cols(); ++c)
      Y(i, c) = std::cos(2 + 5 * static_cast<double>(i) + 3 * static_cast<double>(c));
}

}  // namespace alidade::testing
