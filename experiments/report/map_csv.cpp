#include "experiments/report/map_csv.hpp"

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
  std::ifstream in(file, std::ios::binary);
  require<DataError>(in.is_open(), "{}: Can not read this map.", file.string());
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return parse_map_csv(text, file.string());
}

}  // namespace alidade
