// How long the annotators of a file take to answer. Who guesses often answers much faster than others.
// Times are in the unit of the file, which rarely says it.
// Functions are O(answers) in time and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace alidade::datasets {

/// Annotator of each answer and how long it took; not a number where that is not known.
using ResponseTimes = std::vector<std::pair<std::uint32_t, double>>;

/// The median of each of `people` annotators, of whom `place` gives the number in the result; the upper of the two in
/// the middle of an even count. Not a number where none is known; empty if none is known of anybody.
[[nodiscard]] std::vector<double> median_times(const ResponseTimes& times, const std::vector<std::uint32_t>& place,
                                               std::size_t people);
/// A sentence on the three fastest `annotators` by those medians; "" if no more than three are known.
[[nodiscard]] std::string note_on_times(const std::vector<double>& medians, const std::vector<std::string>& annotators);

}  // namespace alidade::datasets
