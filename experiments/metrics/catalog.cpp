#include <algorithm>
#include <cmath>

#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/neighbor_retrieval.hpp"
#include "experiments/metrics/pair_judgements.hpp"
#include "experiments/metrics/relatedness.hpp"

namespace alidade::metrics {
namespace {

double train_error(const MetricInput& in) {
  return in.observations.triplets ? triplet_error(in.embedding, *in.observations.triplets)
                                  : kDoesNotApply;
}
double heldout_error(const MetricInput& in) {
  return in.heldout ? triplet_error(in.embedding, *in.heldout) : kDoesNotApply;
}
double disparity(const MetricInput& in) {
  if (in.observations.truth.size() == 0 || in.embedding.maps.size() != 1) return kDoesNotApply;
  return procrustes_disparity(in.embedding.only(), in.observations.truth);
}

template <Index k>
double nearest_labels(const MetricInput& in) {
  if (in.observations.labels.empty() || in.embedding.maps.size() != 1) return kDoesNotApply;
  return knn_accuracy(in.embedding.only(), in.observations.labels, k);
}

/// Applies to one map of objects with features or dissimilarities of each pair.
bool compares_distances(const MetricInput& in) {
  return in.embedding.maps.size() == 1 && has_distances(in.observations) &&
         in.embedding.only().rows() == in.observations.object_count();
}
neighbor::DissimilarityRows distances_of(const MetricInput& in) {
  return {in.observations, "a metric"};
}

template <Index k>
const NeighborPreservation& preservation_of(const MetricInput& in) {
  std::optional<NeighborPreservation>& kept = k == 20 ? in.preservation_of_20 : in.preservation;
  if (!kept) kept = neighbor_preservation(in.embedding.only(), distances_of(in), k);
  return *kept;
}
template <Index k>
double trustworthiness(const MetricInput& in) {
  return compares_distances(in) ? preservation_of<k>(in).trustworthiness : kDoesNotApply;
}
template <Index k>
double continuity(const MetricInput& in) {
  return compares_distances(in) ? preservation_of<k>(in).continuity : kDoesNotApply;
}
template <AgreementRange (*relatedness)(const MetricInput&), double AgreementRange::*part>
double of_range(const MetricInput& in) {
  return relatedness(in).*part;
}
double correlation_of_distances(const MetricInput& in) {
  if (!compares_distances(in)) return kDoesNotApply;
  if (in.observations.features)
    return distance_rank_correlation(in.embedding.only(), *in.observations.features);
  return dissimilarity_rank_correlation(in.embedding.only(),
                                        in.observations.dissimilarities.front().values);
}

constexpr double kRetrieved = 20;      // neighbours, the perplexity
constexpr Index kFewestRetrieved = 5;  // objects
bool retrieves(const MetricInput& in) {
  return compares_distances(in) && in.observations.object_count() >= kFewestRetrieved;
}
const NeighborRetrieval& retrieval_of(const MetricInput& in) {
  if (!in.retrieval)
    in.retrieval = std::make_shared<const NeighborRetrieval>(in.embedding.only(), distances_of(in),
                                                             kRetrieved);
  return *in.retrieval;
}
const RankRetrieval& rank_retrieval_of(const MetricInput& in) {
  if (!in.rank_retrieval)
    in.rank_retrieval = std::make_shared<const RankRetrieval>(
        rank_retrieval(in.embedding.only(), distances_of(in), kRetrieved));
  return *in.rank_retrieval;
}
double smoothed_precision(const MetricInput& in) {
  return retrieves(in) ? retrieval_of(in).at_mean_distances().false_neighbors : kDoesNotApply;
}
double smoothed_recall(const MetricInput& in) {
  return retrieves(in) ? retrieval_of(in).at_mean_distances().misses : kDoesNotApply;
}
double rank_precision(const MetricInput& in) {
  return retrieves(in) ? rank_retrieval_of(in).precision : kDoesNotApply;
}
double rank_recall(const MetricInput& in) {
  return retrieves(in) ? rank_retrieval_of(in).recall : kDoesNotApply;
}
template <int percent>
double nerv_cost(const MetricInput& in) {
  return retrieves(in) ? retrieval_of(in).least_cost(percent / 100.0) : kDoesNotApply;
}

/// Of one map of objects with pair signs.
template <double (*measure)(const Matrix&, const PairSigns&)>
double of_pair_signs(const MetricInput& in) {
  if (!in.observations.pair_signs || in.embedding.maps.size() != 1) return kDoesNotApply;
  return measure(in.embedding.only(), *in.observations.pair_signs);
}

}  // namespace

bool has_distances(const Observations& observations) {
  const Index n = observations.object_count();
  if (n < 3) return false;
  if (observations.features)
    return observations.features->rows() == n && observations.features->cols() > 0;
  if (observations.dissimilarities.size() != 1) return false;
  const Matrix& d = observations.dissimilarities.front().values;
  if (d.rows() != n || d.cols() != n || !d.allFinite() || !(d.array() >= 0).all() ||
      d.diagonal().cwiseAbs().maxCoeff() > 0)
    return false;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      if (std::abs(d(i, j) - d(j, i)) > 1e-9 * std::max(d(i, j), d(j, i))) return false;
  const Matrix& weights = observations.dissimilarities.front().weights;
  if (weights.size() == 0) return true;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (i != j && !(weights(i, j) > 0)) return false;
  return true;
}

const Registry<Metric>& metric_catalog() {
  static const Registry<Metric> kCatalog(
      "metric",
      {
          {"train_error", "rate of training triplets that the map violates (ties count as errors)",
           "[0, 1]", false, train_error},
          {"heldout_error",
           "rate of held-out triplets that the map violates (ties count as errors)", "[0, 1]",
           false, heldout_error},
          {"knn_accuracy", "rate of objects whose nearest labelled neighbour has their label",
           "[0, 1]", true, nearest_labels<1>},
          {"knn_accuracy_10",
           "rate of objects whose label is that of the majority of their 10 nearest labelled "
           "neighbours",
           "[0, 1]", true, nearest_labels<10>},
          {"procrustes",
           "distance to the true map (Procrustes disparity) after the best similarity transform",
           "[0, 1]", false, disparity},
          {"trustworthiness",
           "trustworthiness: whether the 12 nearest neighbours on the map are near in the data "
           "too; above 5000 objects, measured on 2000 of them",
           "[0, 1]", true, trustworthiness<12>},
          {"continuity",
           "continuity: whether the 12 nearest neighbours in the data are near on the map too; "
           "above 5000 objects, measured on 2000 of them",
           "[0, 1]", true, continuity<12>},
          {"trustworthiness_20", "trustworthiness with 20 nearest neighbours", "[0, 1]", true,
           trustworthiness<20>},
          {"continuity_20", "continuity with 20 nearest neighbours", "[0, 1]", true,
           continuity<20>},
          {"smoothed_precision",
           "false neighbours: mean KL(q || p) in nats, with q the neighbour probabilities of the "
           "map and p those of the data, at perplexity 20; all distances are divided by their "
           "mean; above 5000 objects, measured on some of them",
           "[0, inf)", false, smoothed_precision},
          {"smoothed_recall", "misses: mean KL(p || q), with p and q as in smoothed_precision",
           "[0, inf)", false, smoothed_recall},
          {"rank_smoothed_precision",
           "smoothed_precision of ranks instead of distances: 1 - mean KL(q || p) / (its value "
           "for reversed ranks); above 5000 objects, measured on some of them",
           "[0, 1]", true, rank_precision},
          {"rank_smoothed_recall",
           "smoothed_recall of ranks: 1 - mean KL(p || q), otherwise as rank_smoothed_precision",
           "[0, 1]", true, rank_recall},
          {"nerv_cost",
           "NeRV's cost with lambda = 0.5 (misses and false neighbours count the same), in nats "
           "per object, perplexity 20, at the best scale of the map; above 5000 objects, measured "
           "on some of them",
           "[0, inf)", false, nerv_cost<50>},
          {"nerv_cost_10", "nerv_cost with lambda = 0.1: misses have weight 0.1", "[0, inf)", false,
           nerv_cost<10>},
          {"nerv_cost_90", "nerv_cost with lambda = 0.9: misses have weight 0.9", "[0, inf)", false,
           nerv_cost<90>},
          {"distance_rank_correlation",
           "rank correlation between distances in the data and on the map, over at most 20,000 "
           "pairs",
           "[-1, 1]", true, correlation_of_distances},
          {"preservation_overall",
           "rate of an aspect's triplets, including hidden and held-out ones, that its map "
           "satisfies; mean over aspects",
           "[0, 1]", true, preservation_overall},
          {"preservation_observed",
           "rate of an aspect's training triplets that its map satisfies; mean over aspects",
           "[0, 1]", true, preservation_observed},
          {"preservation_hidden",
           "rate of an aspect's triplets with a hidden object that its map satisfies; mean over "
           "aspects",
           "[0, 1]", true, preservation_hidden},
          {"knn_accuracy_hidden",
           "rate of objects hidden from an aspect whose value is that of the majority of their 10 "
           "nearest observed objects; mean over aspects",
           "[0, 1]", true, knn_accuracy_hidden},
          {"relatedness_angle",
           "correlation of the attributes' mutual information with "
           "the angular similarity of the maps' normals, as in [LL19]; median over aspects",
           "[-1, 1]", true, of_range<relatedness_angle, &AgreementRange::median>},
          {"relatedness_angle_min",
           "correlation of the attributes' mutual information with "
           "the angular similarity of the maps' normals, as in [LL19]; minimum over aspects",
           "[-1, 1]", true, of_range<relatedness_angle, &AgreementRange::lowest>},
          {"relatedness_angle_max",
           "correlation of the attributes' mutual information with "
           "the angular similarity of the maps' normals, as in [LL19]; maximum over aspects",
           "[-1, 1]", true, of_range<relatedness_angle, &AgreementRange::highest>},
          {"relatedness_planes",
           "correlation of the attributes' mutual information with "
           "the angular similarity of the maps' tangent planes; median over aspects",
           "[-1, 1]", true, of_range<relatedness_planes, &AgreementRange::median>},
          {"relatedness_planes_min",
           "correlation of the attributes' mutual information with "
           "the angular similarity of the maps' tangent planes; minimum over aspects",
           "[-1, 1]", true, of_range<relatedness_planes, &AgreementRange::lowest>},
          {"relatedness_planes_max",
           "correlation of the attributes' mutual information with "
           "the angular similarity of the maps' tangent planes; maximum over aspects",
           "[-1, 1]", true, of_range<relatedness_planes, &AgreementRange::highest>},
          {"relatedness_maps",
           "correlation of the attributes' mutual information with the similarity (linear CKA) of "
           "the maps; median over aspects",
           "[-1, 1]", true, of_range<relatedness_maps, &AgreementRange::median>},
          {"relatedness_maps_min",
           "correlation of the attributes' mutual information with the similarity (linear CKA) of "
           "the maps; minimum over aspects",
           "[-1, 1]", true, of_range<relatedness_maps, &AgreementRange::lowest>},
          {"relatedness_maps_max",
           "correlation of the attributes' mutual information with the similarity (linear CKA) of "
           "the maps; maximum over aspects",
           "[-1, 1]", true, of_range<relatedness_maps, &AgreementRange::highest>},
          {"edge_crossings",
           "number of edge crossings on a map of two dimensions; every similar pair is an edge",
           "[0, inf)", false, of_pair_signs<edge_crossings>},
          {"neighborhood_precision",
           "rate of similar objects among the k nearest, with k the number of objects similar to "
           "an object; mean over objects, above 5000 over 2000 of them",
           "[0, 1]", true, of_pair_signs<neighborhood_precision>},
          {"sign_violations",
           "rate of triples in which the dissimilar object is not farther than the similar one; "
           "above 5000 objects, measured on 2000 of them",
           "[0, 1]", false, of_pair_signs<sign_violations>},
          {"heldout_neighbor_precision",
           "rate of held-out objects, placed by their features, whose nearest neighbour on the "
           "map is similar",
           "[0, 1]", true, [](const MetricInput& in) { return heldout_neighbor_precision(in); }},
      });
  return kCatalog;
}

}  // namespace alidade::metrics
