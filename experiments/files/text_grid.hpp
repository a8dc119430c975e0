// A grid of finished cells as Markdown, CSV or LaTeX: what tables, profiles, ranks and targets are printed by.
// LaTeX is booktabs' (\toprule ...). Markdown is padded to be read in a terminal too.
// Cells are taken as they are: pass names of the user's through `escaped` first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alidade {

enum class TableFormat { markdown, csv, latex, json };

/// "md", "csv", "latex" or "json". @throws ConfigError
[[nodiscard]] TableFormat table_format(std::string_view name);

/// Text that cannot break out of a cell of the format, on one line but in CSV. JSON escapes its own.
[[nodiscard]] std::string escaped(std::string_view text, TableFormat format);

/// The same of a part of a key, a dash where there is none (empty in CSV).
[[nodiscard]] std::string escaped_key(std::string_view part, TableFormat format);

/// Control characters as blanks.
[[nodiscard]] std::string one_line(std::string_view text);

/// Columns a terminal needs for UTF-8 text, near enough: one a code point.
[[nodiscard]] std::size_t display_width(std::string_view text);

struct TextGrid {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> lines;  // each as long as the head
  std::size_t text_columns = 1;                 // the first so many, to the left; numbers to the right
};

/// Ends with a newline. @pre format is not json
[[nodiscard]] std::string to_text(const TextGrid& grid, TableFormat format);

/// A Markdown text of ours as a terminal shows it best: `\<`, `\*` and the like without their backslash, columns still
/// aligned. `\|` stays, so that cells end where their columns do.
[[nodiscard]] std::string for_terminal(std::string_view markdown);

/// A p-value as it is printed: two significant digits, "< 0.0001" below that.
[[nodiscard]] std::string p_text(double p);

}  // namespace alidade
