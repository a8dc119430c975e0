#include "experiments/run/annotator_notes.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "experiments/files/counted.hpp"
#include "problems/core/text.hpp"

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

std::vector<std::string> notes_on_annotators(const AnnotatorEstimates& estimates, const std::vector<bool>& own_group) {
  constexpr double kHalf = 0.5;
  std::vector<std::string> out;
  std::size_t giving = 0, mostly_guessing = 0;
  for (std::size_t a = 0; a < estimates.annotators.size(); ++a) {
    const AnnotatorEstimate& one = estimates.annotators[a];
    if (one.answers == 0) continue;
    ++giving;
    if (one.guess_rate > kHalf && !one.reversed && (own_group.empty() || !own_group[a])) ++mostly_guessing;
  }
  const auto guessers = those(estimates, &AnnotatorEstimate::likely_guesser);
  const auto reversed = those(estimates, &AnnotatorEstimate::reversed);
  if (!guessers.empty())
    out.push_back(fmt::format("{} of {} {}: {}.", guessers.size(), counted(giving, "annotator"),
                              guessers.size() == 1 ? "is a likely guesser" : "are likely guessers",
                              listed_by_guesses(guessers, [](const AnnotatorEstimate& one) {
                                const double half = 1.96 * one.standard_error;  // of the 95 % interval
                                return fmt::format("{:.0f} % of {} are guesses, {:.0f} to {:.0f} %",
                                                   100 * one.guess_rate, counted(one.answers, "answer"),
                                                   100 * std::max(one.guess_rate - half, 0.0),
                                                   100 * std::min(one.guess_rate + half, 1.0));
                              })));
  if (!reversed.empty())
    out.push_back(fmt::format(
        "{} {} the other way round than the map, significantly: {}. Are near and far exchanged "
        "in their answers?",
        counted(reversed.size(), "annotator"), reversed.size() == 1 ? "answers" : "answer",
        listed_by_guesses(reversed, [](const AnnotatorEstimate& one) {
          return fmt::format("the map satisfies {:.0f} % of {}", 100 * one.agreement, counted(one.answers, "answer"));
        })));
  if (2 * mostly_guessing > giving)
    out.push_back(
        fmt::format("{} of {} guess more than half of their answers, so the map rests on few. Do not trust "
                    "it before you know why.",
                    mostly_guessing, counted(giving, "annotator")));
  return out;
}

}  // namespace alidade
