#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"

namespace alidade::metrics {

double sign_violations(const Matrix& coordinates, const PairSigns& signs, const Executor& looked) {
  const Index n = signs.object_count();
  if (coordinates.rows() != n) return kDoesNotApply;
  std::vector<double> near;
  std::vector<double> far;
  double violated = 0, all = 0;  // whole numbers
  for (const Index i : sampled_anchors(n)) {
    looked.look();
    near.clear();
    far.clear();
    // An object without coordinates is neither nearer nor farther than another.
    const auto squared = [&](ObjectId j, double if_nowhere) {
      const double d2 = (coordinates.row(i) - coordinates.row(static_cast<Index>(j))).squaredNorm();
      return std::isfinite(d2) ? d2 : if_nowhere;
    };
    constexpr double kFarthest = std::numeric_limits<double>::infinity();
    std::span<const ObjectId> similar = signs.similar(i);
    for (const ObjectId j : similar) near.push_back(squared(j, kFarthest));
    if (near.empty()) continue;
    if (signs.others() == PairSigns::Others::unknown) {
      for (const ObjectId k : signs.listed_dissimilar(i)) far.push_back(squared(k, -1));
    } else {
      for (Index k = 0; k < n; ++k) {
        const auto id = static_cast<ObjectId>(k);
        if (!similar.empty() && similar.front() == id)
          similar = similar.subspan(1);
        else if (k != i)
          far.push_back(squared(id, -1));
      }
    }
    std::ranges::sort(near);
    for (const double d2 : far) violated += static_cast<double>(near.end() - std::ranges::lower_bound(near, d2));
    all += static_cast<double>(near.size()) * static_cast<double>(far.size());
  }
  return all == 0 ? kDoesNotApply : violated / all;
}

std::vector<MetricEntry> sign_violations_metrics() {
  return {{"sign_violations",
           "rate of triples in which the dissimilar object is not farther than the similar one; "
           "above 5000 objects, measured on 2000 of them",
           "", "[0, 1]", false, "one map, and pair signs", of_pair_signs<sign_violations>}};
}

}  // namespace alidade::metrics
