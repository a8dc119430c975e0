#include "experiments/metrics/noise_ceiling.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace alidade::metrics {
namespace {

/// An answer to the question which of `first` < `second` is nearer to the anchor.
struct Answer {
  ObjectId anchor, first, second;
  std::uint32_t aspect;
  bool swapped;  // near is `second`
  double weight;
  [[nodiscard]] auto question() const { return std::tuple(anchor, first, second, aspect); }
};

std::vector<Answer> sorted_answers(const TripletSource& triplets) {
  std::vector<Answer> out;
  out.reserve(static_cast<std::size_t>(triplets.size()));
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const Triplet t = triplets.at(i);
    out.push_back({t.anchor, std::min(t.near, t.far), std::max(t.near, t.far), t.aspect, t.near > t.far, t.weight});
  }
  std::ranges::sort(out, {}, &Answer::question);
  return out;
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
  constexpr double kMostVotes = 1e9;
  if (!triplets.stored()) return std::nullopt;
  const std::vector<Answer> answers = sorted_answers(triplets);
  const bool votes = triplets.weighted() && std::ranges::all_of(answers, [](const Answer& one) {
                       return one.weight == std::floor(one.weight) && one.weight < kMostVotes;
                     });
  NoiseCeiling out;
  std::vector<double> differing;  // of each repeated question
  for (auto first = answers.begin(); first != answers.end();) {
    double all = 0, swapped = 0;
    auto next = first;
    for (; next != answers.end() && next->question() == first->question(); ++next) {
      const double count = votes ? next->weight : 1;
      all += count;
      if (next->swapped) swapped += count;
    }
    first = next;
    if (all < 2) continue;
    differing.push_back(2 * swapped * (all - swapped) / (all * (all - 1)));
    out.answers += static_cast<std::uint64_t>(all);
  }
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
