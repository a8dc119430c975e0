#include "experiments/files/text_grid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "experiments/files/delimited_text.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/enum_names.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using Line = std::vector<std::string>;

std::string markdown_escaped(std::string_view text) {
  return replaced(one_line(text), {{"|", "\\|"}, {"<", "\\<"}, {"*", "\\*"}, {"`", "\\`"}, {"\\", "\\\\"}});
}

// Signs that LaTeX writes otherwise, some in formulas only.
std::string latex_escaped(std::string_view text) {
  return replaced(one_line(text), {{"±", "$\\pm$"},
                                   {"≤", "$\\le$"},
                                   {"≥", "$\\ge$"},
                                   {"≈", "$\\approx$"},
                                   {"×", "$\\times$"},
                                   {"–", "--"},
                                   {"&", "\\&"},
                                   {"%", "\\%"},
                                   {"$", "\\$"},
                                   {"#", "\\#"},
                                   {"_", "\\_"},
                                   {"{", "\\{"},
                                   {"}", "\\}"},
                                   {"~", "\\textasciitilde{}"},
                                   {"^", "\\textasciicircum{}"},
                                   {"\\", "\\textbackslash{}"},
                                   {"<", "\\textless{}"},
                                   {">", "\\textgreater{}"},
                                   {"\"", "''"},
                                   {"|", "\\textbar{}"}});
}

std::string to_markdown(const std::vector<Line>& lines, std::size_t text_columns) {
  constexpr std::size_t kMostPadding = 80;  // cells of text may be longer; the others are not padded to them
  std::vector<std::size_t> widths(lines[0].size(), 3);
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::clamp(display_width(line[i]), widths[i], kMostPadding);
  std::string out;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (std::size_t i = 0; i < lines[l].size(); ++i) {
      const std::size_t width = display_width(lines[l][i]);
      const std::string blanks(std::max(widths[i], width) - width, ' ');
      out += i < text_columns ? "| " + lines[l][i] + blanks + " " : "| " + blanks + lines[l][i] + " ";
    }
    out += "|\n";
    if (l > 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += i < text_columns ? "|:" + std::string(widths[i] + 1, '-') : "|" + std::string(widths[i] + 1, '-') + ":";
    out += "|\n";
  }
  return out;
}

std::string to_latex(const std::vector<Line>& lines, std::size_t text_columns) {
  std::string out = fmt::format("\\begin{{tabular}}{{{}{}}}\n\\toprule\n", std::string(text_columns, 'l'),
                                std::string(lines[0].size() - text_columns, 'r'));
  for (std::size_t l = 0; l < lines.size(); ++l) {
    out += join(lines[l], " & ") + " \\\\\n";
    if (l == 0) out += "\\midrule\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string one_line(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

TableFormat table_format(std::string_view name) {
  return name == "markdown" ? TableFormat::markdown : enum_named<TableFormat>(kTableFormatNames, name, "table format");
}

std::string escaped(std::string_view text, TableFormat format) {
  switch (format) {
    case TableFormat::markdown: return markdown_escaped(text);
    case TableFormat::latex: return latex_escaped(text);
    case TableFormat::csv: return csv_field(text);
    case TableFormat::json: break;
  }
  return std::string(text);
}

std::string escaped_key(std::string_view part, TableFormat format) {
  if (part.empty() && format == TableFormat::latex) return "--";
  if (part.empty() && format == TableFormat::markdown) return "–";
  return escaped(part, format);
}

std::string to_text(const TextGrid& grid, TableFormat format) {
  std::vector<Line> lines{grid.head};
  lines.insert(lines.end(), grid.lines.begin(), grid.lines.end());
  if (format == TableFormat::markdown) return to_markdown(lines, grid.text_columns);
  if (format == TableFormat::latex) return to_latex(lines, grid.text_columns);
  std::string out;
  for (const Line& line : lines) out += join(line, ",") + "\n";
  return out;
}

std::string compact_markdown(const TextGrid& grid) {
  const auto line_of = [](const Line& line) {
    std::string out = "|";
    for (const std::string& cell : line) out += " " + replaced(one_line(cell), {{"|", "\\|"}}) + " |";
    return out + "\n";
  };
  std::string out = line_of(grid.head) + "|";
  for (std::size_t i = 0; i < grid.head.size(); ++i) out += "---|";
  out += "\n";
  for (const Line& line : grid.lines) out += line_of(line);
  return out;
}

bool is_formula(std::string_view cell) {
  if (cell.size() < 2 || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos) return false;
  return !parse_double(cell);
}

std::string for_spreadsheets(std::string_view csv) {
  std::string out;
  for (std::size_t at = 0; at < csv.size();) {
    const std::size_t begin = at + (csv[at] == '"' ? 1 : 0);
    std::size_t text_end = begin;  // of the cell, without its quotes
    if (begin > at)
      while (text_end < csv.size() && (csv[text_end] != '"' || csv.substr(text_end + 1).starts_with('"')))
        text_end += csv[text_end] == '"' ? 2 : 1;
    else
      text_end = std::min(csv.find_first_of(",\n", begin), csv.size());
    out += csv.substr(at, begin - at);
    if (is_formula(csv.substr(begin, text_end - begin))) out += '\'';
    at = std::min(csv.find_first_of(",\n", std::min(text_end, csv.size())), csv.size());
    if (at < csv.size()) ++at;
    out += csv.substr(begin, at - begin);
  }
  return out;
}

std::string p_text(double p) {
  if (p < 1e-4) return "< 0.0001";
  if (p >= 0.995) return "1";
  const int decimals = 1 - static_cast<int>(std::floor(std::log10(p)));
  return fmt::format("{:.{}f}", p, std::max(decimals, 2));
}

std::string p_is(double p) {
  const std::string text = p_text(p);
  return text.starts_with('<') ? "p " + text : "p = " + text;
}

}  // namespace alidade
