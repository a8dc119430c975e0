#include "experiments/tables/grid.hpp"

#include <fmt/core.h>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::string_view kNothing = "There are no runs to compare.\n";

std::string number_text(const GridCell& cell, bool latex) {
  const CellNumber& number = *cell.number;
  std::string text = number.mean;
  if (!number.half_width.empty()) text += (latex ? " \\pm " : " ± ") + number.half_width;
  if (!number.low.empty())
    text += latex ? fmt::format("\\ [{},\\, {}]", number.low, number.high)
                  : fmt::format(" [{}, {}]", number.low, number.high);
  if (number.exponent != 0)
    text = latex ? fmt::format("({}) \\cdot 10^{{{}}}", text, number.exponent)
                 : fmt::format("({}) × 10^{}", text, number.exponent);
  if (cell.bold) text = (latex ? "\\mathbf{" : "**") + text + (latex ? "}" : "**");
  if (cell.mark != GridCell::Mark::none) {
    const bool better = cell.mark == GridCell::Mark::better;
    text += latex ? (better ? "^{\\dagger}" : "^{\\ddagger}") : better ? " †" : " ‡";
  }
  if (cell.warned) text += latex ? "\\ ^{\\S}" : fmt::format(" {}", kWarningMark);
  return latex ? "$" + text + "$" : text;
}

std::string cell_text(const GridCell& cell, TableFormat format) {
  const std::string text = cell.ready ? cell.text : escaped_key(cell.text, format);
  if (!cell.number) return text;
  const std::string number = number_text(cell, format == TableFormat::latex);
  return cell.text.empty() ? number : number + " (" + text + ")";
}

std::string sentences_of(const ShownTable::Part& part, std::string_view between, TableFormat format) {
  std::string out;
  for (const std::string& sentence : part.sentences) {
    // A title is what follows the last dot: not of "seconds to objective within 0.5 % of the best". Where one looks for
    // the name of a field it follows; not in print.
    const bool spaced = part.value.find(' ') != part.value.npos, markdown = format == TableFormat::markdown;
    std::string value =
        spaced && (markdown || part.value.find('.') != part.value.npos) ? part.value : title_of(part.value);
    if (value != part.value && markdown) value += " (" + part.value + ")";
    out += (out.empty() ? "" : between);
    out += escaped(out.empty() && !value.empty() ? value + ": " + sentence : sentence, format);
  }
  return out;
}

std::string markdown_text(const ShownTable& table) {
  constexpr TableFormat kFormat = TableFormat::markdown;
  if (table.parts.front().grid.lines.empty()) return std::string(kNothing);
  std::vector<std::string> blocks;
  for (const ShownTable::Part& part : table.parts) {
    blocks.push_back(to_text(part.grid, kFormat));
    if (!part.sentences.empty()) blocks.push_back(sentences_of(part, "\n\n", kFormat) + "\n");
  }
  if (!table.mark_note.empty()) blocks.push_back(escaped(table.mark_note, kFormat) + "\n");
  if (!table.drawing.empty()) blocks.push_back("```\n" + table.drawing + "```\n");
  for (const std::string& note : table.notes) blocks.push_back(escaped(note, kFormat) + "\n");
  return join(blocks, "\n");
}

// A line below the table in LaTeX.
std::string latex_line(std::string_view text) {
  std::string words = escaped(text, TableFormat::latex);
  if (words.starts_with(kWarningMark)) words = "$^{\\S}$" + words.substr(kWarningMark.size());
  return "\\par\\smallskip{\\footnotesize " + words + "\\par}\n";
}

// A grid that is made smaller where it is wider than the page.
std::string latex_grid(const Grid& grid) {
  std::string text = to_text(grid, TableFormat::latex);
  if (text.ends_with('\n')) text.pop_back();
  return "\\resizebox{\\ifdim\\width>\\textwidth\\textwidth\\else\\width\\fi}{!}{" + text + "}\n";
}

// Sentences and notes are printed with the table, which would claim too much without them.
std::string latex_text(const ShownTable& table) {
  std::string out = "% Needs \\usepackage{booktabs,graphicx}.\n";
  if (table.parts.front().grid.lines.empty()) return out + std::string(kNothing);
  for (const ShownTable::Part& part : table.parts) {
    const bool first = &part == &table.parts.front();
    const std::string words = sentences_of(part, " ", TableFormat::latex);
    out += first ? "\\begin{table}\n\\centering\n\\caption{" + words + "}\n"
                 : "\n" + latex_line(part.sentences.front()) + "\n\\smallskip\n";
    out += latex_grid(part.grid);
    if (first && !table.mark_note.empty()) out += latex_line(table.mark_note);
  }
  for (const std::string& note : table.notes) out += latex_line(note);
  return out + "\\end{table}\n";
}

}  // namespace

GridCell::GridCell(double real) : text(shortest(real)) {}

std::vector<GridCell>& Grid::add(const std::vector<std::string>& key, const std::vector<std::string>& more,
                                 const std::vector<GridCell>& cells) {
  return lines.emplace_back(key_cells(key, more, cells));
}

std::vector<GridCell> key_cells(const std::vector<std::string>& key, const std::vector<std::string>& more,
                                const std::vector<GridCell>& cells) {
  std::vector<GridCell> out(key.begin(), key.end());
  out.insert(out.end(), more.begin(), more.end());
  out.insert(out.end(), cells.begin(), cells.end());
  return out;
}

std::string to_text(const Grid& grid, TableFormat format) {
  TextGrid out{{}, {}, grid.text_columns};
  for (const GridCell& cell : grid.head) out.head.push_back(escaped(cell.text, format));
  for (const auto& cells : grid.lines) {
    std::vector<std::string>& line = out.lines.emplace_back();
    for (const GridCell& cell : cells) line.push_back(cell_text(cell, format));
  }
  return to_text(out, format);
}

std::string written(TableFormat format, const std::function<ShownTable()>& shown, const std::function<Grid()>& listed,
                    const std::function<ValueTable()>& held) {
  switch (format) {
    case TableFormat::csv: return to_text(listed(), format);
    case TableFormat::latex: return latex_text(shown());
    case TableFormat::json: return to_pretty_json(held());
    case TableFormat::markdown: break;
  }
  return markdown_text(shown());
}

}  // namespace alidade
