// Metrics of maps of pair signs: crossings of a drawn graph, similar objects among the nearest, and rows of PSDE
// violated. [GR07] section 2 asks that whatever is similar to i be nearer to it than whatever is not; these say how far
// that holds. Equal distances and missing coordinates count against the map, so that a collapsed map scores worst.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiments/metrics/metric.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/pair_signs.hpp"

namespace alidade::metrics {

/// Pairs of edges without a common object whose straight lines have a point in common, on a map of two dimensions; an
/// edge is an unordered pair that is similar as seen from either side. Decided exactly, whatever the rounding. An edge
/// without coordinates crosses all it shares no object with. O(m^2) worst for m edges, about m times the edges that
/// share a vertical with one. NaN unless the map has two dimensions, and above 50,000 edges.
[[nodiscard]] double edge_crossings(const Matrix& coordinates, const PairSigns& signs);

/// Sign of the area of the triangle a, b, c: 1 if it turns left, 0 if the points lie on one line. Exact for finite
/// coordinates between 1e-100 and 1e100 in size, or 0.
[[nodiscard]] int orientation(const double* a, const double* b, const double* c);

/// Of the k_i objects nearest to i among those that i judges, the share that is similar to it, k_i being the number of
/// those similar to it; mean over the objects that have any. In [0, 1]. Above 5000 objects asked of 2000 of them,
/// always the same for one n. NaN if nobody has similar ones. O(anchors n (d + ln n)).
[[nodiscard]] double neighborhood_precision(const Matrix& coordinates, const PairSigns& signs);

/// Share of the ordered triples i, j similar to i, k dissimilar to i with d_ik <= d_ij, in [0, 1]; each row of PSDE
/// without its radius. Anchors as above. NaN without such triples. O(anchors n (d + ln n)).
[[nodiscard]] double sign_violations(const Matrix& coordinates, const PairSigns& signs);

/// Share of the new objects of which the nearest of those that the map was made of is similar, of those new ones that
/// have a similar one there. `all` are the signs of all objects; places row r is object known[r], new_places row r
/// object heldout[r]. NaN if none has. O(new known d).
[[nodiscard]] double heldout_neighbor_precision(const Matrix& places, std::span<const Index> known,
                                                const Matrix& new_places, std::span<const Index> heldout,
                                                const PairSigns& all);

/// Where the only map's projector places the held-out objects by their features, one row each in the order of
/// `heldout_objects.heldout`; 0 x 0 without a projector or features, and if no objects were held out.
[[nodiscard]] Matrix heldout_places(const MetricInput& input);

/// The same of a run that held objects out, where their features have their places on the map by its projector; NaN
/// without one, and if nothing was held out.
[[nodiscard]] double heldout_neighbor_precision(const MetricInput& input);

/// The measure of one map of objects with pair signs; else it does not apply.
template <double (*measure)(const Matrix&, const PairSigns&)>
double of_pair_signs(const MetricInput& in) {
  if (!in.observations.pair_signs || in.embedding.maps.size() != 1) return kDoesNotApply;
  return measure(in.embedding.only(), *in.observations.pair_signs);
}

/// All n objects, or above 5000 a sample of 2000 that is always the same for one n; ascending.
[[nodiscard]] std::vector<Index> judging_anchors(Index n);

}  // namespace alidade::metrics
