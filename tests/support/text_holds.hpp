// Whether a message has its essential parts: the place, the key, the remedy. Its other words may change.
// holds_all("a.csv:3: 'near' is empty. Name an object.", {"a.csv:3:", "'near'"}).
// Plain text, no patterns.
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace alidade::testing {

[[nodiscard]] inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool holds_all(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (!holds(text, part)) {
      MESSAGE("'" << std::string(part) << "' is not in: " << std::string(text));
      return false;
    }
  return true;
}

inline bool holds_none(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (holds(text, part)) {
      MESSAGE("'" << std::string(part) << "' is in: " << std::string(text));
      return false;
    }
  return true;
}

/// How often a text has a part.
[[nodiscard]] inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace alidade::testing
