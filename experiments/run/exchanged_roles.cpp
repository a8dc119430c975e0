#include "experiments/run/answer_checks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/metrics/metric.hpp"
#include "experiments/statistics/proportion.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade {
namespace {

std::shared_ptr<const TripletSource> exchanged(std::shared_ptr<const TripletSource> triplets) {
  return std::make_shared<const ReversedTriplets>(std::move(triplets), 1.0, 0);
}

/// At most `limit` triplets, drawn at random.
std::shared_ptr<const TripletSource> drawn(std::shared_ptr<const TripletSource> triplets, std::uint64_t limit,
                                           Rng rng) {
  if (triplets->size() <= limit) return triplets;
  std::vector<std::uint64_t> indices(triplets->size());
  std::iota(indices.begin(), indices.end(), std::uint64_t{0});
  rng.shuffle(std::span(indices));
  indices.resize(limit);
  return std::make_shared<const TripletSelection>(std::move(triplets), std::move(indices));
}

}  // namespace

std::optional<double> better_exchanged(const RunRequest& request, const Observations& training,
                                       const std::shared_ptr<const TripletSource>& heldout, Index n_components,
                                       double error, const Deadline& deadline, Executor& executor) {
  constexpr double kLeastError = 0.25, kLeastGain = 0.05, kClear = 4;  // standard errors of the difference
  constexpr std::uint64_t kFewestHeldout = 50, kMostTriplets = 20'000;
  const bool of_user = request.experiment.datasets[request.run.dataset].name == "triplets";
  if (!of_user || request.onto || !heldout || heldout->size() < kFewestHeldout || error < kLeastError)
    return std::nullopt;
  const auto fitted = drawn(training.triplets, kMostTriplets, Rng::stream(request.stream_key("exchange"), "train"));
  const auto judged = drawn(heldout, kMostTriplets, Rng::stream(request.stream_key("exchange"), "judge"));
  const auto error_of = [&](bool reversed) {
    const auto map = map_by_ste(request, training, reversed ? exchanged(fitted) : fitted, n_components,
                                request.stream_key("exchange"), deadline, executor);
    if (!map) return std::numeric_limits<double>::quiet_NaN();
    return metrics::triplet_error(*map, reversed ? *exchanged(judged) : *judged);
  };
  const double other = error_of(true);
  if (!(other < error)) return std::nullopt;  // nothing is gained over the map at hand
  const double as_given = error_of(false);
  if (!std::isfinite(as_given)) return std::nullopt;
  const double gain = as_given - other;
  statistics::ClusterCount all;
  each_weighed(*judged, [&](std::uint64_t, const Triplet&, double weight) { all.add(weight, false); });
  const double variance = (as_given * (1 - as_given) + other * (1 - other)) / all.effective();
  if (gain < kLeastGain || gain < kClear * std::sqrt(variance)) return std::nullopt;
  return other;
}

}  // namespace alidade
