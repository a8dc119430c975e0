#include <cmath>
#include <limits>

#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"

namespace alidade::metrics {

double heldout_neighbor_precision(const Matrix& places, std::span<const Index> kept, const Matrix& new_places,
                                  std::span<const Index> heldout, const PairSigns& all) {
  std::uint64_t asked = 0;
  double right = 0;
  for (std::size_t h = 0; h < heldout.size(); ++h) {
    bool answerable = false;
    double least = std::numeric_limits<double>::infinity();
    std::uint64_t nearest = 0, nearest_similar = 0;
    for (std::size_t r = 0; r < kept.size(); ++r) {
      const bool similar = all.sign(heldout[h], kept[r]) == 1;
      answerable = answerable || similar;
      const double squared = (new_places.row(static_cast<Index>(h)) - places.row(static_cast<Index>(r))).squaredNorm();
      if (!(squared <= least) || !std::isfinite(squared)) continue;
      if (squared < least) nearest = nearest_similar = 0;
      least = squared;
      ++nearest;
      if (similar) ++nearest_similar;
    }
    if (!answerable) continue;
    ++asked;
    if (nearest > 0) right += static_cast<double>(nearest_similar) / static_cast<double>(nearest);
  }
  if (asked == 0) return kDoesNotApply;
  return right / static_cast<double>(asked);
}

Matrix heldout_places(const MetricInput& in) {
  if (!in.heldout_objects || !in.embedding.projector || in.embedding.maps.size() != 1) return {};
  const auto& [all, kept, heldout] = *in.heldout_objects;
  if (!all.features) return {};
  FeatureMatrix features(std::ssize(heldout), all.features->cols());
  for (std::size_t h = 0; h < heldout.size(); ++h) features.row(static_cast<Index>(h)) = all.features->row(heldout[h]);
  return in.embedding.projector->project(features);
}

double heldout_neighbor_precision(const MetricInput& in) {
  const Matrix places = heldout_places(in);
  if (places.rows() == 0 || !in.heldout_objects->all.pair_signs) return kDoesNotApply;
  const auto& [all, kept, heldout] = *in.heldout_objects;
  return heldout_neighbor_precision(in.embedding.only(), kept, places, heldout, *all.pair_signs);
}

std::vector<MetricEntry> heldout_neighbor_precision_metrics() {
  return {{"heldout_neighbor_precision",
           "rate of held-out objects, placed by their features, whose nearest neighbour on the map is similar", "",
           "[0, 1]", true, "held-out objects with pair signs, and a map that places new objects by features",
           [](const MetricInput& in) { return heldout_neighbor_precision(in); }}};
}

}  // namespace alidade::metrics
