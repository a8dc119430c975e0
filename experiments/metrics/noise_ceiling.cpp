#include "experiments/metrics/noise_ceiling.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "problems/evidence/questions.hpp"

namespace alidade::metrics {
namespace {

/// Whether the weights count votes.
bool are_votes(const TripletSource& triplets) {
  constexpr double kMostVotes = 1e9;
  if (!triplets.weighted()) return false;
  for (std::uint64_t i = 0; i < triplets.size(); ++i)
    if (const double weight = triplets.at(i).weight; weight != std::floor(weight) || weight >= kMostVotes) return false;
  return true;
}

/// The lowest of E[min(p, 1 - p)] for a chance that two answers differ.
double lowest_error(double disagreement) { return (1 - std::sqrt(std::max(0.0, 1 - 2 * disagreement))) / 2; }

}  // namespace

double least_error(double disagreement) {
  if (disagreement >= 0.5) return 0.5;
  if (disagreement <= 0) return 0;
  // E|p - 1/2| = 4^-alpha / (alpha B(alpha, alpha)), as p^alpha (1 - p)^alpha is an antiderivative.
  const double alpha = disagreement / (1 - 2 * disagreement);
  const double spread = std::exp(-alpha * std::log(4.0) - std::lgamma(alpha) * 2 + std::lgamma(2 * alpha)) / alpha;
  return std::clamp(0.5 - spread, lowest_error(disagreement), disagreement);
}

std::optional<NoiseCeiling> noise_ceiling(const TripletSource& triplets) {
  constexpr std::size_t kFewestQuestions = 20;
  constexpr int kResamples = 1000;
  if (!triplets.stored()) return std::nullopt;
  const bool votes = are_votes(triplets);
  NoiseCeiling out;
  std::vector<double> differing;  // of each repeated question
  each_question(triplets, [&](std::span<const std::uint64_t> places) {
    double all = 0, swapped = 0;
    for (const std::uint64_t place : places) {
      const Triplet t = triplets.at(place);
      const double count = votes ? t.weight : 1;
      all += count;
      if (t.near > t.far) swapped += count;
    }
    if (all < 2) return;
    differing.push_back(2 * swapped * (all - swapped) / (all * (all - 1)));
    out.answers += static_cast<std::uint64_t>(all);
  });
  if (differing.size() < kFewestQuestions) return std::nullopt;
  out.questions = differing.size();
  out.disagreement = statistics::mean(differing);
  out.disagreement_interval =
      statistics::bootstrap_interval(differing, [](std::span<const double> drawn) { return statistics::mean(drawn); },
                                     {.kind = statistics::BootstrapInterval::percentile, .resamples = kResamples});
  out.lowest = lowest_error(out.disagreement);
  out.highest = std::min(out.disagreement, 0.5);
  out.error = least_error(out.disagreement);
  out.error_interval = {least_error(out.disagreement_interval.low), least_error(out.disagreement_interval.high)};
  return out;
}

}  // namespace alidade::metrics
