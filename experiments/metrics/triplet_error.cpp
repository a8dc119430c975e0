
#include <optional>

#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade::metrics {

double triplet_error(const Embedding& embedding, const TripletSource& triplets) {
  if (triplets.weighted()) {
    const TripletJudge judge(embedding);
    double violated = 0, all = 0;
    each_weighed(triplets, [&](std::uint64_t, const Triplet& t, double weight) {
      all += weight;
      if (!judge.agrees(t)) violated += weight;
    });
    return all > 0 ? violated / all : kDoesNotApply;
  }
  double satisfied = 0, total = 0;
  const std::optional<Embedding> rescaled = in_ordinary_units(embedding);
  const std::vector<AspectMap>& maps = rescaled ? rescaled->maps : embedding.maps;
  for (const multiview::SatisfiedCount& aspect : multiview::satisfied_by_aspect(maps, triplets)) {
    satisfied += aspect.satisfied;
    total += aspect.total;
  }
  return total > 0 ? (total - satisfied) / total : kDoesNotApply;
}

TripletJudge::TripletJudge(const Embedding& embedding)
    : rescaled_(in_ordinary_units(embedding)), embedding_(rescaled_ ? *rescaled_ : embedding) {}

bool TripletJudge::agrees(const Triplet& t) const {
  const AspectMap& map = map_of_aspect(embedding_, t.aspect);
  return multiview::MapJudge(map.coordinates, map.similarity).agrees(t);
}

std::vector<MetricEntry> triplet_error_metrics() {
  return {{"train_error", "rate of training triplets that the map violates (ties count as errors)", "", "[0, 1]", false,
           "triplets",
           [](const MetricInput& in) {
             const auto& triplets = in.observations.triplets;
             return triplets ? triplet_error(in.embedding, *triplets) : kDoesNotApply;
           }},
          {"heldout_error", "rate of held-out triplets that the map violates (ties count as errors)", "", "[0, 1]",
           false, "held-out triplets", [](const MetricInput& in) {
             return in.heldout ? triplet_error(in.embedding, *in.heldout) : kDoesNotApply;
           }}};
}

}  // namespace alidade::metrics
