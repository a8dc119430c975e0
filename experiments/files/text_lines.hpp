// The lines of a text, one at a time and without copying.
// LF ends a line; a CR before it stays. A UTF-8 byte order mark before the first is no part of it.
// Lines are views into the text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace alidade {

class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }
  /// Goes to the next line; false behind the last.
  [[nodiscard]] bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  [[nodiscard]] std::string_view line() const { return line_; }
  /// Of the line, from 1; 0 before the first.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_, line_;
  std::size_t number_ = 0;
};

// Text in which some signs are written otherwise, as a format needs it: a table for each format.
// A sign may have several bytes; of several that begin at one place the first in the table counts.
// O(text x signs).
[[nodiscard]] inline std::string replaced(std::string_view text,
                                          std::initializer_list<std::pair<std::string_view, std::string_view>> signs) {
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
