#include "experiments/run/heldout_annotators.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "experiments/metrics/metric.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

/// Counts pairs of answers to one question that are alike, for both of their annotators.
void count_repeats(const TripletSource& triplets, const std::vector<std::uint32_t>& annotator,
                   std::vector<AnnotatorErrors>& out) {
  struct Question {
    std::array<std::uint32_t, 4> key;  // aspect, anchor, the smaller and the larger of the two
    bool smaller_is_near;
    std::uint32_t who;
    bool operator<(const Question& other) const { return key < other.key; }
  };
  std::vector<Question> all;
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const Triplet t = triplets.at(i);
    all.push_back({{t.aspect, t.anchor, std::min(t.near, t.far), std::max(t.near, t.far)},
                   t.near < t.far,
                   annotator[triplets.origin_index(i)]});
  }
  std::ranges::stable_sort(all, {}, &Question::key);
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    std::array<std::uint64_t, 2> answers{};
    for (end = begin; end < all.size() && all[end].key == all[begin].key; ++end)
      ++answers[all[end].smaller_is_near ? 1 : 0];
    for (std::size_t i = begin; i < end; ++i) {
      out[all[i].who].repeated += end - begin - 1;
      out[all[i].who].alike += answers[all[i].smaller_is_near ? 1 : 0] - 1;
    }
  }
}

}  // namespace

std::vector<AnnotatorErrors> errors_of_annotators(const Embedding& embedding,
                                                  const std::shared_ptr<const TripletSource>& heldout,
                                                  const Observations& all) {
  if (!all.annotator || !all.triplets || all.annotators.empty()) return {};
  const std::vector<std::uint32_t>& who = *all.annotator;
  std::vector<AnnotatorErrors> out;
  for (std::size_t a = 0; a < all.annotators.size(); ++a) {
    out.push_back({.name = all.annotators[a]});
    if (a < all.response_times.size() && !std::isnan(all.response_times[a]))
      out.back().median_time = all.response_times[a];
  }
  for (std::uint64_t i = 0; i < all.triplets->size(); ++i) ++out[who[all.triplets->origin_index(i)]].answers;
  count_repeats(*all.triplets, who, out);
  if (!heldout || !metrics::maps_show_aspects(embedding, heldout->aspect_count())) return out;
  std::vector<std::vector<std::uint64_t>> own(out.size());
  for (std::uint64_t i = 0; i < heldout->size(); ++i) own[who[heldout->origin_index(i)]].push_back(i);
  for (std::size_t a = 0; a < own.size(); ++a) {
    out[a].heldout = own[a].size();
    if (own[a].empty()) continue;
    const double error = metrics::triplet_error(embedding, TripletSelection(heldout, std::move(own[a])));
    out[a].violated = static_cast<std::uint64_t>(error * static_cast<double>(out[a].heldout) + 0.5);
  }
  return out;
}

std::string worst_annotators(const std::vector<AnnotatorErrors>& errors) {
  constexpr std::size_t kNamed = 3;
  std::vector<AnnotatorErrors> judged;
  std::ranges::copy_if(errors, std::back_inserter(judged), [](const auto& one) { return one.heldout > 0; });
  if (judged.size() <= kNamed) return "";
  std::ranges::stable_sort(judged, std::ranges::greater{}, [](const auto& one) { return *one.error(); });
  std::vector<std::string> worst;
  const double median = *judged[judged.size() / 2].error();
  for (const AnnotatorErrors& one : std::span(judged).first(kNamed)) {
    if (*one.error() <= median) break;
    std::string text = fmt::format("{} ({:.2f} of {}", printable(one.name), *one.error(), one.heldout);
    if (one.repeated > 0)
      text += fmt::format("; {:.0f} % like other answers to the same questions",
                          100 * static_cast<double>(one.alike) / static_cast<double>(one.repeated));
    if (one.median_time) text += fmt::format("; median response time {:.4g}", *one.median_time);
    worst.push_back(text + ")");
  }
  if (worst.empty()) return "";
  return fmt::format("Highest held-out errors of annotators: {}. The median of {} is {:.2f}; guessing has 0.5.",
                     join(worst, ", "), judged.size(), median);
}

}  // namespace alidade
