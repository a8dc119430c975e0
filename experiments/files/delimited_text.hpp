// Rows of fields in comma, semicolon or tab separated text, one at a time and without copying.
// RFC 4180 for quotes ("a, b" and "say ""so"""); unquoted fields lose the blanks around them.
// Fields are views into the text or the reader: both must outlive what is done with them.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

class RowReader {
 public:
  /// `file` stands for the text in messages. A leading UTF-8 byte order mark is skipped.
  RowReader(std::string_view text, std::string file, char separator);

  /// Reads the next row; false at the end. LF and CRLF end rows; blank lines may end the text.
  /// @throws DataError, with file and line, on a quote that is never closed or has text after it,
  /// and on a blank line that is not at the end.
  [[nodiscard]] bool next();

  /// The fields of the row read last; the span is good until `next`, what it holds for longer.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }
  /// The line on which that row begins, from 1.
  [[nodiscard]] std::size_t line() const { return line_; }
  /// "answers.csv:17", for messages.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] char separator() const { return separator_; }

 private:
  void read_quoted(std::size_t& at);

  std::string_view text_;
  std::string file_;
  char separator_;
  std::size_t at_ = 0;         // where the next row begins
  std::size_t next_line_ = 1;  // its number
  std::size_t line_ = 0;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  // fields with doubled quotes
};

/// The separator of a text, from its first row: tab, else semicolon, else comma, whichever gives
/// `least` fields first; if none does, whichever gives the most.
[[nodiscard]] char detect_separator(std::string_view text, std::size_t least);

/// "comma", "tab", "semicolon", for messages.
[[nodiscard]] std::string_view separator_name(char separator);

/// Text of a file as it may stand in a message: on one line, and not much longer than 60 bytes.
[[nodiscard]] std::string shown(std::string_view text);
[[nodiscard]] std::vector<std::string> shown(std::span<const std::string> texts);

/// Position of the one field equal to `name`; letters of either case are the same.
/// @throws DataError if it is there twice; `place` begins the message.
[[nodiscard]] std::optional<std::size_t> find_column(std::span<const std::string_view> header, std::string_view name,
                                                     std::string_view place);

}  // namespace alidade::datasets
