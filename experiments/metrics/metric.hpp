// A metric: one number from an embedding and the observations, with unit, range and direction.
// NaN means "does not apply here" (no labels, nothing held out) and becomes null in a row.
// Metrics never see the method; ties and missing coordinates count against the map.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problems/core/registry.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/multiview/preservation.hpp"

namespace alidade::metrics {

/// The value of a metric that has nothing to measure.
inline constexpr double kDoesNotApply = std::numeric_limits<double>::quiet_NaN();

class NeighborRetrieval;
struct RankRetrieval;

/// See neighbor_preservation.
struct NeighborPreservation {
  double trustworthiness, continuity;
};

/// Objects that the map was made without.
struct HeldOutObjects {
  const Observations& all;         // of all objects
  std::span<const Index> known;    // row r of the map is object known[r] of all
  std::span<const Index> heldout;  // the others
};

/// What a map is measured against.
struct Evidence {
  const Observations& observations;        // labels, truth; its triplets are those of training
  const TripletSource* heldout = nullptr;  // null: nothing was held out
  /// The data set before objects were hidden from aspects; null: none were.
  const Observations* all = nullptr;
  const HeldOutObjects* heldout_objects = nullptr;  // null: none were
  bool reversed = false;                            // whether some training triplets were reversed
};

struct MetricInput : Evidence {
  MetricInput(const Embedding& measured, const Evidence& evidence) : Evidence(evidence), embedding(measured) {}
  const Embedding& embedding;
  /// What several metrics read off one search, found by the first that asks. One input is used by one caller at a time.
  mutable std::optional<NeighborPreservation> preservation{}, preservation_of_20{};
  mutable std::shared_ptr<const NeighborRetrieval> retrieval{};
  mutable std::shared_ptr<const RankRetrieval> rank_retrieval{};
  mutable std::optional<std::vector<multiview::SatisfiedCount>> satisfied{}, satisfied_of_all{};
};

/// What the catalog says of a metric. Its file defines a function that returns it, metric_entries.hpp declares that
/// function, and catalog.cpp calls it.
struct MetricEntry {
  std::string name;
  std::string summary;
  std::string unit;   // "" for numbers without one
  std::string range;  // "[0, 1]"
  bool higher_is_better = false;
  std::string needs;  // what must be known of the objects, or held of the map
  std::function<double(const MetricInput&)> compute;
};

[[nodiscard]] const Registry<MetricEntry>& metric_catalog();

/// Share of triplets whose anchor is not strictly nearer to `near` than to `far`, in [0, 1]: ties and NaN
/// count as errors, so a collapsed map scores 1. Unweighted. With one map per aspect each triplet is judged
/// in the map of its aspect. O(d) a triplet; attribute tables O(n (d + ln n)) an object and aspect.
[[nodiscard]] double triplet_error(const Embedding& embedding, const TripletSource& triplets);

/// Whether there is a map of every aspect, or one of all, so that aspects can be judged by maps.
[[nodiscard]] bool maps_show_aspects(const Embedding& embedding, Index aspects);
/// The map on which an aspect is judged: its own, or the only one. @pre maps_show_aspects
[[nodiscard]] const AspectMap& map_of_aspect(const Embedding& embedding, Index aspect);

/// Preservation accuracy ([LL19] section 5) in [0, 1]: the share of an aspect's triplets that its map satisfies, ties
/// and missing places failing, as a mean over the aspects that have triplets; so a rare value counts as much as a
/// common one only through its aspect. NaN if none has.
[[nodiscard]] double mean_satisfied(const std::vector<multiview::SatisfiedCount>& by_aspect);
/// Of all triplets there are, hidden and held-out ones included; NaN without triplets or while maps are latent views.
[[nodiscard]] double preservation_overall(const MetricInput& input);
/// Of those learnt from.
[[nodiscard]] double preservation_observed(const MetricInput& input);
/// Of all but those learnt from: at least one object is hidden from the aspect, or the triplet was held out. NaN unless
/// objects were hidden, or if triplets learnt from were reversed, which are then none of all.
[[nodiscard]] double preservation_hidden(const MetricInput& input);

/// Leave-one-out accuracy of the majority label among the k nearest labelled objects, in [0, 1]; equal
/// distances by index, equal votes to the nearer. Objects without a label take no part; one without
/// coordinates is wrong and votes for nobody. NaN if fewer than two have a label. O(n (ln n + k)) expected
/// in up to five dimensions, O(n^2 d) above or where most are at few places. @pre k >= 1
[[nodiscard]] double knn_accuracy(const Matrix& coordinates, const std::vector<std::string>& labels, Index k);

/// The same asked of `asked` alone: share of those whose code is the majority's among the k nearest of `neighbors`,
/// itself left out. `codes` has one entry an object. NaN if nobody is asked or there are no neighbours.
/// Time as above. @pre k >= 1
[[nodiscard]] double knn_accuracy(const Matrix& coordinates, std::span<const std::int32_t> codes,
                                  std::span<const Index> asked, std::span<const Index> neighbors, Index k);

/// Accuracy in [0, 1] with which an attribute's value of an object that was hidden from it is that of the majority
/// among the 10 nearest observed ones on the aspect's map, ties as above; mean over attributes that have hidden objects
/// and observed ones. NaN where no attribute has, or while maps are latent views. Time as above, for each attribute.
[[nodiscard]] double knn_accuracy_hidden(const MetricInput& input);

/// Trustworthiness and continuity (Venna & Kaski 2001, J. Venna & S. Kaski, Neighborhood preservation in nonlinear
/// projection methods), each in [0, 1], higher is better:
///   1 - 2 / (n k (2n - 3k - 1)) * sum_i sum_j (r_ij - k)
/// over the j that are among the k nearest of i on the map but not in the data, r_ij being the rank of j by distance
/// in the data (trustworthiness); and the other way round (continuity). Ranks are exact; k is at most (n - 1) / 2.
/// Equal distances in the data go by index; on the map they count against it, and so do objects without coordinates,
/// which are the farthest from all: a collapsed map scores 0. Above 5000 objects i runs over 2000 of them, always the
/// same for one n. NaN unless both have the same rows, at least three. O(anchors n (p + k)).
[[nodiscard]] NeighborPreservation neighbor_preservation(const Matrix& coordinates, const FeatureMatrix& features,
                                                         Index k);
[[nodiscard]] NeighborPreservation neighbor_preservation(const Matrix& coordinates,
                                                         const neighbor::DissimilarityRows& data, Index k);

/// Spearman's rank correlation of distances in the data and on the map, in [-1, 1], over all pairs of objects if
/// those are at most 20,000, else over 20,000 drawn at random, always the same for one n. Equal distances share their
/// rank; pairs with an object without coordinates are the farthest. 0 if the map has all at one distance; NaN if the
/// data have, or unless both have the same rows, at least three. O(pairs (p + ln pairs)).
[[nodiscard]] double distance_rank_correlation(const Matrix& coordinates, const FeatureMatrix& features);
/// The same of a matrix of dissimilarities, n x n.
[[nodiscard]] double dissimilarity_rank_correlation(const Matrix& coordinates, const Matrix& dissimilarities);

/// Procrustes disparity in [0, 1] (Gower 1975): both configurations centred and scaled to unit norm, the
/// best rotation, reflection and scale taken; 1 - (sum of singular values)^2. The narrower is padded with zeros.
/// 1 if a coordinate is missing or the map has no extent; NaN unless both have the same rows, at least two.
[[nodiscard]] double procrustes_disparity(const Matrix& coordinates, const Matrix& truth);

/// The coordinates moved, turned and mirrored (never scaled) onto the truth as well as that can be; unchanged
/// if the shapes differ or a coordinate is not finite. Distances are kept.
[[nodiscard]] Matrix turned_to(const Matrix& coordinates, const Matrix& truth);

}  // namespace alidade::metrics
