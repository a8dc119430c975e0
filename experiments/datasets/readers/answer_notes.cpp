#include "experiments/datasets/readers/answer_notes.hpp"

#include <fmt/core.h>
#include <sentences/datasets.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/notes.hpp"
#include "problems/core/text.hpp"
#include "problems/core/upper_median.hpp"
#include "problems/evidence/questions.hpp"

namespace alidade::datasets {

AnswerCounts count_answers(const TripletSource& triplets) {
  AnswerCounts counts{.rows = triplets.size(), .distinct = triplets.size()};
  each_repeated_question(triplets, [&](std::span<const std::uint64_t> places) {
    const auto one_way = static_cast<std::size_t>(std::ranges::count_if(places, [&](std::uint64_t place) {
      const Triplet t = triplets.at(place);
      return t.near < t.far;
    }));
    const std::size_t fewer = std::min(one_way, places.size() - one_way);
    counts.distinct -= places.size() - (fewer > 0 ? 2 : 1);
    counts.opposed_pairs += fewer > 0 ? 1 : 0;
    counts.forced_errors += fewer;
  });
  return counts;
}

std::vector<std::string> describe(const AnswerCounts& counts, std::string_view what) {
  std::vector<std::string> notes;
  if (counts.distinct < counts.rows)
    add_note(notes, "{} of {} {} are distinct. Repeated ones are kept.", counts.distinct, counts.rows, what);
  if (counts.opposed_pairs > 0)
    add_note(notes, words::kBothAnswers, counted(counts.opposed_pairs, "question"), counts.forced_errors, counts.rows,
             what);
  return notes;
}

std::vector<std::string> notes_on_unplaced(const TripletList& triplets, std::span<const std::string> objects,
                                           std::size_t placed) {
  constexpr std::size_t kMostListed = 20;
  constexpr std::uint8_t kAnchor = 1, kNear = 2, kFar = 4;
  const std::vector<std::string> names = shown_names({objects.begin(), objects.end()});
  std::vector<std::uint8_t> roles(objects.size());
  for (std::size_t i = 0; i < triplets.size(); ++i) {
    const Triplet t = triplets.at(i);
    roles[t.anchor] |= kAnchor;
    roles[t.near] |= kNear;
    roles[t.far] |= kFar;
  }
  std::vector<std::string> out;
  for (const auto& [role, name, why] :
       {std::tuple{kFar, "far", "farther away than others"}, std::tuple{kNear, "near", "nearer than others"}}) {
    std::vector<std::string> only;
    for (std::size_t i = placed; i < roles.size(); ++i)
      if (roles[i] == role) only.push_back(shown(names[i]));
    if (only.empty()) continue;
    const std::size_t count = only.size();
    out.push_back(fmt::format(words::kUnplaced, counted(count, "object"), count == 1 ? "it" : "they",
                              count == 1 ? "s" : "", name, count == 1 ? "it may lie" : "they may lie", why,
                              join_first(std::move(only), kMostListed)));
  }
  return out;
}

std::string note_on_two_kinds(const TripletList& triplets, std::span<const std::string> objects) {
  constexpr std::ptrdiff_t kFewestAnchors = 2;
  std::vector<bool> is_anchor(objects.size()), is_choice(objects.size());
  for (std::size_t i = 0; i < triplets.size(); ++i) {
    const Triplet t = triplets.at(i);
    is_anchor[t.anchor] = is_choice[t.near] = is_choice[t.far] = true;
  }
  if (std::ranges::count(is_anchor, true) < kFewestAnchors) return "";
  std::size_t first = is_anchor.size();
  for (std::size_t i = is_anchor.size(); i-- > 0;) {
    if (is_anchor[i] && is_choice[i]) return "";
    if (is_anchor[i]) first = i;
  }
  return fmt::format(words::kTwoKinds, shown(objects[first]));
}

std::vector<double> median_times(const ResponseTimes& times, const std::vector<std::uint32_t>& place,
                                 std::size_t people) {
  std::vector<std::vector<double>> times_of(people);
  bool any = false;
  for (const auto& [annotator, time] : times)
    if (!std::isnan(time)) {
      times_of[place[annotator]].push_back(time);
      any = true;
    }
  if (!any) return {};
  std::vector<double> out;
  for (const std::vector<double>& of_person : times_of)
    out.push_back(of_person.empty() ? std::nan("") : upper_median(of_person));
  return out;
}

std::string note_on_times(const std::vector<double>& medians, const std::vector<std::string>& annotators) {
  constexpr std::size_t kFewest = 4, kNamed = 5;
  std::vector<std::size_t> order;
  for (std::size_t a = 0; a < medians.size(); ++a)
    if (!std::isnan(medians[a])) order.push_back(a);
  if (order.size() < kFewest) return "";
  std::ranges::stable_sort(order, {}, [&](std::size_t a) { return medians[a]; });
  std::vector<std::string> fastest;
  const double usual = medians[order[order.size() / 2]];
  for (const std::size_t a : order)
    if (medians[a] < usual / 2) fastest.push_back(fmt::format("{} ({:.4g})", shown(annotators[a]), medians[a]));
  if (fastest.empty()) return "";
  return fmt::format(words::kFastestAnnotators, join_some(std::move(fastest), kNamed, ", "), order.size(), usual);
}

}  // namespace alidade::datasets
