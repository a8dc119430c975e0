// The entries of the catalog, one function each, defined beside what they compute; catalog.cpp lists them.
// To add a metric, declare its entry here and call it there.
// Not for callers: use metric_catalog().
#pragma once

#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {

[[nodiscard]] MetricEntry train_error_entry();
[[nodiscard]] MetricEntry heldout_error_entry();
[[nodiscard]] MetricEntry truth_error_entry();
[[nodiscard]] MetricEntry heldout_log_loss_entry();
[[nodiscard]] MetricEntry calibration_error_entry();
[[nodiscard]] MetricEntry knn_accuracy_entry();
[[nodiscard]] MetricEntry knn_accuracy_10_entry();
[[nodiscard]] MetricEntry procrustes_entry();
[[nodiscard]] MetricEntry trustworthiness_entry();
[[nodiscard]] MetricEntry continuity_entry();
[[nodiscard]] MetricEntry trustworthiness_20_entry();
[[nodiscard]] MetricEntry continuity_20_entry();
[[nodiscard]] MetricEntry smoothed_precision_entry();
[[nodiscard]] MetricEntry smoothed_recall_entry();
[[nodiscard]] MetricEntry rank_smoothed_precision_entry();
[[nodiscard]] MetricEntry rank_smoothed_recall_entry();
[[nodiscard]] MetricEntry nerv_cost_entry();
[[nodiscard]] MetricEntry nerv_cost_10_entry();
[[nodiscard]] MetricEntry nerv_cost_90_entry();
[[nodiscard]] MetricEntry distance_rank_correlation_entry();
[[nodiscard]] MetricEntry preservation_overall_entry();
[[nodiscard]] MetricEntry preservation_observed_entry();
[[nodiscard]] MetricEntry preservation_hidden_entry();
[[nodiscard]] MetricEntry knn_accuracy_hidden_entry();
/// The statistic over aspects of a relatedness measure: the name ends in "", "_min" or "_max".
enum class OverAspects { median, minimum, maximum };
[[nodiscard]] MetricEntry relatedness_angle_entry(OverAspects over);
[[nodiscard]] MetricEntry relatedness_planes_entry(OverAspects over);
[[nodiscard]] MetricEntry relatedness_maps_entry(OverAspects over);
[[nodiscard]] MetricEntry edge_crossings_entry();
[[nodiscard]] MetricEntry neighborhood_precision_entry();
[[nodiscard]] MetricEntry sign_violations_entry();
[[nodiscard]] MetricEntry heldout_neighbor_precision_entry();
[[nodiscard]] MetricEntry optimality_gap_entry();
[[nodiscard]] MetricEntry dimension_price_entry();
[[nodiscard]] MetricEntry cut_entry();
[[nodiscard]] MetricEntry cut_ratio_entry();

}  // namespace alidade::metrics
