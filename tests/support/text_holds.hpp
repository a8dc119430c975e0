// Whether a message has its essential parts: the place, the key, the remedy. Its other words may change.
// holds_all("a.csv:3: 'near' is empty. Name an object.", {"a.csv:3:", "'near'"}).
// Plain text, no patterns.
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace alidade::testing {

inline bool holds_all(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (text.find(part) == std::string_view::npos) {
      MESSAGE("'" << std::string(part) << "' is not in: " << std::string(text));
      return false;
    }
  return true;
}

}  // namespace alidade::testing
