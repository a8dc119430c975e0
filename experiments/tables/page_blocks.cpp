#include "experiments/tables/page_blocks.hpp"

#include <fmt/core.h>
#include <sentences/tables.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

/// Where the content of a block begins and ends, in bytes.
std::optional<std::pair<std::size_t, std::size_t>> block_range(std::string_view text, std::string_view name,
                                                               std::string_view page) {
  const auto line_at = [&](const std::string& line) -> std::optional<std::size_t> {
    std::optional<std::size_t> position;
    for (auto at = text.find(line); at != text.npos; at = text.find(line, at + 1)) {
      if (at > 0 && text[at - 1] != '\n') continue;
      require<DataError>(!position, "{}: '{}' is there twice.", page, line);
      position = at;
    }
    return position;
  };
  const std::string first = fmt::format("<!-- table {} -->\n", name), last = fmt::format("<!-- end {} -->", name);
  const auto begin = line_at(first), end = line_at(last);
  if (!begin && !end) return std::nullopt;
  require<DataError>(begin && end && *begin < *end, words::kBlockLines, page, name, trim(first), last);
  return std::pair(*begin + first.size(), *end);
}

struct MarkdownTable {
  std::vector<std::vector<std::string>> lines;  // the first is the head
  std::string caption;                          // the first line of text below it
};

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> out;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      cell += line[++i];
    } else if (line[i] == '|') {
      out.emplace_back(trim(cell));
      cell.clear();
    } else if (line[i] != '*') {
      cell += line[i];
    }
  }
  return out;
}

std::vector<MarkdownTable> tables_in(std::string_view text) {
  std::vector<MarkdownTable> out;
  bool in_table = false;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    if (line.starts_with('|')) {
      if (!in_table) out.emplace_back();
      in_table = true;
      if (!line.starts_with("|:") && !line.starts_with("|-")) out.back().lines.push_back(cells_of(line));
    } else {
      in_table = false;
      if (!out.empty() && out.back().caption.empty()) out.back().caption = trim(line);
    }
  }
  std::erase_if(out, [](const MarkdownTable& table) {
    return std::ranges::any_of(std::array{"p of the difference", "(seconds.", "(memory_mb", "Median seconds"},
                               [&](const char* what) { return table.caption.find(what) != std::string::npos; });
  });
  return out;
}

struct Figure {
  double value = 0, low = 0, high = 0;
};

/// The numbers at the beginning of a cell, and by how much the first may be rounded.
std::optional<Figure> figure_of(std::string_view cell) {
  // "(1.23 ± 0.04) × 10^-5"
  const std::string_view power = ") × 10^";
  if (const auto at = cell.find(power); cell.starts_with('(') && at != cell.npos) {
    const auto inner = figure_of(cell.substr(1, at - 1));
    const std::string_view after = cell.substr(at + power.size());
    const auto exponent = parse_double(after.substr(0, after.find(' ')));
    if (!inner || !exponent) return std::nullopt;
    const double scale = std::pow(10.0, *exponent);
    return Figure{inner->value * scale, inner->low * scale, inner->high * scale};
  }
  std::vector<double> numbers;
  double unit = 0;
  std::string_view rest = cell;
  const bool half_width = cell.find("±") != cell.npos, bounds = cell.find('[') != cell.npos;
  while (!rest.empty() && numbers.size() < 3) {
    const std::size_t start = rest.find_first_of("0123456789.-+");
    if (start == rest.npos) break;
    if (numbers.empty() && start > 0) return std::nullopt;  // begins with a word
    const std::size_t length = std::min(rest.find_first_not_of("0123456789.-+e", start), rest.size()) - start;
    const std::string_view word = rest.substr(start, length);
    const auto number = parse_double(word);
    if (!number) break;
    if (numbers.empty()) {
      const std::string_view digits = word.substr(0, word.find('e'));
      const auto dot = digits.find('.');
      const double places = dot == digits.npos ? 0 : static_cast<double>(digits.size() - dot - 1);
      const double exponent = digits == word ? 0 : parse_double(word.substr(digits.size() + 1)).value_or(0);
      unit = std::pow(10.0, exponent - places);
    }
    numbers.push_back(*number);
    rest = rest.substr(start + length);
  }
  if (numbers.empty()) return std::nullopt;
  const double value = numbers.front();
  if (half_width && numbers.size() > 1) return Figure{value, value - numbers[1] - unit, value + numbers[1] + unit};
  if (bounds && numbers.size() > 2) return Figure{value, numbers[1] - unit, numbers[2] + unit};
  const double room = std::max(0.02 * std::abs(value), 1.5 * unit);
  return Figure{value, value - room, value + room};
}

}  // namespace

std::optional<std::string> block_of(std::string_view text, std::string_view name, std::string_view page) {
  const auto range = block_range(text, name, page);
  if (!range) return std::nullopt;
  return std::string(text.substr(range->first, range->second - range->first));
}

std::string with_block(std::string_view text, std::string_view name, std::string_view content, std::string_view page) {
  const auto range = block_range(text, name, page);
  ALIDADE_ASSERT(range);
  return std::string(text.substr(0, range->first)).append(content).append(text.substr(range->second));
}

std::vector<MovedFigure> moved_figures(std::string_view before, std::string_view now) {
  const std::vector<MarkdownTable> old_tables = tables_in(before), new_tables = tables_in(now);
  std::vector<MovedFigure> out;
  if (old_tables.size() != new_tables.size())
    out.push_back({"tables", "", std::to_string(old_tables.size()), std::to_string(new_tables.size())});
  for (std::size_t t = 0; t < std::min(old_tables.size(), new_tables.size()); ++t) {
    const auto &a = old_tables[t].lines, &b = new_tables[t].lines;
    const bool same_shape =
        std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x.size() == y.size(); }) && a[0] == b[0];
    if (!same_shape) {
      out.push_back({fmt::format("table {}", t + 1), "", "another shape or head", join(b.front(), " | ")});
      continue;
    }
    for (std::size_t i = 1; i < a.size(); ++i)
      for (std::size_t j = 0; j < a[i].size(); ++j) {
        const auto was = figure_of(a[i][j]), is = figure_of(b[i][j]);
        const bool moved = was && is ? is->value < was->low || is->value > was->high : a[i][j] != b[i][j];
        if (moved) out.push_back({a[i].front(), a[0][j], a[i][j], b[i][j]});
      }
  }
  return out;
}

}  // namespace alidade
