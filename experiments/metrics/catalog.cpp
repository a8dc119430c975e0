#include <limits>

#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"
#include "experiments/metrics/relatedness.hpp"

namespace alidade::metrics {
namespace {

constexpr double kDoesNotApply = std::numeric_limits<double>::quiet_NaN();

double train_error(const MetricInput& in) {
  return in.observations.triplets ? triplet_error(in.embedding, *in.observations.triplets)
                                  : kDoesNotApply;
}
double heldout_error(const MetricInput& in) {
  return in.heldout ? triplet_error(in.embedding, *in.heldout) : kDoesNotApply;
}
double nearest_label(const MetricInput& in) {
  if (in.observations.labels.empty() || in.embedding.maps.size() != 1) return kDoesNotApply;
  return knn_accuracy(in.embedding.only(), in.observations.labels, 1);
}
double disparity(const MetricInput& in) {
  if (in.observations.truth.size() == 0 || in.embedding.maps.size() != 1) return kDoesNotApply;
  return procrustes_disparity(in.embedding.only(), in.observations.truth);
}

/// Applies to one map of objects with features.
bool compares_features(const MetricInput& in) {
  return in.observations.features && in.embedding.maps.size() == 1;
}
constexpr Index kPreservedNeighbors = 12;
const NeighborPreservation& preservation_of(const MetricInput& in) {
  if (!in.preservation)
    in.preservation =
        neighbor_preservation(in.embedding.only(), *in.observations.features, kPreservedNeighbors);
  return *in.preservation;
}
double trustworthiness(const MetricInput& in) {
  return compares_features(in) ? preservation_of(in).trustworthiness : kDoesNotApply;
}
double continuity(const MetricInput& in) {
  return compares_features(in) ? preservation_of(in).continuity : kDoesNotApply;
}
double correlation_of_distances(const MetricInput& in) {
  if (!compares_features(in)) return kDoesNotApply;
  return distance_correlation(in.embedding.only(), *in.observations.features);
}

/// Of one map of objects with pair signs.
template <double (*measure)(const Matrix&, const PairSigns&)>
double of_pair_signs(const MetricInput& in) {
  if (!in.observations.pair_signs || in.embedding.maps.size() != 1) return kDoesNotApply;
  return measure(in.embedding.only(), *in.observations.pair_signs);
}

}  // namespace

const Registry<Metric>& metric_catalog() {
  static const Registry<Metric> kCatalog(
      "metric",
      {
          {"train_error", "share of training triplets the map violates (ties count as errors)",
           "[0, 1]", false, train_error},
          {"heldout_error", "share of held-out triplets the map violates (ties count as errors)",
           "[0, 1]", false, heldout_error},
          {"knn_accuracy", "share of objects whose nearest labelled neighbour has their label",
           "[0, 1]", true, nearest_label},
          {"procrustes", "disparity to the true configuration after the best similarity transform",
           "[0, 1]", false, disparity},
          {"trustworthiness",
           "how near in the data are the 12 nearest on the map; above 5000 objects asked of 2000 "
           "of them",
           "[0, 1]", true, trustworthiness},
          {"continuity",
           "how near on the map are the 12 nearest in the data; above 5000 objects asked of 2000 "
           "of them",
           "[0, 1]", true, continuity},
          {"distance_correlation",
           "rank correlation of distances in the data and on the map, over at most 20,000 pairs",
           "[-1, 1]", true, correlation_of_distances},
          {"preservation_overall",
           "share of an aspect's triplets, hidden and held-out ones included, that its map "
           "satisfies; mean over aspects",
           "[0, 1]", true, preservation_overall},
          {"preservation_observed",
           "share of an aspect's training triplets that its map satisfies; mean over aspects",
           "[0, 1]", true, preservation_observed},
          {"preservation_hidden",
           "share of an aspect's triplets with an object hidden from it that its map satisfies; "
           "mean over aspects",
           "[0, 1]", true, preservation_hidden},
          {"knn_accuracy_hidden",
           "share of objects hidden from an aspect whose value the 10 nearest observed ones vote "
           "for; mean over "
           "aspects",
           "[0, 1]", true, knn_accuracy_hidden},
          {"relatedness_angle",
           "correlation of the attributes' mutual information with the angles of the maps' "
           "normals; median over aspects",
           "[-1, 1]", true, relatedness_angle},
          {"relatedness_maps",
           "correlation of the attributes' mutual information with the likeness (linear CKA) of "
           "their maps; median over "
           "aspects",
           "[-1, 1]", true, relatedness_maps},
          {"edge_crossings",
           "pairs of similar pairs whose straight lines cross on a map of two dimensions",
           "[0, inf)", false, of_pair_signs<edge_crossings>},
          {"neighborhood_precision",
           "share of similar objects among as many nearest as an object has similar ones; mean "
           "over "
           "objects, above 5000 over 2000 of them",
           "[0, 1]", true, of_pair_signs<neighborhood_precision>},
          {"sign_violations",
           "share of triples in which what is dissimilar is not farther than what is similar; "
           "above "
           "5000 objects asked of 2000 of them",
           "[0, 1]", false, of_pair_signs<sign_violations>},
          {"heldout_neighbor_precision",
           "share of objects held out, placed by their features, whose nearest on the map is "
           "similar",
           "[0, 1]", true, [](const MetricInput& in) { return heldout_neighbor_precision(in); }},
      });
  return kCatalog;
}

}  // namespace alidade::metrics
