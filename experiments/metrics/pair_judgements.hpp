// Metrics for maps of pair signs: edge crossings of a drawn graph, similar objects among the nearest, and violated
// constraints of PSDE.
// [GR07] section 2 asks that every object similar to i be nearer to it than every dissimilar one; these metrics measure
// that.
// Missing coordinates count against the map. Of equal distances, precision is the mean over their orders, so that a
// collapsed map scores what chance would; a constraint of PSDE asks for a difference, and they violate it.
// Those of a whole map look now and then whether the executor's work is to stop, and throw WorkStopped.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiments/metrics/metric.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/pair_signs.hpp"

namespace alidade::metrics {

/// Number of pairs of edges without a common object whose straight lines meet, on a two-dimensional map. An edge is an
/// unordered pair that is similar from either side. The decision is exact, despite rounding. An edge without
/// coordinates crosses every edge that it shares no object with. O(m^2) at worst for m edges, usually m times the
/// number of edges that share a vertical line with one. NaN unless the map has two dimensions, and above 50,000 edges.
[[nodiscard]] double edge_crossings(const Matrix& coordinates, const PairSigns& signs,
                                    const Executor& looked = Executor());

/// Sign of the area of the triangle a, b, c: 1 if it turns left, 0 if the points are collinear. Exact if the
/// coordinates are 0 or of absolute value between 1e-100 and 1e100.
[[nodiscard]] int orientation(const double* a, const double* b, const double* c);

/// The share of similar objects among the k_i nearest of the objects that i judges, where k_i is the number of objects
/// similar to i; mean over the objects with k_i > 0, and over all orders of objects at equal distances. In [0, 1].
/// Above 5000 objects, over a sample of 2000, the same for each n. NaN if no object has similar ones. O(anchors n (d +
/// ln n)).
[[nodiscard]] double neighborhood_precision(const Matrix& coordinates, const PairSigns& signs,
                                            const Executor& looked = Executor());

/// Rate of violated triples in [0, 1]: j similar to i, k dissimilar to i, but d_ik <= d_ij; a constraint of PSDE
/// without its radius. Anchors as above. NaN without such triples. O(anchors n (d + ln n)).
[[nodiscard]] double sign_violations(const Matrix& coordinates, const PairSigns& signs,
                                     const Executor& looked = Executor());

/// Of the new objects with a similar object on the map, the share whose nearest object of the map is similar; several
/// at the same least distance count by the share of similar ones among them. `all` are the signs of all objects; row r
/// of places is object kept[r], row r of new_places object heldout[r]. NaN if there are none. O(new kept d).
[[nodiscard]] double heldout_neighbor_precision(const Matrix& places, std::span<const Index> kept,
                                                const Matrix& new_places, std::span<const Index> heldout,
                                                const PairSigns& all);

/// Places of the held-out objects by the only map's projector and their features, one row each in the order of
/// `heldout_objects.heldout`. 0 x 0 without a projector or features, or if no objects were held out.
[[nodiscard]] Matrix heldout_places(const MetricInput& input);

/// The value for a run that held objects out, with their places by the map's projector; NaN without a projector or
/// held-out objects.
[[nodiscard]] double heldout_neighbor_precision(const MetricInput& input);

/// The measure for one map of objects with pair signs; otherwise it does not apply.
template <double (*measure)(const Matrix&, const PairSigns&, const Executor&)>
double of_pair_signs(const MetricInput& in) {
  if (!in.observations.pair_signs || in.embedding.maps.size() != 1) return kDoesNotApply;
  return measure(in.embedding.only(), *in.observations.pair_signs, in.executor());
}

/// All n objects, or above 5000 a sample of 2000, the same for each n; ascending.
[[nodiscard]] std::vector<Index> sampled_anchors(Index n);

}  // namespace alidade::metrics
