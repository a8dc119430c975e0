// Pieces of HTML for the report: escaped text, comparison tables, other tables, fold-outs.
// Everything from data passes through escaped(); names ending in _html hold markup.
// The classes are those of report.css; the script makes tables of class "sorted" sortable and filterable.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tables/tables.hpp"

namespace alidade {

/// Text that is safe between tags and inside double-quoted attributes. Control characters become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

/// Escaped sentences, in which no line breaks within an option such as --where.
[[nodiscard]] std::string prose_html(std::string_view text);

/// `escaped`, with words for an empty text.
[[nodiscard]] std::string escaped_name(std::string_view text);

/// A name, with places where its line may break.
[[nodiscard]] std::string breakable_name(std::string_view text);

/// A relative file path as a URL: bytes other than letters, digits and -._~/ become %XX.
[[nodiscard]] std::string url_of_path(std::string_view path);

/// One column of a comparison: the source of its cells. All tables of one comparison have the same rows.
struct ComparisonColumn {
  std::string title;     // plain text
  std::string subtitle;  // plain text, "" for none
  const ComparisonTable* table = nullptr;
  std::size_t col = 0;
};

/// Numbers with their intervals, as text and as a line on the column's own scale. The best is marked and, in tested
/// tables, everything that is not significantly worse. A column whose test could not find a difference has no marks.
/// Screen readers read `caption` (plain text) before the table.
[[nodiscard]] std::string comparison_html(std::span<const ComparisonColumn> columns, std::string_view caption);

struct HtmlCell {
  HtmlCell(std::string text_html) : html(std::move(text_html)) {}
  HtmlCell(const char* text_html) : html(text_html) {}
  HtmlCell(std::string text_html, std::optional<double> sort_value)
      : html(std::move(text_html)), value(sort_value), numeric(true) {}
  std::string html;
  std::optional<double> value;  // sorts by this instead of the text
  bool numeric = false;
};

struct HtmlLine {
  std::vector<HtmlCell> cells;
  std::string status;  // filter lines by this; "" for none
};

struct HtmlTable {
  std::string caption;            // plain text, for screen readers only
  std::string css_class;          // of report.css
  std::vector<std::string> head;  // markup
  std::vector<HtmlLine> lines;
};
[[nodiscard]] std::string table_html(const HtmlTable& table);

/// A drawing within the page, with a description for screen readers.
[[nodiscard]] std::string drawing_html(std::string_view svg, std::string_view description);

[[nodiscard]] std::string fold_html(std::string_view summary, std::string_view body_html, bool open = false);

}  // namespace alidade
