// Notes on a list of answers, for whoever gave the file.
// They say which answers repeat or contradict others, which objects no answer places, and whether references are never
// a choice.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

/// Repeats and contradictions in a list; the aspect matters, the weight does not.
struct AnswerCounts {
  std::uint64_t rows = 0;
  std::uint64_t distinct = 0;
  std::uint64_t opposed_pairs = 0;  // questions answered in both ways
  std::uint64_t forced_errors = 0;  // rows that every map violates: the smaller side of each such pair
};
/// O(rows log rows).
[[nodiscard]] AnswerCounts count_answers(const TripletSource& triplets);

/// Notes on repeats and contradictions; empty if there are none. `what` names the counted items: "answers" or
/// "triplets".
[[nodiscard]] std::vector<std::string> describe(const AnswerCounts& counts, std::string_view what = "answers");

/// Notes on objects that occur in one role only: such answers bound a distance from one side. The first ones may be
/// `placed` by others. O(triplets)
[[nodiscard]] std::vector<std::string> notes_on_unplaced(const TripletList& triplets,
                                                         std::span<const std::string> objects, std::size_t placed = 0);

/// A note on anchors that are never near or far, as where the anchor is who answered; "" if some are. O(triplets)
[[nodiscard]] std::string note_on_two_kinds(const TripletList& triplets, std::span<const std::string> objects);

// How long annotators take: who guesses often answers much faster than others. Times are in the unit of the file.

/// Annotator of each answer and how long it took; not a number where that is not known.
using ResponseTimes = std::vector<std::pair<std::uint32_t, double>>;

/// The median of each of `people` annotators, of whom `place` gives the number in the result; the upper of the two in
/// the middle of an even count. Not a number where none is known; empty if none is known of anybody.
[[nodiscard]] std::vector<double> median_times(const ResponseTimes& times, const std::vector<std::uint32_t>& place,
                                               std::size_t people);
/// A sentence on the three fastest `annotators` by those medians; "" if no more than three are known.
[[nodiscard]] std::string note_on_times(const std::vector<double>& medians, const std::vector<std::string>& annotators);

}  // namespace alidade::datasets
