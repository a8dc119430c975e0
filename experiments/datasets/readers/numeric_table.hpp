// Tables of numbers as text: one object per row, with optional columns of names and labels; and what is done about
// values that are missing.
// Fields are separated by commas, tabs, semicolons or runs of blanks; LF or CRLF; plain or gzip. A field that is no
// number is an error at its line, never a guess; one that marks a missing value (empty, NA, ...) may be allowed.
// Codes are numbers that stand for a missing value, as survey tools write them (-99, 999, -9). Nothing in a file says
// so: they are suspected where they lie far from all other numbers. Example: -99 is suspected in 1, 5, 3, -99, 7.
// Rows with a missing value (NaN) are dropped, or each becomes the mean of its column, or that of the five nearest rows
// that have it (knn; distances over the columns that both rows have, in units of their standard deviations; Troyanskaya
// et al. 2001). Of pairs without a distance objects are left out, or the pairs are estimated. All rules are the user's
// to choose, and notes count what they did.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/table.hpp"
#include "problems/core/types.hpp"

namespace alidade::datasets {

/// Columns are identified by their header name, or by their number from 1.
struct NumericTableSpec {
  bool blanks = false;                     // whether blanks separate columns, in place of tab, semicolon or comma
  TablePart header = TablePart::detected;  // detected: by table.hpp
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
  FeatureMatrix features{};            // objects x the remaining columns
  Matrix precise{};                    // the same in double, or 0 x 0 if floats are exact
  std::vector<std::string> columns{};  // names of those columns; empty without a header
  std::vector<std::string> objects{};
  std::vector<std::string> labels{};  // one per object ("" for an empty field), or empty
  std::vector<std::size_t> lines{};   // the line of each object, from 1
  bool index = false;                 // whether the first column names the objects
  std::vector<std::string> notes{};
  std::vector<std::string>
      guesses{};  // those of the notes that say how the table was read where it might mean otherwise

  [[nodiscard]] Matrix doubles() const { return precise.size() > 0 ? precise : Matrix(features.cast<double>()); }
  [[nodiscard]] Vector column(Index c) const {
    return precise.size() > 0 ? Vector(precise.col(c)) : Vector(features.col(c).cast<double>());
  }
  /// Takes other numbers, in double too if it has such.
  void set(Matrix numbers);
  /// Keeps these rows alone, in this order, with what is said of each; or these columns, without their names.
  void take_rows(const std::vector<Index>& rows);
  void take_columns(const std::vector<Index>& places);
};

/// O(cells). @throws DataError "file:line: what is wrong and what to do"; ConfigError if the spec names a missing
/// column.
[[nodiscard]] NumericTable read_numeric_table(const std::filesystem::path& path, const NumericTableSpec& spec);

/// Parses text; messages call it `name`.
[[nodiscard]] NumericTable parse_numeric_table(std::string_view text, const std::string& name,
                                               const NumericTableSpec& spec);

/// Refuses a text of ARFF or svmlight, and says what to do. @throws DataError
void refuse_other_format(std::string_view text, const std::string& file);

/// Whether tables use this number for a missing value: a sequence of two to five 7s, 8s or 9s, 98 or 998, what is left
/// of NaN in integers, a filler of climate data, or the negative of one; -9, -8 or -7.
[[nodiscard]] bool is_code(double value);

/// The codes among `values` that are farther from all other numbers than these are from each other, or the only
/// negative ones; in ascending order. NaN counts as no number. O(values)
[[nodiscard]] std::vector<double> suspected_codes(std::span<const double> values);

/// The option `missing_codes` of a data set.
struct MissingCodes {
  bool ask = false;                  // refuse suspected ones
  std::vector<double> listed;        // these count as missing
  std::vector<std::string> words{};  // and these, in any case
  /// "auto", "no", or numbers and words separated by commas. @throws ConfigError
  static MissingCodes of(std::string_view option);
  /// `place_of(i)`: where values[i] stands, at the begin of the message.
  /// @throws DataError on a suspected code, if these are refused. O(values)
  void refuse_suspected(std::span<const double> values, const std::function<std::string(std::size_t)>& place_of) const;
  /// Turns the given codes into NaN. Returns how many.
  Index forget(Eigen::Ref<Matrix> values) const;
};
/// The note that counts what was done; "" if nothing is missing. `rule`: drop, mean or knn; `file` begins messages.
/// O(rows with missing values x rows x columns) for knn, else O(cells).
/// @throws DataError if a column, or for drop every row, has no value
[[nodiscard]] std::string replace_missing(NumericTable& table, std::string_view rule, const std::string& file);

/// Off the diagonal, each pair once.
[[nodiscard]] Index missing_pairs(const Matrix& values);

/// Objects to keep, ascending, so that no pair of them is missing: the object with the most missing pairs is left out,
/// the later of equal ones, again and again. O(n^2)
[[nodiscard]] std::vector<Index> objects_with_all_pairs(const Matrix& values);

/// Gives each missing pair the length of the shortest path through known pairs, the largest distance that the triangle
/// inequality allows. Where it is known, `values` is >= 0; its two
/// directions are both known or both missing, and their mean counts. O(n^3) at worst.
/// @throws DataError, beginning with `file`, if known pairs do not link all objects
void take_shortest_paths(Matrix& values, const std::vector<std::string>& objects, const std::string& file);

/// The entries of a list at these places; an empty list stays so.
template <class T>
void keep(std::vector<T>& all, const std::vector<Index>& places) {
  if (all.empty()) return;
  std::vector<T> kept;
  for (const Index place : places) kept.push_back(std::move(all[static_cast<std::size_t>(place)]));
  all = std::move(kept);
}

}  // namespace alidade::datasets
