// Rows of fields in text separated by comma, semicolon, tab or runs of blanks, one at a time and without copying.
// RFC 4180 for quotes ("a, b" and "say ""so"""); unquoted fields are trimmed.
// Fields are views into the text or the reader: both must outlive them.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade {

/// What stands around fields, and between words.
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// What was left out of a file, and why. Every reader keeps one, so that nothing is left out without a count.
class Reading {
 public:
  /// Counts a line for a reason, in words for one and for several: "line repeats the header", "lines repeat the
  /// header".
  void add(std::string_view one, std::string_view many, std::size_t line);
  /// One sentence for each reason, with its count and first line.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct Reason {
    std::string one, many;
    std::size_t count, first_line;
  };
  std::vector<Reason> reasons_;
};

/// A place in a file, "answers.csv:17"; it is written out only where a message is made of it.
struct Place {
  std::string_view file;
  std::size_t line;
  operator std::string() const;  // NOLINT: wherever a text is
};

using TableFields = std::vector<std::string_view>;
/// A row in memory, and where it stands.
struct StoredRow {
  TableFields fields;
  Place place;
};

class RowReader {
 public:
  /// Messages call the text `file`. A leading UTF-8 byte order mark is skipped, and a first line
  /// such as "sep=;". A blank as separator means runs of blanks, without quotes and empty fields.
  RowReader(std::string_view text, std::string file, char separator);
  /// Of rows in memory, which must outlive it.
  RowReader(std::span<const StoredRow> rows, std::string file) : stored_(rows), file_(std::move(file)) {}

  static constexpr std::size_t kLongestField = 1'000'000;  // bytes: a name, a number, or what somebody wrote

  /// Reads the next row; false at the end. LF and CRLF end rows; blank lines may begin and end the text.
  /// In the first row, a name that another column has too is empty if its column is.
  /// @throws DataError, with file and line, on a quote that is never closed or has text after it,
  /// on a field longer than kLongestField, and on a blank line between rows.
  [[nodiscard]] bool next();

  /// Takes the last row for a line of the header. A later row with the same names, in any case, is left out: files were
  /// joined. If it has them in another order, the fields of the rows below it come in the order of the first.
  void take_header();
  /// Counts the last row as left out by who reads it; the words are those of Reading::add.
  void leave_out(std::string_view one, std::string_view many) { left_out_.add(one, many, line_); }
  /// What was left out so far.
  [[nodiscard]] const Reading& reading() const { return left_out_; }

  /// The fields of the last row; the span is valid until `next`, its views longer.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }
  /// The line on which that row begins, from 1.
  [[nodiscard]] std::size_t line() const { return line_; }
  /// For messages.
  [[nodiscard]] Place place() const {
    return stored_.empty() || at_ == 0 ? Place{file_, line_} : stored_[at_ - 1].place;
  }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] char separator() const { return separator_; }

 private:
  [[nodiscard]] bool read_row();
  void read_fields(std::size_t& end);
  void read_quoted(std::size_t& at);
  [[nodiscard]] bool repeats_header();
  void drop_empty_repeats();

  std::string_view text_;
  std::span<const StoredRow> stored_{};
  std::string file_;
  char separator_ = ',';
  std::size_t at_ = 0;         // where the next row begins, or which of those in memory it is
  std::size_t next_line_ = 1;  // its number
  std::size_t line_ = 0;
  bool is_first_ = true;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;              // fields with doubled quotes
  std::vector<std::vector<std::string>> headers_;  // in lower case
  std::vector<std::size_t> order_;                 // of each column of the first header: its place in the rows now
  Reading left_out_;
};

/// The separator of a text: the one that its first line names ("sep=;"), or the first of tab, semicolon and comma that
/// gives the first row `least` fields; if none does, the one that gives the most.
[[nodiscard]] char detect_separator(std::string_view text, std::size_t least);

/// A field as RowReader reads it back, in quotes where it needs them: also with another separator than the comma in it.
[[nodiscard]] std::string csv_field(std::string_view text);

/// Such fields between commas.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

/// How many fields a line has, quotes aside, and how many of them are not blank; whether a quote is open at its end.
struct LineFields {
  std::size_t count = 1, filled = 0;
  bool is_open = false;
};
[[nodiscard]] LineFields fields_in(std::string_view line, char separator);

/// "comma", "tab", "semicolon", "blanks", for messages.
[[nodiscard]] std::string_view separator_name(char separator);

/// Text of a file for a message: on one line, and not much longer than 60 bytes.
[[nodiscard]] std::string shown(std::string_view text);
[[nodiscard]] std::vector<std::string> shown(std::span<const std::string> texts);
/// "img/chair.png" -> "chair": names of files of stimuli lose their ending where all have one and stay
/// different, and their folders where they do without them too.
[[nodiscard]] std::vector<std::string> shown_names(std::vector<std::string> names);

/// What stands between the blanks of a line.
[[nodiscard]] std::vector<std::string_view> words_between_blanks(std::string_view line);

/// The entries of a list such as "a, b,c", without blanks around them; one, which is empty, of an empty text.
[[nodiscard]] std::vector<std::string_view> list_entries(std::string_view text, char between = ',');

/// Position of the one field equal to `name`, ignoring case.
/// @throws DataError on a duplicate; `place` begins the message.
[[nodiscard]] std::optional<std::size_t> find_column(std::span<const std::string_view> header, std::string_view name,
                                                     const std::string& place);

}  // namespace alidade

template <>
struct fmt::formatter<alidade::Place> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  auto format(const alidade::Place& place, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "{}", std::string(place));
  }
};
