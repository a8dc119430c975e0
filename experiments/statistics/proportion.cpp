#include "experiments/statistics/proportion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "experiments/statistics/distributions.hpp"

namespace alidade::statistics {
namespace {

double two_sided_quantile(double confidence) { return normal_quantile(0.5 + confidence / 2); }

double width_of(const Interval& interval) { return interval.high - interval.low; }

}  // namespace

Interval wilson_interval(double share, double trials, double confidence) {
  const double z2 = std::pow(two_sided_quantile(confidence), 2);
  const double middle = (share + z2 / (2 * trials)) / (1 + z2 / trials);
  const double half = std::sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials * trials))) / (1 + z2 / trials);
  // Keeps the share inside despite rounding.
  return {std::max(0.0, std::min(share, middle - half)), std::min(1.0, std::max(share, middle + half))};
}

ClusteredRatio clustered_ratio(std::span<const ClusterSum> clusters) {
  double hits = 0, trials = 0, squares = 0;
  for (const ClusterSum& cluster : clusters) {
    hits += cluster.hits;
    trials += cluster.trials;
    squares += cluster.trials * cluster.trials;
  }
  ClusteredRatio out{hits / trials, 0, trials * trials / squares};
  const auto count = static_cast<double>(clusters.size());
  if (clusters.size() < 2) return out;
  for (const ClusterSum& cluster : clusters)
    out.variance += std::pow((cluster.hits - out.share * cluster.trials) / (trials - cluster.trials), 2);
  out.variance *= (count - 1) / count;
  return out;
}

double ClusteredRatio::quantile(double level) const {
  constexpr double kFewestDegrees = 0.5;
  return clusters - 1 < kFewestDegrees ? std::numeric_limits<double>::infinity()
                                       : student_two_sided_quantile(level, clusters - 1);
}

double effective_trials(std::span<const ClusterCount> clusters) {
  ClusterCount all;
  for (const ClusterCount& cluster : clusters) all += cluster;
  return all.effective();
}

ShareInterval clustered_interval(std::span<const ClusterCount> clusters, double confidence) {
  std::vector<ClusterSum> sums;
  for (const ClusterCount& cluster : clusters) sums.push_back({cluster.hits, cluster.trials});
  const ClusteredRatio ratio = clustered_ratio(sums);
  ShareInterval out{ratio.share, {0, 1}, 0};
  const double binomial = out.share * (1 - out.share), most = effective_trials(clusters);
  const double independent = binomial == 0        ? ratio.clusters
                             : ratio.variance > 0 ? std::min(most, binomial / ratio.variance)
                                                  : most;
  out.effective = independent * std::pow(two_sided_quantile(confidence) / ratio.quantile(1 - confidence), 2);
  if (out.effective > 0) out.interval = wilson_interval(out.share, out.effective, confidence);
  return out;
}

double growth_to_halve(double share, double trials, double confidence) {
  const double goal = width_of(wilson_interval(share, trials, confidence)) / 2;
  double low = 1, high = 2;
  while (width_of(wilson_interval(share, high * trials, confidence)) > goal) high *= 2;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (width_of(wilson_interval(share, middle * trials, confidence)) > goal ? low : high) = middle;
  }
  return high;
}

}  // namespace alidade::statistics
