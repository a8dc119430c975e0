// A metric: one number from an embedding and the observations, with unit, range and direction.
// NaN means "does not apply here" (no labels, nothing held out) and becomes null in a row.
// Metrics never see the method: what is proven of its objective, the run tells them. Missing coordinates count against
// the map, and so do ties on the map of what answers or data tell apart, unless a metric's definition says otherwise.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problems/contract/embedding.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/registry.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/multiview/preservation.hpp"

namespace alidade::metrics {

/// The value of a metric that does not apply.
inline constexpr double kDoesNotApply = std::numeric_limits<double>::quiet_NaN();

class NeighborRetrieval;
struct RankRetrieval;

/// See neighbor_preservation.
struct NeighborPreservation {
  double trustworthiness, continuity;
};

/// How far above what is proven the map's own objective is, relative to the proven bound.
struct ProvenExcess {
  double gap;              // over maps of any dimension
  double dimension_price;  // the part of it that no map of the same dimension is known to save
};

/// Objects held out from everything: the map was made without them.
struct HeldOutObjects {
  const Observations& all;         // of all objects
  std::span<const Index> kept;     // row r of the map is object known[r] of all
  std::span<const Index> heldout;  // the others
};

/// The evidence that a map is measured against.
struct Evidence {
  const Observations& observations;        // labels, ground truth; its triplets are the training triplets
  const TripletSource* heldout = nullptr;  // null: nothing was held out
  /// The data set before objects were hidden from aspects; null: none were.
  const Observations* all = nullptr;
  const HeldOutObjects* heldout_objects = nullptr;  // null: none were
  bool reversed = false;                            // whether some training triplets were reversed
};

struct MetricInput : Evidence {
  /// `threads`: those that measures may use, which never change a value; null: the caller's alone.
  MetricInput(const Embedding& measured, const Evidence& evidence, Executor* threads = nullptr);
  MetricInput(const MetricInput&) = delete;
  MetricInput& operator=(const MetricInput&) = delete;

 private:
  std::optional<Embedding> rescaled_;

 public:
  /// The measured maps, in an ordinary unit of their own: no measure is of lengths, and squares may underflow.
  const Embedding& embedding;
  [[nodiscard]] Executor& executor() const { return threads_ != nullptr ? *threads_ : alone_; }
  /// The probability of a triplet on the map, for methods whose loss is a likelihood. Empty: it is none.
  std::function<double(const Triplet&)> probability{};
  /// Solves for the proven bound of the map's objective, which costs more than most maps. Empty: there is none.
  std::function<ProvenExcess()> prove{};
  mutable std::optional<ProvenExcess> proven{};
  /// Proven, of the objective that was minimised. Empty: there is none.
  std::optional<double> lower_bound{};
  /// Results that several metrics share, computed by the first that asks. An input is for one caller at a time.
  mutable std::optional<DissimilarityRows> distances{};
  mutable std::vector<NeighborPreservation> preservation{};
  mutable std::shared_ptr<const NeighborRetrieval> retrieval{};
  mutable std::shared_ptr<const RankRetrieval> rank_retrieval{};
  mutable std::optional<std::vector<multiview::SatisfiedCount>> satisfied{}, satisfied_of_all{};
  mutable std::optional<double> cut{};

 private:
  Executor* threads_;
  mutable Executor alone_{};
};

/// A metric's catalog entry. The metric's file defines a function that returns it and its relatives; catalog.cpp has a
/// line for each such file.
struct MetricEntry {
  std::string name;
  std::string summary;
  std::string unit;   // "" if it has no unit
  std::string range;  // "[0, 1]"
  bool higher_is_better = false;
  std::string needs;  // what it requires of the objects or the map
  std::function<double(const MetricInput&)> compute;
  /// Measured only where a configuration names it: it costs as much as a map, or is of use to few.
  bool costly = false;
  /// The only problem whose maps have it; "": there is no such problem. It is measured by default where a method is of it.
  std::string problem{};
  bool added = false;  // by a plug-in or a program of one's own: set by add_metric()
};

[[nodiscard]] const Registry<MetricEntry>& metric_catalog();
/// Adds a metric of one's own; see Registry::add().
void add_metric(MetricEntry entry);

/// Error rate: the share of triplets, by weight, whose anchor is not strictly nearer to `near` than to `far`. Ties and
/// NaN count as errors, so a collapsed map scores 1. With one map per aspect, the map of its aspect judges
/// each triplet. O(d) per triplet; attribute tables O(n (d + ln n)) per object and aspect.
[[nodiscard]] double triplet_error(const Embedding& embedding, const TripletSource& triplets);

/// Which triplets maps agree with, one by one, as triplet_error() counts them. Keeps a reference to the maps.
class TripletJudge {
 public:
  explicit TripletJudge(const Embedding& embedding);
  /// @pre maps_show_aspects. O(d)
  [[nodiscard]] bool agrees(const Triplet& t) const;

 private:
  std::optional<Embedding> rescaled_;
  const Embedding& embedding_;
};

/// Whether maps can judge aspects: every aspect has a map, or one map serves all.
[[nodiscard]] bool maps_show_aspects(const Embedding& embedding, Index aspects);
/// The map that judges an aspect: its own, or the only one. @pre maps_show_aspects
[[nodiscard]] const AspectMap& map_of_aspect(const Embedding& embedding, Index aspect);

/// Preservation accuracy ([LL19] section 5) in [0, 1]: the share of an aspect's triplets that its map satisfies,
/// averaged over the aspects with triplets. Ties and missing places fail. Aspects have equal weight; values within an
/// aspect do not. NaN if no aspect has triplets.
[[nodiscard]] double mean_satisfied(const std::vector<multiview::SatisfiedCount>& by_aspect);
/// Preservation accuracy over all triplets, hidden and held-out ones included; NaN without triplets or if maps are
/// latent views.
[[nodiscard]] double preservation_overall(const MetricInput& input);
/// Preservation accuracy over the training triplets.
[[nodiscard]] double preservation_observed(const MetricInput& input);
/// Preservation accuracy over all other triplets: at least one object is hidden from the aspect, or the triplet was
/// held out. NaN unless objects were hidden; NaN also if training triplets were reversed, since these are not among all
/// triplets.
[[nodiscard]] double preservation_hidden(const MetricInput& input);

/// Leave-one-out accuracy of the majority label among the k nearest labelled objects, in [0, 1]. Objects as far as the
/// k-th share equally the votes that the nearer ones leave. Equal votes go to the label of the nearest voter; m labels
/// equal in that too count 1 / m each. So the order of objects is irrelevant. Objects without a label are left out; an
/// object without coordinates is wrong and does not vote. NaN if fewer than two have a label. Expected O(n (ln n + k))
/// in up to five dimensions; O(n^2 d) above, or if most objects coincide at few places. @pre k >= 1
[[nodiscard]] double knn_accuracy(const Matrix& coordinates, const std::vector<std::string>& labels, Index k);

/// Accuracy for the objects `asked` alone: the share whose code is that of the majority of their k nearest `neighbors`,
/// themselves excluded. `codes` has one entry per object. NaN if `asked` or `neighbors` is empty. Time as above. @pre k
/// >= 1
[[nodiscard]] double knn_accuracy(const Matrix& coordinates, std::span<const std::int32_t> codes,
                                  std::span<const Index> asked, std::span<const Index> neighbors, Index k);

/// Accuracy in [0, 1] of predicting hidden attribute values: an object's value is compared with the majority among the
/// 10 nearest observed objects on the aspect's map, ties as above. Mean over attributes with hidden and observed
/// objects. NaN if there are none, or if maps are latent views. Time as above, for each attribute.
[[nodiscard]] double knn_accuracy_hidden(const MetricInput& input);

/// Trustworthiness and continuity (Venna & Kaski 2001, J. Venna & S. Kaski, Neighborhood preservation in nonlinear
/// projection methods), each in [0, 1], higher is better:
///   1 - 2 / (n k (2n - 3k - 1)) * sum_i sum_j (r_ij - k)
/// over the j that are among the k nearest of i on the map but not in the data, where r_ij is the rank of j by distance
/// in the data (trustworthiness); continuity exchanges map and data. Ranks are exact; k is at most (n - 1) / 2.
/// Of equal distances in the data, the best order for the map counts: theirs on the map. Of equal distances on the map,
/// the worst: the reverse of theirs in the data. Equal in both, they are no error, so an exact map of copies scores 1.
/// Objects without coordinates are the farthest from all. A collapsed map of objects that differ scores 0. Above 5000
/// objects, i runs over 2000 of them, the same for each n. NaN unless both have the same number of rows, at least
/// three, or if all objects are equally far from each other in the data: then any map has 1. O(anchors n (p + k)).
[[nodiscard]] NeighborPreservation neighbor_preservation(const Matrix& coordinates, const FeatureMatrix& features,
                                                         Index k);
/// As above for each of several k, at little more than the cost of one. Same bits for any number of threads.
[[nodiscard]] std::vector<NeighborPreservation> neighbor_preservation(const Matrix& coordinates,
                                                                      const DissimilarityRows& data,
                                                                      std::vector<Index> ks, Executor& executor);

/// The k of `trustworthiness` and `continuity`.
inline constexpr Index kTrustedNeighbors = 12;

/// Trustworthiness of a map whose places have nothing to do with the data, over such maps; without ties.
struct RandomTrustworthiness {
  double mean, deviation;  // near 0.5; the standard deviation as if all anchors were independent
};
/// For n objects and k neighbours, cut to (n - 1) / 2. @pre n >= 3. O(n)
[[nodiscard]] RandomTrustworthiness random_trustworthiness(Index n, Index k);

/// Spearman's rank correlation of distances in the data and on the map, in [-1, 1], over all pairs of objects if these
/// are at most 20,000, else over 20,000 random pairs, the same for each n. Equal distances share their rank; pairs with
/// an object without coordinates are the farthest. 0 if all distances on the map are equal; NaN if those in the data
/// are, or unless both have the same number of rows, at least three. O(pairs (p + ln pairs)).
[[nodiscard]] double distance_rank_correlation(const Matrix& coordinates, const FeatureMatrix& features);
/// The rank correlation with a matrix of dissimilarities, n x n.
[[nodiscard]] double dissimilarity_rank_correlation(const Matrix& coordinates, const Matrix& dissimilarities);

/// Procrustes disparity in [0, 1] (Gower 1975): 1 - (sum of singular values)^2, after both configurations are centred
/// and scaled to unit norm and aligned by the best rotation, reflection and scale. The narrower one is padded with
/// zeros. 1 if a coordinate is missing or the map has no extent; NaN unless both have the same number of rows, at least
/// two.
[[nodiscard]] double procrustes_disparity(const Matrix& coordinates, const Matrix& truth);

/// How x is turned or mirrored onto y, both n x d and centred (Gower 1975): `rotation` is the orthogonal matrix R with
/// the least |X R - Y|, `overlap` the sum of singular values of X'Y. O(n d^2).
struct Turn {
  Eigen::MatrixXd rotation;
  double overlap;
};
[[nodiscard]] Turn best_turn(const Matrix& x, const Matrix& y);

/// The coordinates, aligned to the truth by the best translation, rotation and reflection (no scaling, so distances are
/// kept); unchanged if the shapes differ or a coordinate is not finite.
[[nodiscard]] Matrix turned_to(const Matrix& coordinates, const Matrix& truth);

/// The coordinates after the best translation, rotation, reflection and scaling onto `onto`: maps of answers about
/// distances are in no unit. @pre both are n x d and finite, and have some extent. O(n d^2)
[[nodiscard]] Matrix laid_onto(const Matrix& coordinates, const Matrix& onto);

}  // namespace alidade::metrics
