#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/metrics/metric.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade::metrics {
namespace {

/// Mean of -ln P of the held-out triplets, by weight.
double heldout_log_loss(const MetricInput& in) {
  if (!in.heldout || in.heldout->size() == 0 || !in.probability || in.embedding.maps.size() != 1) return kDoesNotApply;
  double sum = 0, weights = 0;
  each_weighed(*in.heldout, [&](std::uint64_t, const Triplet& t, double weight) {
    sum -= weight > 0 ? weight * std::log(in.probability(t)) : 0;
    weights += weight;
  });
  return sum / weights;
}

/// Held-out triplets fall into ten intervals of the probability of what the map expects, from 1/2 to 1. The mean over
/// the triplets of |share as expected - mean probability| of their interval.
double calibration_error(const MetricInput& in) {
  constexpr std::size_t kIntervals = 10;
  if (!in.heldout || in.heldout->size() == 0 || !in.probability || in.embedding.maps.size() != 1) return kDoesNotApply;
  std::array<double, kIntervals> excess{};
  double weights = 0;
  each_weighed(*in.heldout, [&](std::uint64_t, const Triplet& t, double weight) {
    const double p = in.probability(t), expected = std::max(p, 1 - p);
    weights += std::isnan(p) ? p : weight;
    const auto interval = std::isnan(p) ? 0 : static_cast<std::size_t>((expected - 0.5) * 2 * double{kIntervals});
    excess[std::min(interval, kIntervals - 1)] += weight * ((p >= 0.5 ? 1 : 0) - expected);
  });
  double sum = 0;
  for (const double one : excess) sum += std::abs(one);
  return sum / weights;
}

}  // namespace

std::vector<MetricEntry> answer_probabilities_metrics() {
  return {{"heldout_log_loss",
           "mean of -ln P of the held-out triplets, with P by the map and the method's loss; ln 2 = .693 is guessing",
           "", "[0, inf)", false, "held-out triplets, a loss that is a likelihood, one map", heldout_log_loss, true},
          {"calibration_error",
           "how far the map's probabilities of held-out triplets are from their frequencies: mean absolute difference "
           "over ten intervals of the probability of what the map expects",
           "", "[0, 1]", false, "held-out triplets, a loss that is a likelihood, one map", calibration_error, true}};
}

}  // namespace alidade::metrics
