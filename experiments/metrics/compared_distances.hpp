// Metrics that compare distances on a map with those in the data: where they apply, and the distances.
// They apply to one map of objects with features, or with one complete matrix of dissimilarities.
// Features are compared by Euclidean distances.
#pragma once

#include <optional>
#include <span>

#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {

/// The points in an ordinary_unit() of theirs, a power of two.
[[nodiscard]] Matrix in_ordinary_unit(const Matrix& points);
/// All maps in one such unit, whose squares neither overflow nor underflow; nothing if it is 1.
[[nodiscard]] std::optional<Embedding> in_ordinary_units(const Embedding& embedding);

/// What such a metric needs, for its catalog entry.
inline constexpr const char* kComparedDistances = "features, or one dissimilarity of every pair";

/// Whether a map of these objects can be compared with distances in the data: the data have features, or one finite,
/// symmetric, complete matrix of dissimilarities >= 0; and at least 3 objects. O(n p) or O(n^2).
[[nodiscard]] bool has_distances(const Observations& observations);

/// Whether such a metric applies: one map of such objects.
[[nodiscard]] bool compares_distances(const MetricInput& input);
/// Their distances in the data, shared by all measures of a map. @pre compares_distances
[[nodiscard]] const DissimilarityRows& distances_of(const MetricInput& input);

/// out[j] = squared distance on the map of objects i and j, infinite where either has no place. places: d x n. O(n d).
void squared_distances_on_map(const Matrix& places, Index i, Eigen::ArrayXd& out);

/// Ranks from 1, minus their mean; ties share their mean rank. O(n log n)
[[nodiscard]] Vector centred_ranks(std::span<const double> values);

}  // namespace alidade::metrics
