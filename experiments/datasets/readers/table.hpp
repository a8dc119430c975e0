// A table of a file as a value: the names of its columns, its rows, and where each stands.
// For what is looked at as a whole: exports, groups, pairs, attributes. Millions of answers are read row by row.
// Fields are views into the text or the table: both must outlive them.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/delimited_text.hpp"

namespace alidade::datasets {

/// How many header lines Qualtrics or SurveyMonkey wrote below the first: `next` are the rows after it.
[[nodiscard]] std::size_t further_headers_of(RowReader next);

/// What a reader asks of its table.
struct TableRule {
  /// Whether the first row names the columns; empty: it does.
  std::function<bool(const RowReader& first)> has_header{};
  /// What to give in place of a file without rows: "a table"; "": it need not have any.
  std::string_view wanted{};
  /// Rows of another width are errors; else they are left out and counted, and further header lines set apart.
  bool strict = !wanted.empty();
  std::size_t width = 0;  // of a row; 0: as the first
  std::size_t row_limit = std::numeric_limits<std::size_t>::max();
};

class Table {
 public:
  /// Rows that decide what a column holds.
  static constexpr std::size_t kRowsSeen = 50'000;
  /// @throws DataError as RowReader, and as the rule has it
  explicit Table(const RowReader& reader, const TableRule& rule = {});
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// Adds columns for the entries of each column that holds lists in JSON, as jsPsych writes what it showed: those of
  /// `stimulus` are stimulus_1, stimulus_2, ... A column of objects with one entry each becomes that of its entries.
  void expand_lists();
  /// A field that is in no file.
  std::string_view keep(std::string text) { return made_.emplace_back(std::move(text)); }

  [[nodiscard]] const std::string& file() const { return reader_.file(); }
  [[nodiscard]] char separator() const { return reader_.separator(); }
  [[nodiscard]] std::size_t width() const { return width_; }
  /// Whether it has all rows of the file.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  /// Different values of a column, up to `most`, without marks of missing ones.
  [[nodiscard]] std::set<std::string_view> values_of(std::size_t column, std::size_t most) const;
  /// What was left out.
  [[nodiscard]] std::vector<std::string> notes() const { return reader_.reading().notes(); }

  TableFields header;                        // empty: it has none
  std::vector<TableFields> further_headers;  // of Qualtrics, as wide as the first: questions in words, identifiers
  std::vector<TableFields> rows;
  std::vector<Place> places;  // one per row
  Place place;                // of the first row or the header

 private:
  RowReader reader_;  // holds some of the fields
  std::deque<std::string> made_;
  std::size_t width_ = 0;
  bool is_whole_ = true;
};

}  // namespace alidade::datasets
