#include "experiments/report/html.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "problems/core/text.hpp"

namespace alidade {
namespace {

struct Scale {
  double low = 0;
  double high = 0;
  [[nodiscard]] double percent(double v) const { return 100 * (v - low) / (high - low); }
};

// From the lowest to the highest end of the column's intervals; nothing for fewer than two cells or one point.
std::optional<Scale> scale_of(const ComparisonColumn& column) {
  Scale scale;
  std::size_t count = 0;
  for (std::size_t r = 0; r < column.table->row_keys.size(); ++r) {
    const Cell& cell = column.table->cell(r, column.col);
    if (cell.samples.empty()) continue;
    const double reach = cell.half_width.value_or(0);
    scale.low = count == 0 ? cell.mean - reach : std::min(scale.low, cell.mean - reach);
    scale.high = count == 0 ? cell.mean + reach : std::max(scale.high, cell.mean + reach);
    ++count;
  }
  return count >= 2 && scale.high > scale.low ? std::optional(scale) : std::nullopt;
}

std::string number_html(const CellNumber& number) {
  std::string out = "<span class=\"number\">" + number.mean;
  if (!number.half_width.empty()) out += " <span class=\"pm\">± " + number.half_width + "</span>";
  if (number.exponent != 0)
    out += fmt::format(" <span class=\"pm\">×10<sup>{}</sup></span>", number.exponent);
  return out + "</span>";
}

std::string interval_html(const Cell& cell, const Scale& scale) {
  const double reach = cell.half_width.value_or(0);
  const double from = scale.percent(cell.mean - reach);
  const double to = scale.percent(cell.mean + reach);
  std::string out = "<span class=\"interval\" aria-hidden=\"true\">";
  if (reach > 0)
    out += fmt::format("<i style=\"left:{:.1f}%;width:{:.1f}%\"></i>", from, to - from);
  return out + fmt::format("<b style=\"left:{:.1f}%\"></b></span>", scale.percent(cell.mean));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\0': out += "\xEF\xBF\xBD"; break;
      default: out += c;
    }
  }
  return out;
}

std::string url_of_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string comparison_html(std::span<const ComparisonColumn> columns) {
  if (columns.empty() || columns.front().table->row_keys.empty()) return {};
  const ComparisonTable& first = *columns.front().table;
  std::string out = "<div class=\"scroll\"><table class=\"comparison\"><thead><tr>";
  for (const std::string& name : first.row_fields)
    out += "<th scope=\"col\" class=\"key\">" + escaped(name) + "</th>";
  for (const ComparisonColumn& column : columns) {
    out += "<th scope=\"col\">" + escaped(column.title);
    if (!column.subtitle.empty()) out += "<small>" + escaped(column.subtitle) + "</small>";
    out += "</th>";
  }
  out += "</tr></thead><tbody>";
  std::vector<std::vector<CellNumber>> numbers;
  std::vector<std::optional<Scale>> scales;
  for (const ComparisonColumn& column : columns) {
    numbers.push_back(column_numbers(*column.table, column.col));
    scales.push_back(scale_of(column));
  }
  for (std::size_t r = 0; r < first.row_keys.size(); ++r) {
    out += "<tr>";
    for (const std::string& part : first.row_keys[r])
      out += "<th scope=\"row\">" + (part.empty() ? "–" : escaped(part)) + "</th>";
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const ComparisonTable& table = *columns[c].table;
      const Cell& cell = table.cell(r, columns[c].col);
      const std::string remark = cell_remark(table, cell);
      out += fmt::format("<td data-column=\"{}\"{}>", escaped(columns[c].title),
                         cell.best ? " class=\"best\"" : "");
      if (!cell.samples.empty()) {
        out += number_html(numbers[c][r]);
        if (cell.best) out += "<span class=\"spoken\"> (best)</span>";
        if (scales[c]) out += interval_html(cell, *scales[c]);
      } else if (remark.empty()) {
        out += "<span class=\"none\">–</span>";
      }
      if (!remark.empty())
        out += fmt::format("<small class=\"remark{}\">{}</small>", cell.failed > 0 ? " bad" : "",
                           escaped(remark));
      out += "</td>";
    }
    out += "</tr>";
  }
  return out + "</tbody></table></div>";
}

std::string table_html(std::span<const std::string> head,
                       std::span<const std::vector<std::string>> lines,
                       std::string_view css_class) {
  std::string out = fmt::format("<div class=\"scroll\"><table class=\"{}\"><thead><tr>", css_class);
  for (const std::string& name : head) out += "<th scope=\"col\">" + name + "</th>";
  out += "</tr></thead><tbody>";
  for (const std::vector<std::string>& line : lines) {
    out += "<tr>";
    for (std::size_t i = 0; i < line.size(); ++i)
      out += fmt::format("<td data-column=\"{}\"><div>{}</div></td>",
                         i < head.size() ? head[i] : "", line[i]);
    out += "</tr>";
  }
  return out + "</tbody></table></div>";
}

std::string fold_html(std::string_view summary, std::string_view body_html) {
  return fmt::format("<details><summary>{}</summary>{}</details>", escaped(summary), body_html);
}

}  // namespace alidade
