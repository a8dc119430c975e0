#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/metrics/anchor_sample.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"

namespace alidade::metrics {

std::vector<Index> sampled_anchors(Index n) { return anchor_sample(n, 2000, 2007, "pair_judgements"); }

double neighborhood_precision(const Matrix& coordinates, const PairSigns& signs, const Executor& looked) {
  const Index n = signs.object_count();
  if (coordinates.rows() != n) return kDoesNotApply;
  struct Judged {
    double squared_distance;
    bool similar;
  };
  std::vector<Judged> judged;
  double sum = 0;
  std::uint64_t asked = 0;
  for (const Index i : sampled_anchors(n)) {
    looked.look();
    const std::size_t k = signs.similar(i).size();
    if (k == 0) continue;
    judged.clear();
    const auto judge = [&](ObjectId j, bool similar) {
      const double squared = (coordinates.row(i) - coordinates.row(static_cast<Index>(j))).squaredNorm();
      judged.push_back({std::isfinite(squared) ? squared : std::numeric_limits<double>::infinity(), similar});
    };
    std::span<const ObjectId> similar = signs.similar(i);
    for (const ObjectId j : similar) judge(j, true);
    if (signs.others() == PairSigns::Others::unknown) {
      for (const ObjectId j : signs.listed_dissimilar(i)) judge(j, false);
    } else {
      for (Index j = 0; j < n; ++j) {
        const auto id = static_cast<ObjectId>(j);
        if (!similar.empty() && similar.front() == id)
          similar = similar.subspan(1);
        else if (j != i)
          judge(id, false);
      }
    }
    std::ranges::nth_element(judged, judged.begin() + static_cast<std::ptrdiff_t>(k) - 1, {},
                             &Judged::squared_distance);
    const double last = judged[k - 1].squared_distance;
    std::size_t nearer = 0, nearer_similar = 0, tied = 0, tied_similar = 0;
    for (const Judged& j : judged) {
      if (j.squared_distance > last) continue;
      ++(j.squared_distance < last ? nearer : tied);
      if (j.similar) ++(j.squared_distance < last ? nearer_similar : tied_similar);
    }
    auto right = static_cast<double>(nearer_similar);
    if (std::isfinite(last)) right += static_cast<double>((k - nearer) * tied_similar) / static_cast<double>(tied);
    sum += right / static_cast<double>(k);
    ++asked;
  }
  return asked == 0 ? kDoesNotApply : sum / static_cast<double>(asked);
}

std::vector<MetricEntry> neighborhood_precision_metrics() {
  return {{"neighborhood_precision",
           "rate of similar objects among the k nearest, with k the number of objects similar to "
           "an object; mean over orders of equal distances and over objects, above 5000 over 2000 of them",
           "", "[0, 1]", true, "one map, and pair signs", of_pair_signs<neighborhood_precision>}};
}

}  // namespace alidade::metrics
