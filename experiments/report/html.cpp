#include "experiments/report/html.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "experiments/files/text_grid.hpp"
#include "experiments/files/text_lines.hpp"
#include "experiments/report/svg.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using report::Range;

// From the lowest to the highest end of the column's intervals; nothing for fewer than two cells or a single point.
std::optional<Range> scale_of(const ComparisonColumn& column) {
  Range scale;
  std::size_t count = 0;
  for (std::size_t r = 0; r < column.table->row_keys.size(); ++r) {
    const Cell& cell = column.table->cell(r, column.col);
    if (cell.samples.empty()) continue;
    for (const double sign : {-1.0, 1.0}) scale.add(cell.mean + sign * cell.half_width.value_or(0));
    ++count;
  }
  // Values that differ by rounding alone are shown as equal.
  constexpr double kRounding = 1e-6;
  const bool differ = scale.high - scale.low > kRounding * std::max(std::abs(scale.low), std::abs(scale.high));
  return count >= 2 && differ ? std::optional(scale) : std::nullopt;
}

std::string number_html(const CellNumber& number, bool tied) {
  std::string out = "<span class=\"number\">";
  if (tied) out += "<span class=\"tie\" aria-hidden=\"true\">≈ </span>";
  out += number.mean;
  if (!number.half_width.empty()) out += " <span class=\"pm\">± " + number.half_width + "</span>";
  if (number.exponent != 0) out += fmt::format(" <span class=\"pm\">×10<sup>{}</sup></span>", number.exponent);
  return out + "</span>";
}

// The result of the test against the column's best, as a tooltip.
std::string test_html(const ComparisonTable& table, const Cell& cell, std::size_t col) {
  const auto& comparison = cell.comparison;
  if (!comparison || !comparison->corrected) return {};
  return escaped(fmt::format("p = {} for the difference from {} ({} pairs)", p_text(*comparison->corrected),
                             key_name(table.row_keys[*table.references[col]]), comparison->test.pairs));
}

std::string interval_html(const Cell& cell, const Range& scale) {
  const auto percent = [&](double v) { return 100 * (v - scale.low) / (scale.high - scale.low); };
  const double reach = cell.half_width.value_or(0), from = percent(cell.mean - reach), to = percent(cell.mean + reach);
  std::string out = "<span class=\"interval\" aria-hidden=\"true\">";
  if (reach > 0) out += fmt::format("<i style=\"left:{:.1f}%;width:{:.1f}%\"></i>", from, to - from);
  return out + fmt::format("<b style=\"left:{:.1f}%\"></b></span>", percent(cell.mean));
}

// The mark of a cell with warnings; its tooltip names them.
std::string warning_mark_html(const Cell& cell) {
  if (cell.warnings.empty()) return {};
  const auto words = mapped(
      cell.warnings, [](const auto& one) { return fmt::format("{}: {}", warning_phrase(one.first), one.second); });
  const std::string text = escaped(join(words, "; "));
  return fmt::format(" <sup class=\"warn\" title=\"{}\">{}</sup><span class=\"spoken\"> ({})</span>", text,
                     kWarningMark, text);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out = replaced(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}, {"\x7f", "\xEF\xBF\xBD"}});
  for (std::size_t at = 0; at < out.size(); ++at)
    if (static_cast<unsigned char>(out[at]) < 0x20 && out[at] != '\n' && out[at] != '\r' && out[at] != '\t')
      out.replace(at, 1, "\xEF\xBF\xBD");
  return out;
}

std::string prose_html(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto at = text.find("--");
    const bool option = at != text.npos && at + 2 < text.size() && text[at + 2] >= 'a' && text[at + 2] <= 'z';
    out += escaped(text.substr(0, at));
    if (at == text.npos) break;
    text.remove_prefix(at);
    const std::size_t end =
        option ? std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), text.size()) : std::size_t{2};
    out += option ? "<span class=\"option\">" + escaped(text.substr(0, end)) + "</span>" : escaped(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string escaped_name(std::string_view text) { return trim(text).empty() ? "(no name)" : escaped(text); }

std::string breakable_name(std::string_view text) {
  if (trim(text).empty()) return escaped_name(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find_first_of(",;[/_=", at);
    const bool last = end == text.npos || end + 1 == text.size();
    out += escaped(text.substr(at, last ? text.npos : end + 1 - at));
    if (last) break;
    out += "<wbr>";
    at = end + 1;
  }
  return out;
}

std::string url_of_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string comparison_html(std::span<const ComparisonColumn> columns, std::string_view caption) {
  if (columns.empty() || columns.front().table->row_keys.empty()) return {};
  const ComparisonTable& first = *columns.front().table;
  std::string out = "<div class=\"scroll\"><table class=\"comparison sorted\"><caption class=\"spoken\">" +
                    escaped(caption) + "</caption><thead><tr>";
  for (const std::string& name : first.row_fields) out += "<th scope=\"col\" class=\"key\">" + escaped(name) + "</th>";
  for (const ComparisonColumn& column : columns) {
    const auto higher = column.table->higher_is_better;
    out += fmt::format("<th scope=\"col\"{}><span dir=\"auto\">{}</span>",
                       higher.value_or(false) ? " data-better=\"higher\"" : "", breakable_name(column.title));
    if (!column.subtitle.empty()) out += " <small>" + escaped(column.subtitle) + "</small>";
    out += "</th>";
  }
  out += "</tr></thead><tbody>";
  const auto numbers = mapped(columns, [](const auto& column) { return column_numbers(*column.table, column.col); });
  const auto scales = mapped(columns, scale_of);
  for (std::size_t r = 0; r < first.row_keys.size(); ++r) {
    out += "<tr>";
    for (const std::string& part : first.row_keys[r])
      out += "<th scope=\"row\" dir=\"auto\">" + (part.empty() ? "–" : breakable_name(part)) + "</th>";
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const ComparisonTable& table = *columns[c].table;
      const Cell& cell = table.cell(r, columns[c].col);
      const std::string remark = cell_remark(table, cell);
      const bool best = cell.best && marks_best(table, columns[c].col), tied = cell.tied;
      const std::string test = test_html(table, cell, columns[c].col);
      out += fmt::format("<td data-column=\"{}\" data-value=\"{}\"{}{}>", escaped_name(columns[c].title),
                         cell.samples.empty() ? std::string() : shortest(cell.mean),
                         best   ? " class=\"best\""
                         : tied ? " class=\"tied\""
                                : "",
                         test.empty() ? "" : " title=\"" + test + "\"");
      if (!cell.samples.empty()) {
        out += number_html(numbers[c][r], tied);
        if (best) out += "<span class=\"spoken\"> (best)</span>";
        if (tied) out += "<span class=\"spoken\"> (not significantly worse than the best)</span>";
        out += warning_mark_html(cell);
        if (scales[c]) out += interval_html(cell, *scales[c]);
      } else if (remark.empty()) {
        out += "<span class=\"none\">–</span>";
      }
      if (!remark.empty())
        out += fmt::format("<small class=\"remark{}\">{}</small>", cell.failed > 0 ? " bad" : "", escaped(remark));
      out += "</td>";
    }
    out += "</tr>";
  }
  return out + "</tbody></table></div>";
}

std::string table_html(const HtmlTable& table) {
  std::string out = fmt::format("<div class=\"scroll\"><table class=\"{}\">", table.css_class);
  if (!table.caption.empty()) out += "<caption class=\"spoken\">" + escaped(table.caption) + "</caption>";
  out += "<thead><tr>";
  for (const std::string& name : table.head) out += "<th scope=\"col\">" + name + "</th>";
  out += "</tr></thead><tbody>";
  for (const HtmlLine& line : table.lines) {
    out += line.status.empty() ? "<tr>" : fmt::format("<tr data-status=\"{}\">", escaped(line.status));
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      const HtmlCell& cell = line.cells[i];
      out += fmt::format("<td data-column=\"{}\"", i < table.head.size() ? table.head[i] : "");
      if (cell.numeric) out += fmt::format(" data-value=\"{}\"", cell.value ? shortest(*cell.value) : "");
      out += "><div>" + cell.html + "</div></td>";
    }
    out += "</tr>";
  }
  return out + "</tbody></table></div>";
}

std::string drawing_html(std::string_view svg, std::string_view description) {
  return fmt::format(
      "<div class=\"scroll\"><img class=\"drawing\" alt=\"{}\" src=\"data:image/svg+xml;base64,{}\"></div>",
      escaped(description), base64(svg.data(), svg.size()));
}

std::string fold_html(std::string_view summary, std::string_view body_html, bool open) {
  return fmt::format("<details{}><summary>{}</summary>{}</details>", open ? " open" : "", escaped(summary), body_html);
}

}  // namespace alidade
