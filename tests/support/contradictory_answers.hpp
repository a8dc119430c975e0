// Triplets that no map satisfies: those of points in the plane, four in ten reversed.
// For convex programs with slacks, most of which are paid for.
// The same at every call.
#pragma once

#include <memory>

#include "tests/support/observation_makers.hpp"

namespace alidade::testing {

inline Observations contradictory_answers(Index n, std::uint64_t count) {
  Rng rng(7);
  const Matrix points = gaussian_points(n, 2, rng);
  return observations_of(std::make_shared<TripletList>(triplets_of(points, count, 0.4, rng)));
}

}  // namespace alidade::testing
