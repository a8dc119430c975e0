#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {
namespace {

/// Random triplets of the truth that the map violates. Ties of the truth are left out; those of the map are errors.
double truth_error(const MetricInput& in) {
  constexpr int kTriplets = 20'000;
  constexpr std::uint64_t kSeed = 20'000;  // the same triplets for every map of as many objects
  const Matrix truth = in_ordinary_unit(in.observations.truth);
  if (truth.rows() < 3 || in.embedding.maps.size() != 1 || in.embedding.only().rows() != truth.rows())
    return kDoesNotApply;
  const Matrix& map = in.embedding.only();
  const auto n = static_cast<std::uint64_t>(truth.rows());
  Rng rng = Rng::stream(kSeed, "truth_error");
  int violated = 0, total = 0;
  for (int t = 0; t < kTriplets; ++t) {
    const auto i = static_cast<Index>(rng.below(n));
    auto j = static_cast<Index>(rng.below(n - 1)), k = static_cast<Index>(rng.below(n - 2));
    if (j >= i) ++j;
    for (const Index other : {std::min(i, j), std::max(i, j)})
      if (k >= other) ++k;
    const double margin = (truth.row(i) - truth.row(k)).squaredNorm() - (truth.row(i) - truth.row(j)).squaredNorm();
    if (margin == 0) continue;
    const double drawn = (map.row(i) - map.row(k)).squaredNorm() - (map.row(i) - map.row(j)).squaredNorm();
    violated += (margin > 0 ? drawn > 0 : drawn < 0) ? 0 : 1;
    ++total;
  }
  return total == 0 ? kDoesNotApply : static_cast<double>(violated) / total;
}

}  // namespace

std::vector<MetricEntry> truth_error_metrics() {
  return {{"truth_error",
           "rate of 20,000 random triplets of the ground truth that the map violates, whatever the answers say (ties "
           "count as errors)",
           "", "[0, 1]", false, "ground truth, one map", truth_error, true}};
}

}  // namespace alidade::metrics
