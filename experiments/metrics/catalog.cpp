#include <limits>

#include "experiments/metrics/metric.hpp"

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
      });
  return kCatalog;
}

}  // namespace alidade::metrics
