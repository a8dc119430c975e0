#include <iterator>
#include <utility>

#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {

// Each source of metrics, which defines `std::vector<MetricEntry> NAME_metrics()`, in the order of `alidade list`.
#define ALIDADE_METRICS(SOURCE)      \
  SOURCE(triplet_error)              \
  SOURCE(truth_error)                \
  SOURCE(answer_probabilities)       \
  SOURCE(knn_accuracy)               \
  SOURCE(procrustes)                 \
  SOURCE(neighbor_preservation)      \
  SOURCE(neighbor_retrieval)         \
  SOURCE(distance_rank_correlation)  \
  SOURCE(preservation)               \
  SOURCE(relatedness)                \
  SOURCE(edge_crossings)             \
  SOURCE(neighborhood_precision)     \
  SOURCE(sign_violations)            \
  SOURCE(heldout_neighbor_precision) \
  SOURCE(proven_excess)              \
  SOURCE(rounded_cut)

#define ALIDADE_METRICS_OF(name) std::vector<MetricEntry> name##_metrics();
ALIDADE_METRICS(ALIDADE_METRICS_OF)

namespace {

Registry<MetricEntry>& catalog_of_metrics() {
  static Registry<MetricEntry> catalog("metric", [] {
    std::vector<MetricEntry> out;
#define ALIDADE_ADD_METRICS(name) std::ranges::move(name##_metrics(), std::back_inserter(out));
    ALIDADE_METRICS(ALIDADE_ADD_METRICS)
    return out;
  }());
  return catalog;
}

}  // namespace

const Registry<MetricEntry>& metric_catalog() { return catalog_of_metrics(); }
void add_metric(MetricEntry entry) {
  entry.added = true;
  catalog_of_metrics().add(std::move(entry));
}

}  // namespace alidade::metrics
