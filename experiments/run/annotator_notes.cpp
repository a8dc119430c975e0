#include "experiments/run/annotator_notes.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/run/bootstrap.hpp"
#include "experiments/statistics/proportion.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/evidence/pair_judgements.hpp"
#include "problems/evidence/questions.hpp"

namespace alidade {
namespace {

constexpr std::size_t kNamedAnnotators = 5;

/// "a (text), b (text) and 3 more" of those with a flag.
template <class Describe>
std::string listed_by_guesses(std::vector<AnnotatorEstimate> estimates, const Describe& describe) {
  std::ranges::stable_sort(estimates, std::ranges::greater{}, &AnnotatorEstimate::guess_rate);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(estimates.size(), kNamedAnnotators); ++i)
    names.push_back(fmt::format("{} ({})", estimates[i].name, describe(estimates[i])));
  return join(names, ", ") +
         (estimates.size() > kNamedAnnotators ? fmt::format(" and {} more", estimates.size() - kNamedAnnotators) : "");
}

std::vector<AnnotatorEstimate> those(const AnnotatorEstimates& estimates, bool AnnotatorEstimate::*flag) {
  std::vector<AnnotatorEstimate> out;
  std::ranges::copy_if(estimates.annotators, std::back_inserter(out), [&](const auto& one) { return one.*flag; });
  return out;
}

}  // namespace

std::vector<std::string> notes_on_annotators(const AnnotatorEstimates& estimates) {
  constexpr double kHalf = 0.5;
  std::vector<std::string> out;
  std::size_t giving = 0, mostly_guessing = 0;
  for (const AnnotatorEstimate& one : estimates.annotators) {
    if (one.answers == 0) continue;
    ++giving;
    if (one.guess_rate > kHalf && !one.reversed && one.group == 0) ++mostly_guessing;
  }
  const auto guessers = those(estimates, &AnnotatorEstimate::likely_guesser);
  const auto reversed = those(estimates, &AnnotatorEstimate::reversed);
  const std::string_view alone = giving < kFewAnnotators ? words::kFewPeople : "";
  if (!guessers.empty())
    out.push_back(
        fmt::format("{} of {} {}: {}.{}", guessers.size(), counted(giving, "annotator"),
                    guessers.size() == 1 ? "is a likely guesser" : "are likely guessers",
                    listed_by_guesses(guessers,
                                      [](const AnnotatorEstimate& one) {
                                        const double half = 1.96 * one.standard_error;  // of the 95 % interval
                                        return fmt::format("{:.0f} % of {} are guesses, {:.0f} to {:.0f} %",
                                                           100 * one.guess_rate, counted(one.answers, "answer"),
                                                           100 * std::max(one.guess_rate - half, 0.0),
                                                           100 * std::min(one.guess_rate + half, 1.0));
                                      }),
                    alone));
  if (!reversed.empty())
    out.push_back(fmt::format(
        words::kReversedAnswers, counted(reversed.size(), "annotator"), reversed.size() == 1 ? "answers" : "answer",
        listed_by_guesses(reversed,
                          [](const AnnotatorEstimate& one) {
                            return fmt::format("the map satisfies {:.0f} % of {}", 100 * one.agreement,
                                               counted(one.answers, "answer"));
                          }),
        guessers.empty() ? alone : ""));
  if (2 * mostly_guessing > giving && (guessers.empty() || 2 * guessers.size() > giving))
    out.push_back(fmt::format(words::kManyGuessers, mostly_guessing, counted(giving, "annotator")));
  return out;
}

namespace {

/// Counts pairs of answers to one question, and weighs those that are alike, for both of their annotators.
void count_repeats(const TripletSource& triplets, const std::vector<std::uint32_t>& annotator,
                   std::vector<AnnotatorErrors>& out) {
  std::vector<statistics::ClusterSum> alike(out.size());
  each_repeated_question(triplets, [&](std::span<const std::uint64_t> places) {
    std::array<double, 2> by_side{};
    for (const std::uint64_t place : places) {
      const Triplet t = triplets.at(place);
      by_side[t.near < t.far ? 1 : 0] += t.weight;
    }
    for (const std::uint64_t place : places) {
      const Triplet t = triplets.at(place);
      const std::uint32_t who = annotator[triplets.origin_index(place)];
      const bool side = t.near < t.far;
      const double same = std::max(0.0, by_side[side ? 1 : 0] - t.weight);
      out[who].repeated += places.size() - 1;
      alike[who].hits += t.weight * same;
      alike[who].trials += t.weight * (same + by_side[side ? 0 : 1]);
    }
  });
  for (std::size_t a = 0; a < out.size(); ++a)
    if (alike[a].trials > 0) out[a].alike = alike[a].hits / alike[a].trials;
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
  if (all.triplets->stored()) count_repeats(*with_ordinary_weights(all.triplets).triplets, who, out);
  if (!heldout || !metrics::maps_show_aspects(embedding, heldout->aspect_count())) return out;
  const metrics::TripletJudge judge(embedding);
  std::vector<statistics::ClusterCount> errors(out.size());
  each_weighed(*heldout, [&](std::uint64_t i, const Triplet& t, double weight) {
    const std::uint32_t a = who[heldout->origin_index(i)];
    ++out[a].heldout;
    errors[a].add(weight, !judge.agrees(t));
  });
  for (std::size_t a = 0; a < out.size(); ++a)
    if (errors[a].trials > 0) out[a].error = errors[a].hits / errors[a].trials;
  return out;
}

std::string note_on_few_people(std::uint64_t people, bool judged) {
  if (people == 0 || people >= kFewAnnotators) return "";
  return fmt::format(words::kAnswersOfFew, counted(people, "person", "people"),
                     judged ? "the interval is over them, and as wide as so few make it"
                            : "the interval is over further answers of theirs",
                     kFewAnnotators);
}

std::string note_on_whole_people(std::uint64_t judged, const Observations& all) {
  constexpr std::size_t kNamed = 5;
  std::vector<bool> orders(all.annotators.size(), false);
  for (const std::uint32_t person : *all.annotator) orders[person] = true;
  std::vector<std::string> without;
  for (std::size_t a = 0; a < orders.size(); ++a)
    if (!orders[a]) without.push_back(shown(all.annotators[a]));
  const std::string named = join_some(without, kNamed, ", ");
  const std::string why = without.empty() ? ""
                          : all.triplets->size() == kMostImplied
                              ? fmt::format(words::kBeyondMost, named, kMostImplied)
                              : fmt::format(words::kOrderNoPairs, named, without.size() == 1 ? "orders" : "order");
  return fmt::format(words::kWholePeople, judged, all.annotators.size(), why, kChance);
}

std::vector<bool> named_annotators(const AnnotatorEstimates* estimates, const Observations& all) {
  std::vector<bool> out = all.one_sided;
  out.resize(all.annotators.size());
  for (std::size_t a = 0; estimates && a < std::min(out.size(), estimates->annotators.size()); ++a) {
    const AnnotatorEstimate& one = estimates->annotators[a];
    out[a] = out[a] || one.likely_guesser || one.reversed || one.group > 0;
  }
  return out;
}

std::string worst_annotators(const std::vector<AnnotatorErrors>& errors, const std::vector<bool>& named) {
  constexpr std::size_t kNamed = 3;
  std::vector<AnnotatorErrors> judged;
  std::set<std::string_view> silent;
  for (std::size_t a = 0; a < errors.size(); ++a) {
    if (errors[a].error) judged.push_back(errors[a]);
    if (a < named.size() && named[a]) silent.insert(errors[a].name);
  }
  if (judged.size() <= kNamed) return "";
  std::ranges::stable_sort(judged, std::ranges::greater{}, [](const auto& one) { return *one.error; });
  std::vector<std::string> worst;
  const double median = *judged[judged.size() / 2].error;
  for (const AnnotatorErrors& one : judged) {
    if (worst.size() == kNamed || *one.error <= median) break;
    if (silent.contains(one.name)) continue;
    std::string text = fmt::format("{} ({:.2f} of {}", one.name, *one.error, one.heldout);
    if (one.alike) text += fmt::format("; {:.0f} % like other answers to the same questions", 100 * *one.alike);
    if (one.median_time) text += fmt::format("; median response time {:.4g}", *one.median_time);
    worst.push_back(text + ")");
  }
  if (worst.empty()) return "";
  return fmt::format(words::kHighestErrors, silent.empty() ? "" : "other ", join(worst, ", "), judged.size(), median);
}

}  // namespace alidade
