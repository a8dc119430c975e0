#include "experiments/metrics/metric_entries.hpp"

#include <utility>

namespace alidade::metrics {

namespace {

Registry<MetricEntry>& catalog_of_metrics() {
  static Registry<MetricEntry> catalog("metric", {train_error_entry(),
                                                  heldout_error_entry(),
                                                  truth_error_entry(),
                                                  heldout_log_loss_entry(),
                                                  calibration_error_entry(),
                                                  knn_accuracy_entry(),
                                                  knn_accuracy_10_entry(),
                                                  procrustes_entry(),
                                                  trustworthiness_entry(),
                                                  continuity_entry(),
                                                  trustworthiness_20_entry(),
                                                  continuity_20_entry(),
                                                  smoothed_precision_entry(),
                                                  smoothed_recall_entry(),
                                                  rank_smoothed_precision_entry(),
                                                  rank_smoothed_recall_entry(),
                                                  nerv_cost_entry(),
                                                  nerv_cost_10_entry(),
                                                  nerv_cost_90_entry(),
                                                  distance_rank_correlation_entry(),
                                                  preservation_overall_entry(),
                                                  preservation_observed_entry(),
                                                  preservation_hidden_entry(),
                                                  knn_accuracy_hidden_entry(),
                                                  relatedness_angle_entry(OverAspects::median),
                                                  relatedness_angle_entry(OverAspects::minimum),
                                                  relatedness_angle_entry(OverAspects::maximum),
                                                  relatedness_planes_entry(OverAspects::median),
                                                  relatedness_planes_entry(OverAspects::minimum),
                                                  relatedness_planes_entry(OverAspects::maximum),
                                                  relatedness_maps_entry(OverAspects::median),
                                                  relatedness_maps_entry(OverAspects::minimum),
                                                  relatedness_maps_entry(OverAspects::maximum),
                                                  edge_crossings_entry(),
                                                  neighborhood_precision_entry(),
                                                  sign_violations_entry(),
                                                  heldout_neighbor_precision_entry(),
                                                  optimality_gap_entry(),
                                                  dimension_price_entry(),
                                                  cut_entry(),
                                                  cut_ratio_entry()});
  return catalog;
}

}  // namespace

const Registry<MetricEntry>& metric_catalog() { return catalog_of_metrics(); }
void add_metric(MetricEntry entry) {
  entry.added = true;
  catalog_of_metrics().add(std::move(entry));
}

}  // namespace alidade::metrics
