#include "experiments/metrics/noise_ceiling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace alidade::metrics {
namespace {

/// An answer of one anchor to the question which of `first` < `second` is nearer.
struct Answer {
  ObjectId first, second;
  std::uint32_t aspect;
  bool swapped;  // near is `second`
  double weight;
  [[nodiscard]] auto question() const { return std::tuple(first, second, aspect); }
};

/// Subscripts of the triplets by anchor: those of i lie from first[i] to first[i + 1]. Takes less memory than to sort
/// all answers at once, and less time.
struct ByAnchor {
  std::vector<std::uint64_t> first, triplets;
  explicit ByAnchor(const TripletSource& source)
      : first(static_cast<std::size_t>(source.object_count()) + 1), triplets(static_cast<std::size_t>(source.size())) {
    for (std::uint64_t t = 0; t < source.size(); ++t) ++first[source.at(t).anchor + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (std::uint64_t t = 0; t < source.size(); ++t)
      triplets[static_cast<std::size_t>(next[source.at(t).anchor]++)] = t;
  }
};

/// The answers to questions with one anchor, equal questions side by side.
void sorted_answers(const TripletSource& source, std::span<const std::uint64_t> subscripts, std::vector<Answer>& out) {
  out.clear();
  for (const std::uint64_t i : subscripts) {
    const Triplet t = source.at(i);
    out.push_back({std::min(t.near, t.far), std::max(t.near, t.far), t.aspect, t.near > t.far, t.weight});
  }
  std::ranges::sort(out, {}, &Answer::question);
}

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
  const ByAnchor by_anchor(triplets);
  NoiseCeiling out;
  std::vector<double> differing;  // of each repeated question
  std::vector<Answer> answers;
  for (std::size_t anchor = 0; anchor + 1 < by_anchor.first.size(); ++anchor) {
    const auto begin = static_cast<std::size_t>(by_anchor.first[anchor]);
    const auto end = static_cast<std::size_t>(by_anchor.first[anchor + 1]);
    sorted_answers(triplets, std::span(by_anchor.triplets).subspan(begin, end - begin), answers);
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
