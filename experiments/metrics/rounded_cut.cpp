#include "experiments/metrics/rounded_cut.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/metrics/metric_entries.hpp"
#include "problems/core/random.hpp"

namespace alidade::metrics {
namespace {

double cut_of(const MetricInput& in) {
  if (!in.most_cut || !in.observations.pair_signs || in.embedding.maps.size() != 1) return kDoesNotApply;
  return rounded_cut(in.embedding.only(), *in.observations.pair_signs);
}

}  // namespace

double rounded_cut(const Matrix& vectors, const PairSigns& signs) {
  constexpr int kHyperplanes = 100;
  constexpr std::uint64_t kSeed = 1995;
  if (vectors.rows() != signs.object_count() || !vectors.allFinite()) return kDoesNotApply;
  const std::vector<ObjectPair> similar = signs.similar_pairs();
  Rng rng = Rng::stream(kSeed, "rounded_cut");
  double best = 0;
  for (int h = 0; h < kHyperplanes; ++h) {
    Vector normal(vectors.cols());
    for (double& x : normal) x = rng.normal();
    const Vector height = vectors * normal;
    double cut = 0;
    for (const auto& [i, j] : similar) {
      const auto a = static_cast<Index>(i), b = static_cast<Index>(j);
      if (j < i && signs.sign(b, a) == 1) continue;  // an edge counts once
      if ((height[a] >= 0) != (height[b] >= 0)) ++cut;
    }
    best = std::max(best, cut);
  }
  return best;
}

MetricEntry cut_entry() {
  return {"cut",
          "edges between the two sides of the best of 100 random hyperplanes through the centre of max_cut's sphere",
          "edges",
          "[0, inf)",
          true,
          "a map by max_cut",
          cut_of,
          true};
}

MetricEntry cut_ratio_entry() {
  return {"cut_ratio",
          "cut, relative to the proven bound on the edges of any cut",
          "",
          "[0, 1]",
          true,
          "a map by max_cut whose solver proved a bound",
          [](const MetricInput& in) { return in.most_cut ? cut_of(in) / *in.most_cut : kDoesNotApply; },
          true};
}

}  // namespace alidade::metrics
