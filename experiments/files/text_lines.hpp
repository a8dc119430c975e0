// The lines of a text, one at a time and without copying.
// LF ends a line; a CR before it stays. A UTF-8 byte order mark before the first is no part of it.
// Lines are views into the text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

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

}  // namespace alidade
