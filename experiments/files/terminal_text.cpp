#include "experiments/files/terminal_text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "experiments/files/text_grid.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::string_view kBold = "\033[1m", kBest = "\033[1;32m", kPlain = "\033[0m";
constexpr std::size_t kWidest = 100;  // of a paragraph
constexpr std::string_view kGap = "   ";

std::string unescaped(std::string_view text) {
  return replaced(text, {{"\\<", "<"}, {"\\*", "*"}, {"\\`", "`"}, {"\\\\", "\\"}, {"\\|", "|"}});
}

struct Cell {
  std::string text;
  bool bold = false;  // some part of it is between **
};

// The cells of "| a | **b** |".
std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> out;
  std::size_t begin = 1;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
      continue;
    }
    if (line[i] != '|') continue;
    std::string text(trim(line.substr(begin, i - begin)));
    Cell cell;
    for (auto at = text.find("**"); at != text.npos; at = text.find("**", at)) {
      text.erase(at, 2);
      cell.bold = true;
    }
    cell.text = unescaped(text);
    out.push_back(std::move(cell));
    begin = i + 1;
  }
  return out;
}

bool is_rule(std::string_view line) {
  return line.size() > 2 && line.front() == '|' && line.find_first_not_of("|:- ") == line.npos;
}

// Lines of a table: its head, its rule, the rest.
std::string aligned_columns(const std::vector<std::string_view>& lines, const TerminalStyle& style) {
  std::vector<bool> right;
  const std::string_view rule = lines[1];
  for (std::size_t i = 1; i < rule.size(); ++i)
    if (rule[i] == '|') right.push_back(rule[i - 1] == ':');
  std::vector<std::vector<Cell>> rows;
  std::vector<std::size_t> widths(right.size(), 0);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (l == 1) continue;
    rows.push_back(cells_of(lines[l]));
    rows.back().resize(right.size());
    for (std::size_t c = 0; c < right.size(); ++c) widths[c] = std::max(widths[c], display_width(rows.back()[c].text));
  }
  // Without colour a star marks what is bold, so that the best can still be told.
  const bool starred = !style.colour && std::ranges::any_of(rows, [](const std::vector<Cell>& row) {
    return std::ranges::any_of(row, &Cell::bold);
  });
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < right.size(); ++c) {
      const Cell& cell = rows[r][c];
      const std::string blanks(widths[c] - display_width(cell.text), ' ');
      const std::string_view code = !style.colour ? "" : r == 0 ? kBold : cell.bold ? kBest : "";
      if (c > 0) line += kGap;
      if (right[c]) line += blanks;
      line += std::string(code) + cell.text + std::string(code.empty() ? "" : kPlain);
      if (!right[c]) line += blanks;
      if (starred && right[c]) line += cell.bold ? "*" : " ";
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (r > 0) continue;
    line.clear();
    for (std::size_t c = 0; c < right.size(); ++c) {
      if (c > 0) line += kGap;
      for (std::size_t k = 0; k < widths[c]; ++k) line += "─";
      if (starred && right[c]) line += " ";
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t width) {
  if (width == 0 || display_width(text) <= width) return text + "\n";
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line + "\n";
}

TerminalStyle terminal_style(int descriptor) {
  if (::isatty(descriptor) == 0) return {};
  const char* off = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool plain = (off && *off != '\0') || !term || std::string_view(term) == "dumb";
  winsize size{};
  const bool has_width = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return {.colour = !plain, .width = std::min<std::size_t>(has_width ? size.ws_col : 80, kWidest)};
}

std::string shell_word(std::string_view word) {
  const auto is_plain = [](unsigned char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c >= 0x80 ||
           std::string_view("_-+=:,./@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  return "'" + replaced(word, {{"'", "'\\''"}}) + "'";
}

std::string terminal_text(std::string_view markdown, const TerminalStyle& style) {
  std::vector<std::string_view> lines;
  for (LineReader reader(markdown); reader.next();) lines.push_back(reader.line());
  std::string out;
  for (std::size_t l = 0; l < lines.size();) {
    std::size_t end = l;
    if (l + 1 < lines.size() && lines[l].starts_with("|") && is_rule(lines[l + 1]))
      while (end < lines.size() && lines[end].starts_with("|")) ++end;
    if (end == l) {
      std::string text = unescaped(lines[l]);
      constexpr std::string_view kInMarkdown = "best in bold";
      if (const auto at = text.find(kInMarkdown); at != text.npos)
        text.replace(at, kInMarkdown.size(), style.colour ? "best in green" : "best with *");
      out += wrapped(text, style.width);
      ++l;
      continue;
    }
    out += aligned_columns(
        {lines.begin() + static_cast<std::ptrdiff_t>(l), lines.begin() + static_cast<std::ptrdiff_t>(end)}, style);
    l = end;
  }
  return out;
}

}  // namespace alidade
