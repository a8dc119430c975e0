#include "experiments/metrics/rounded_cut.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/metrics/metric.hpp"
#include "problems/core/random.hpp"
#include "problems/semidefinite/graph_problems.hpp"

namespace alidade::metrics {
namespace {

double cut_of(const MetricInput& in) {
  if (!in.lower_bound || !in.observations.pair_signs || in.embedding.maps.size() != 1) return kDoesNotApply;
  if (!in.cut) in.cut = rounded_cut(in.embedding.only(), *in.observations.pair_signs);
  return *in.cut;
}

}  // namespace

double rounded_cut(const Matrix& vectors, const PairSigns& signs) {
  constexpr int kHyperplanes = 100;
  constexpr std::uint64_t kSeed = 1995;
  if (vectors.rows() != signs.object_count() || !vectors.allFinite()) return kDoesNotApply;
  const std::vector<semidefinite::GraphEdge> edges = semidefinite::graph_edges(signs);
  Rng rng = Rng::stream(kSeed, "rounded_cut");
  double best = 0;
  for (int h = 0; h < kHyperplanes; ++h) {
    Vector normal(vectors.cols());
    for (double& x : normal) x = rng.normal();
    const Vector height = vectors * normal;
    double cut = 0;
    for (const auto& [i, j, weight] : edges)
      if ((height[i] >= 0) != (height[j] >= 0)) cut += weight;
    best = std::max(best, cut);
  }
  return best;
}

std::vector<MetricEntry> rounded_cut_metrics() {
  return {
      {"cut",
       "edges, or the sum of their weights, between the two sides of the best of 100 random hyperplanes through the "
       "centre of max_cut's sphere",
       "edges", "[0, inf)", true, "a map by max_cut", cut_of, false, "max_cut"},
      {"cut_ratio", "cut, relative to the proven bound on any cut", "", "[0, 1]", true,
       "a map by max_cut whose solver proved a bound",
       [](const MetricInput& in) { return in.lower_bound ? cut_of(in) / -*in.lower_bound : kDoesNotApply; }, false,
       "max_cut"}};
}

}  // namespace alidade::metrics
