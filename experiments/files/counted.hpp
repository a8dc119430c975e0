// Counts in words: "1 run", "3 runs".
// For messages and notes; numbers are digits.
// If a verb depends on the number, give it with the noun.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

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

}  // namespace alidade
