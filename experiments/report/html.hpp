// Pieces of HTML for the report: escaped text, comparison tables, fold-outs.
// Everything that comes from data passes through escaped(); what is named *_html already is markup.
// The classes are those of report.css.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tables.hpp"

namespace alidade {

/// Text that is safe between tags and inside double-quoted attributes.
[[nodiscard]] std::string escaped(std::string_view text);

/// A relative file path as a URL: bytes other than letters, digits and -._~/ become %XX.
[[nodiscard]] std::string url_of_path(std::string_view path);

/// One column of a comparison: where its cells come from. All tables of one comparison share their rows.
struct ComparisonColumn {
  std::string title;     // plain text
  std::string subtitle;  // plain text, "" for none
  const ComparisonTable* table = nullptr;
  std::size_t col = 0;
};

/// Numbers with their intervals as text and as a line on the column's own scale; the best marked.
[[nodiscard]] std::string comparison_html(std::span<const ComparisonColumn> columns);

/// A plain table; the cells are markup.
[[nodiscard]] std::string table_html(std::span<const std::string> head,
                                     std::span<const std::vector<std::string>> lines,
                                     std::string_view css_class);

[[nodiscard]] std::string fold_html(std::string_view summary, std::string_view body_html);

}  // namespace alidade
