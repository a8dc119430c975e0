// A table as text, in the one form that every reader of rows takes: UTF-8, separated by comma, semicolon or tab.
// Tables separated by blanks (write.table of R, numpy.savetxt) are rewritten with commas, line by line.
// Example: "x" "y"\n"a" 1 2\n  becomes  row.names,x,y\na,1,2\n
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/notes.hpp"
#include "experiments/files/text_lines.hpp"

namespace alidade {

struct TableText {
  std::string text;
  /// Whether the header lacked the name of the first column, as R writes row names; it is called kRowNames now.
  bool row_names = false;
  static constexpr const char* kRowNames = "row.names";
  /// Whether the text is the bytes of a .npy file instead.
  bool npy = false;
  /// How it was read where it might mean otherwise.
  std::vector<std::string> guesses{};
};

/// The table of a text in UTF-8. Every line keeps its number. A text in no such form is returned as it is, for its
/// reader to refuse. O(text).
[[nodiscard]] TableText table_text(std::string text);

/// Blanks the lines above a table: its title, remarks that begin with '#', blank lines. They have one field at most
/// where those of the table have as many as each other. Returns the guess, or "".
[[nodiscard]] std::string blank_title_lines(std::string& text);

/// As read_utf8(), then table_text(); or a table in JSON: records, as jsPsych and JATOS write them, a line each; a list
/// of rows, alone or with the names of rows and columns; or pandas' columns. Or a file of SPSS, Stata or SAS, see
/// study_file.hpp. @throws DataError
[[nodiscard]] TableText read_table_text(const std::filesystem::path& path);

/// As read_table_text(), but a .npy file is taken as it is, and the only array of a .npz file as if it were one.
/// @throws DataError for a .npz with more arrays; the message names them and the command that takes one out.
[[nodiscard]] TableText read_table_or_npy(const std::filesystem::path& path);

/// What separates whole numbers from fractions; detected: by evidence.
enum class DecimalSign { detected, point, comma };
/// Rewrites decimal commas as points, and says so; "" if nothing is to be said. Example: "2,5;x" becomes "2.5,x". By
/// evidence only where the table has no numbers with points, and fields are separated by semicolons, as spreadsheets
/// write both, or some comma can not stand before thousands ("0,5", "1,25"). Where commas are asked for and all points
/// stand before three digits ("1.234"), these are thousands and go; between semicolons alone they stay, and it is said.
/// Where points are asked for between semicolons or tabs, commas before three digits are thousands and go.
/// @throws DataError where semicolons separate fields, all commas may stand before thousands, and a column has whole
/// numbers too
[[nodiscard]] std::string replace_decimal_commas(std::string& table, DecimalSign sign = DecimalSign::detected);
/// "auto", "point" or "comma".
[[nodiscard]] inline DecimalSign decimal_sign(std::string_view name) {
  return name == "point" ? DecimalSign::point : name == "comma" ? DecimalSign::comma : DecimalSign::detected;
}
/// Whether a field is a number with a decimal comma: "-1,5", "1.234,5", "2,5e3".
[[nodiscard]] bool has_decimal_comma(std::string_view field);
/// Such a number with a decimal point: "-1.5", "1234.5".
[[nodiscard]] inline std::string with_decimal_point(std::string_view field) {
  return replaced(field, {{".", ""}, {",", "."}});
}

/// What `parse(text, name)` makes of the table of a file, with how that was read.
template <class Parse>
[[nodiscard]] auto parsed_table(const std::filesystem::path& path, const Parse& parse) {
  const TableText table = read_table_text(path);
  auto out = parse(table.text, path.string());
  add_guesses(out, table.guesses);
  return out;
}

/// The fields of one line separated by blanks, without their quotes; empty if a quote is not closed.
[[nodiscard]] std::vector<std::string> blank_fields(std::string_view line);

}  // namespace alidade
