// Text in which some signs are written otherwise, as a format needs it: a table for each format.
// A sign may have several bytes; of several that begin at one place the first in the table counts.
// O(text x signs).
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace alidade {

[[nodiscard]] inline std::string replaced(
    std::string_view text, std::initializer_list<std::pair<std::string_view, std::string_view>> signs) {
  std::string out;
  while (!text.empty()) {
    const auto* sign = std::ranges::find_if(signs, [&](const auto& one) { return text.starts_with(one.first); });
    const bool known = sign != signs.end();
    out += known ? sign->second : text.substr(0, 1);
    text.remove_prefix(known ? sign->first.size() : 1);
  }
  return out;
}

}  // namespace alidade
