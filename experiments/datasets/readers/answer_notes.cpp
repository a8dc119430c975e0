#include "experiments/datasets/readers/answer_notes.hpp"

#include <fmt/core.h>
#include <sentences/datasets.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/notes.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Adds to `counts` what sorted keys say, see count_keys.
template <class Key>
void add_counts(const std::vector<Key>& keys, AnswerCounts& counts) {
  counts.rows += keys.size();
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t end = i;
    while (end < keys.size() && keys[end] >> 1 == keys[i] >> 1) ++end;
    const bool both = keys[i] != keys[end - 1];
    counts.distinct += both ? 2 : 1;
    if (both) {
      ++counts.opposed_pairs;
      const auto middle =
          static_cast<std::size_t>(std::upper_bound(keys.begin() + static_cast<std::ptrdiff_t>(i),
                                                    keys.begin() + static_cast<std::ptrdiff_t>(end), keys[i]) -
                                   keys.begin());
      counts.forced_errors += std::min(middle - i, end - middle);
    }
    i = end;
  }
}

/// Many rows are counted in parts by their anchors, so that the keys take little memory beside the triplets.
template <class Key>
AnswerCounts count_keys(const TripletList& triplets, unsigned id_bits) {
  constexpr std::size_t kParts = 8, kManyRows = 1 << 18;  // parts: a power of two
  const std::span<const ObjectId> anchors = triplets.anchors();
  const std::size_t parts = anchors.size() < kManyRows ? 1 : kParts;
  AnswerCounts counts;
  std::vector<Key> keys;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto is_here = [&](ObjectId anchor) { return (anchor & (parts - 1)) == part; };
    keys.clear();
    keys.reserve(static_cast<std::size_t>(std::ranges::count_if(anchors, is_here)));
    for (std::size_t i = 0; i < anchors.size(); ++i) {
      if (!is_here(anchors[i])) continue;
      const Triplet t = triplets.at(i);
      // The question (aspect, anchor, the smaller, the larger), then which of the two was nearer.
      Key key = t.aspect;
      for (const ObjectId id : {t.anchor, std::min(t.near, t.far), std::max(t.near, t.far)})
        key = static_cast<Key>(key << id_bits | id);
      keys.push_back(static_cast<Key>(key << 1 | static_cast<Key>(t.near < t.far ? 1 : 0)));
    }
    std::ranges::sort(keys);
    add_counts(keys, counts);
  }
  return counts;
}

}  // namespace

AnswerCounts count_answers(const TripletSource& source) {
  const auto* list = dynamic_cast<const TripletList*>(&source);
  if (list == nullptr) return count_answers(TripletList::copy_of(source));
  const TripletList& triplets = *list;
  const auto bits = [](Index count) {
    return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(std::max<Index>(count, 2) - 1)));
  };
  const unsigned id_bits = bits(triplets.object_count());
  if (3 * id_bits + 1 + bits(triplets.aspect_count()) <= 64) return count_keys<std::uint64_t>(triplets, id_bits);
  return count_keys<unsigned __int128>(triplets, id_bits);
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

std::vector<std::string> notes_on_unplaced(const TripletList& triplets, std::span<const std::string> objects) {
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
    for (std::size_t i = 0; i < roles.size(); ++i)
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
  for (std::vector<double>& of_person : times_of) {
    const auto middle = of_person.begin() + static_cast<std::ptrdiff_t>(of_person.size() / 2);
    if (!of_person.empty()) std::ranges::nth_element(of_person, middle);
    out.push_back(of_person.empty() ? std::nan("") : *middle);
  }
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
