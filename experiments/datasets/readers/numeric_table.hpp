// Tables of numbers as text: one object per row, with optional columns of names and labels.
// Fields are separated by commas, tabs, semicolons or runs of blanks; LF or CRLF; plain or gzip.
// A field that is no number is an error at its line, never a guess; one that marks a missing value (empty, NA, ...) may
// be allowed. Header and index are guessed, and said, as table_layout.hpp has it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/table_layout.hpp"
#include "problems/core/types.hpp"

namespace alidade::datasets {

/// Columns are identified by their header name, or by their number from 1.
struct NumericTableSpec {
  enum class Separator { detected, blanks };  // detected: tab, semicolon or comma
  using Header = TablePart;
  Separator separator = Separator::detected;
  TablePart header = TablePart::detected;  // detected: by table_layout.hpp
  TablePart index = TablePart::absent;     // the first column, which then names the objects
  bool square = false;                     // whether the values are to be as many as the rows
  std::string name{};                      // column of the objects' names; "": rows are called 1, 2, ...
  std::string label{};                     // column of the labels; "": none
  std::vector<std::string> not_read{};
  bool missing = false;                                                            // whether values may be missing: NaN
  std::string_view missing_advice = "fill it in, or leave the row or column out";  // else: what to do with one
  std::vector<std::string> missing_words{};  // these mark a missing value too, in lower case
  Index columns = 0;                         // total number of columns; 0: as many as in the first row
  Index lines_before = 0;                    // lines to skip before the table
};

struct NumericTable {
  FeatureMatrix values;              // objects x the remaining columns
  Matrix precise{};                  // the same in double, or 0 x 0 if floats are exact
  std::vector<std::string> columns;  // names of those columns; empty without a header
  std::vector<std::string> objects;
  std::vector<std::string> labels;   // one per object ("" for an empty field), or empty
  std::vector<std::size_t> lines{};  // the line of each object, from 1
  bool index = false;                // whether the first column names the objects
  std::vector<std::string> notes{};
  std::vector<std::string>
      guesses{};  // those of the notes that say how the table was read where it might mean otherwise
};

/// O(cells). @throws DataError "file:line: what is wrong and what to do"; ConfigError if the spec names a missing
/// column.
[[nodiscard]] NumericTable read_numeric_table(const std::filesystem::path& path, const NumericTableSpec& spec);

/// Parses text; messages call it `name`.
[[nodiscard]] NumericTable parse_numeric_table(std::string_view text, const std::string& name,
                                               const NumericTableSpec& spec);

}  // namespace alidade::datasets
