// Cuts a graph by random hyperplanes through the origin, after its vertices were placed on a sphere.
// [GW95] Goemans & Williamson 1995, section 2: where a sphere of enough dimensions is an optimum of max_cut, the mean
// over hyperplanes is at least .878 of the largest cut if no edge has a negative weight.
// Seeded: the same map gives the same cut.
#pragma once

#include "problems/core/types.hpp"
#include "problems/evidence/pair_signs.hpp"

namespace alidade::metrics {

/// Edges (pairs that are similar from either side) whose ends the best of 100 hyperplanes separates, or the sum of
/// their weights. At least 0, the cut of no edge. `vectors`: n x d. NaN if a row is missing. O(100 (edges + n d)).
[[nodiscard]] double rounded_cut(const Matrix& vectors, const PairSigns& signs);

}  // namespace alidade::metrics
