// Guesses which line of a table names its columns and which column numbers its rows, by evidence in its first rows.
// A guess is said, with the option that overrules it. Names in a first line need no guess; numbers do: the columns 0, 1
// and 2 of a data frame, or wavelengths above spectra.
// For chance: rows are taken to be alike, so that the first is the only one of its kind by accident only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

/// Whether a table has a header, or an index.
enum class TablePart : std::uint8_t { detected, there, absent };

/// "auto", "yes" or "no". @throws ConfigError; `option` is named in it
[[nodiscard]] TablePart table_part(std::string_view value, std::string_view option);

/// The first rows of a table, each as long as the first, and the lines on which they begin.
struct TableSample {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;
};
/// How many rows of a width are enough evidence.
[[nodiscard]] std::size_t sample_size(std::size_t width);

struct LayoutQuestion {
  TablePart header = TablePart::detected, index = TablePart::absent;
  std::vector<bool> is_value;         // the columns that are not known to hold names, labels or what is not read
  std::optional<std::size_t> name{};  // the column of names, else of labels, if an option tells its number
  bool header_is_named = false;       // an option names a column as the first line does
  std::size_t square_lines = 0;       // of a table that is to be square: its lines; else 0
};

struct TableLayout {
  bool header = false;
  bool index = false;  // the first column names or numbers the rows
  std::vector<std::string> guesses{};
};

/// O(cells of the sample). @pre the sample has a row, and `is_value` is as long as it
[[nodiscard]] TableLayout layout_of(const TableSample& sample, const LayoutQuestion& question);

/// Refuses a table with further header lines below the first, as survey tools export them: `begin` and more rows that
/// have no number in any value column, above rows that have. @throws DataError that names the lines
void require_one_header(const TableSample& sample, const std::vector<bool>& is_value, const std::string& file);

/// Whether the values are 0, 1, 2, ... or 1, 2, 3, ...
[[nodiscard]] bool count_up(std::span<const std::string> values);

}  // namespace alidade::datasets
