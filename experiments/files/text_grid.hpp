// Prints a grid of finished cells as Markdown, CSV or LaTeX: for tables, profiles, ranks and targets.
// LaTeX uses booktabs (\toprule ...). Markdown is padded to 80 columns a cell; a terminal shows it by
// terminal_text.hpp.
// Cells are printed unchanged: pass the user's names through `escaped` first.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

enum class TableFormat { markdown, csv, latex, json };
inline constexpr std::array<std::string_view, 4> kTableFormatNames = {"md", "csv", "latex", "json"};

/// "md", "csv", "latex" or "json". @throws ConfigError
[[nodiscard]] TableFormat table_format(std::string_view name);

/// Text that cannot break out of a cell of the format; on one line except in CSV. JSON escapes its own text.
[[nodiscard]] std::string escaped(std::string_view text, TableFormat format);

/// `escaped` for a part of a key; an empty part becomes a dash (in CSV, stays empty).
[[nodiscard]] std::string escaped_key(std::string_view part, TableFormat format);

/// Replaces control characters by blanks.
[[nodiscard]] std::string one_line(std::string_view text);

/// Approximate terminal width of UTF-8 text: one column per code point.
[[nodiscard]] std::size_t display_width(std::string_view text);

struct TextGrid {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> lines;  // each as long as the head
  std::size_t text_columns = 1;                 // number of left-aligned columns; numbers are right-aligned
};

/// Ends with a newline. @pre format is not json
[[nodiscard]] std::string to_text(const TextGrid& grid, TableFormat format);

/// Markdown without padding, for documents: "| a | b |". Cells keep their Markdown, except that bars are escaped and
/// line ends become blanks. Ends with a newline.
[[nodiscard]] std::string compact_markdown(const TextGrid& grid);

/// Whether a spreadsheet takes a cell of CSV for a formula, and computes it as it opens the file: it begins with =, +,
/// -, @, a tab or a carriage return, and is not a number. "=HYPERLINK(...)" does; "-0.5" and "+1e3" do not.
[[nodiscard]] bool is_formula(std::string_view cell);

/// CSV with an apostrophe before each cell that is a formula, so that spreadsheets show it as text. Numbers stay.
[[nodiscard]] std::string for_spreadsheets(std::string_view csv);

/// A p-value for printing: two significant digits, or "< 0.0001".
[[nodiscard]] std::string p_text(double p);
/// The same in a sentence: "p = 0.03" or "p < 0.0001".
[[nodiscard]] std::string p_is(double p);

}  // namespace alidade
