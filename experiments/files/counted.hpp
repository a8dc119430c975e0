// Counts in words, "1 run", "3 runs", and the first of many names.
// For messages and notes; numbers are digits.
// If a verb depends on the number, give it with the noun.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "problems/core/text.hpp"

namespace alidade {

/// "1 ONE" or "N MANY": counted(n, "row repeats", "rows repeat") begins a sentence about n rows.
template <class Count>
[[nodiscard]] std::string counted(Count count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}
/// For a noun whose plural ends in s.
template <class Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// The names, with commas between; of more than `most` the first, then "...".
[[nodiscard]] inline std::string join_first(std::vector<std::string> names, std::size_t most) {
  if (names.size() > most) names.resize(most), names.emplace_back("...");
  return join(names, ", ");
}

/// The parts; of more than `most` the first, then "and 17 more".
[[nodiscard]] inline std::string join_some(std::vector<std::string> parts, std::size_t most, std::string_view between) {
  const std::size_t count = parts.size();
  if (count > most) parts.resize(most), parts.push_back(fmt::format("and {} more", count - most));
  return join(parts, between);
}

}  // namespace alidade
