// A table as data, before any format: cells of plain text or of a rounded number with its interval, and the sentences
// beside them. Each table says what it shows once, what its CSV lists and what its JSON holds; the writers here are the
// only place that knows a format.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/text_grid.hpp"
#include "experiments/results/field_list.hpp"

namespace alidade {

/// A result and its interval for display: rounded alike, times a power of ten.
struct CellNumber {
  std::string mean;        // or another aggregate
  std::string half_width;  // of a t interval; "" without one
  std::string low, high;   // of a bootstrap interval; "" without one
  int exponent = 0;        // 0 except for very large and very small numbers
};

/// The mark of a cell with warnings.
inline constexpr std::string_view kWarningMark = "§";

struct GridCell {
  enum class Mark { none, better, worse };  // † and ‡

  GridCell(std::string plain) : text(std::move(plain)) {}
  GridCell(std::string_view plain) : text(plain) {}
  GridCell(const char* plain) : text(plain) {}
  GridCell(bool truth) : text(truth ? "true" : "false") {}
  GridCell(double real);
  GridCell(std::size_t count) : text(std::to_string(count)) {}
  template <class T>
  GridCell(const std::optional<T>& value) : GridCell(value ? GridCell(*value) : GridCell("")) {}

  std::string text;  // plain, or what is remarked of the number; "" prints as a dash, in CSV as ""
  std::optional<CellNumber> number{};
  bool ready = false;                 // the text is already as its format needs it
  bool bold = false, warned = false;  // of a number, as is the mark
  Mark mark = Mark::none;
};

struct Grid {
  std::vector<GridCell> head;
  std::vector<std::vector<GridCell>> lines{};
  std::size_t text_columns = 1;  // number of left-aligned columns; numbers are right-aligned
  /// A new line that begins with these texts and cells.
  std::vector<GridCell>& add(const std::vector<std::string>& key, const std::vector<std::string>& more = {},
                             const std::vector<GridCell>& cells = {});
};
[[nodiscard]] std::vector<GridCell> key_cells(const std::vector<std::string>& key,
                                              const std::vector<std::string>& more = {},
                                              const std::vector<GridCell>& cells = {});

/// What a reader sees: grids, each with the sentences on what it shows, and notes.
struct ShownTable {
  struct Part {
    Grid grid;
    std::vector<std::string> sentences{};
    std::string value{};  // the field that they are about, printed before them; "" if they name it
  };
  std::vector<Part> parts;  // nothing is shown if the first has no lines
  std::string mark_note{};  // what the marks of its cells warn of
  std::string drawing{};    // in letters, for Markdown
  std::vector<std::string> notes{};
};

/// One table as text, ending with a newline; only the part that the format needs is made.
[[nodiscard]] std::string written(TableFormat format, const std::function<ShownTable()>& shown,
                                  const std::function<Grid()>& listed, const std::function<ValueTable()>& held);

/// Grid cells alone, for Markdown, CSV or LaTeX.
[[nodiscard]] std::string to_text(const Grid& grid, TableFormat format);

}  // namespace alidade
