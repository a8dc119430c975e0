#include "experiments/report/map_csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

// Cuts one record from the front of `rest` and counts the line ends in it; nothing at the end of the text.
bool next_record(std::string_view& rest, std::vector<std::string>& cells, std::size_t& lines) {
  cells.clear();
  lines = 0;
  if (rest.empty()) return false;
  std::string cell;
  bool quoted = false;
  std::size_t i = 0;
  for (; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '\n') ++lines;
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
        cell += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && cell.empty()) {
      quoted = true;
    } else if (c == ',') {
      cells.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      ++i;
      break;
    } else if (c != '\r') {
      cell += c;
    }
  }
  cells.push_back(std::move(cell));
  rest.remove_prefix(i);
  return true;
}

std::string whole_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  require<DataError>(in.is_open(), "{}: Can not read this map.", file.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

MapTable parse_map_csv(std::string_view text, std::string_view file) {
  std::vector<std::string> cells;
  std::size_t lines = 0;
  std::size_t line = 1;
  const bool any = next_record(text, cells, lines);
  require<DataError>(any && cells.size() >= 3 && cells[0] == "object" && cells[1] == "label",
                     "{}: Expected the header object,label,x1,x2,... of a map.",
                     at_line(file, line));
  MapTable out;
  out.columns.resize(cells.size() - 2);
  line += lines;
  while (next_record(text, cells, lines)) {
    if (cells.size() == 1 && cells[0].empty()) {
      line += lines;
      continue;
    }
    require<DataError>(cells.size() == out.columns.size() + 2, "{}: Expected {} values, found {}.",
                       at_line(file, line), out.columns.size() + 2, cells.size());
    for (std::size_t c = 0; c < out.columns.size(); ++c) {
      const std::optional<double> value = parse_double(cells[c + 2]);
      require<DataError>(value.has_value(), "{}: Expected a number, found '{}'.",
                         at_line(file, line), cells[c + 2]);
      out.columns[c].push_back(std::isfinite(*value) ? *value
                                                     : std::numeric_limits<double>::quiet_NaN());
    }
    out.objects.push_back(std::move(cells[0]));
    out.labels.push_back(std::move(cells[1]));
    line += lines;
  }
  return out;
}

MapTable read_map_csv(const std::filesystem::path& file) {
  return parse_map_csv(whole_text(file), file.string());
}

CovarianceTable parse_ellipses_csv(std::string_view text, std::string_view file) {
  std::vector<std::string> cells;
  std::size_t lines = 0;
  std::size_t line = 1;
  const bool any = next_record(text, cells, lines);
  constexpr std::array<std::string_view, 3> kColumns = {"cov11", "cov12", "cov22"};
  std::array<std::size_t, 3> places{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto found = std::ranges::find(cells, kColumns[c]);
    require<DataError>(any && cells[0] == "object" && found != cells.end(),
                       "{}: Expected a header object,... with {} of a planar map's ellipses.",
                       at_line(file, line), kColumns[c]);
    places[c] = static_cast<std::size_t>(found - cells.begin());
  }
  const std::size_t width = cells.size();
  CovarianceTable out;
  line += lines;
  while (next_record(text, cells, lines)) {
    require<DataError>(cells.size() == width, "{}: Expected {} values, found {}.",
                       at_line(file, line), width, cells.size());
    for (std::size_t c = 0; c < 3; ++c) {
      const std::string& cell = cells[places[c]];
      const std::optional<double> value = parse_double(cell);
      require<DataError>(value.has_value() || cell.empty(), "{}: Expected a number, found '{}'.",
                         at_line(file, line), cell);
      const auto single = static_cast<float>(value.value_or(std::nan("")));
      out.columns[c].push_back(std::isfinite(single) ? single : std::nanf(""));
    }
    out.objects.push_back(std::move(cells[0]));
    line += lines;
  }
  return out;
}

CovarianceTable read_ellipses_csv(const std::filesystem::path& file) {
  return parse_ellipses_csv(whole_text(file), file.string());
}

}  // namespace alidade
