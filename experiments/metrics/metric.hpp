// A metric: one number from an embedding and the observations, with unit, range and direction.
// NaN means "does not apply here" (no labels, nothing held out) and becomes null in a row.
// Metrics never see the method; ties and missing coordinates count against the map.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problems/core/registry.hpp"
#include "problems/embedding.hpp"
#include "problems/observations.hpp"

namespace alidade::metrics {

struct MetricInput {
  const Embedding& embedding;
  const Observations& observations;         // labels, truth; its triplets are those of training
  const TripletSource* heldout = nullptr;   // null: nothing was held out
};

struct Metric {
  std::string name;
  std::string summary;
  std::string range;
  bool higher_is_better = false;
  std::function<double(const MetricInput&)> compute;
};

[[nodiscard]] const Registry<Metric>& metric_catalog();

/// Share of triplets whose anchor is not strictly nearer to `near` than to `far`, in [0, 1]: ties and NaN
/// count as errors, so a collapsed map scores 1. Unweighted. With one map per aspect each triplet is judged
/// in the map of its aspect. O(d) a triplet.
[[nodiscard]] double triplet_error(const Embedding& embedding, const TripletSource& triplets);

/// Leave-one-out accuracy of the majority label among the k nearest labelled objects, in [0, 1]; equal
/// distances by index, equal votes to the nearer. Objects without a label take no part; one without
/// coordinates is wrong and votes for nobody. NaN if fewer than two have a label. O(n^2 d). @pre k >= 1
[[nodiscard]] double knn_accuracy(const Matrix& coordinates, const std::vector<std::string>& labels,
                                  Index k);

/// Procrustes disparity in [0, 1] (Gower 1975): both configurations centred and scaled to unit norm, the
/// best rotation, reflection and scale taken; 1 - (sum of singular values)^2. The narrower is padded with zeros.
/// 1 if a coordinate is missing or the map has no extent; NaN unless both have the same rows, at least two.
[[nodiscard]] double procrustes_disparity(const Matrix& coordinates, const Matrix& truth);

/// The coordinates moved, turned and mirrored (never scaled) onto the truth as well as that can be; unchanged
/// if the shapes differ or a coordinate is not finite. Distances are kept.
[[nodiscard]] Matrix turned_to(const Matrix& coordinates, const Matrix& truth);

}  // namespace alidade::metrics
