#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

/// The rows of aspect_errors.csv as a table: a line for each aspect, a column for each map, or one where each aspect has
/// the error by its own map only: of many aspects the page would be too large.
std::string aspect_table(std::string_view text, const std::string& file) {
  datasets::RowReader reader(text, file, ',');
  std::vector<std::string> aspects, maps;
  std::map<std::pair<std::string, std::string>, std::pair<double, std::string>> cells;
  const auto number = [&](std::size_t at) { return parse_double(reader.fields()[at]).value_or(0); };
  const auto add = [](std::vector<std::string>& list, const std::string& name) {
    if (std::ranges::find(list, name) == list.end()) list.push_back(name);
  };
  if (!reader.next()) return "";
  while (reader.next()) {
    if (reader.fields().size() != 6) return "";
    const std::string aspect(reader.fields()[0]), map(reader.fields()[1]);
    add(aspects, aspect);
    add(maps, map);
    cells[{aspect, map}] = {number(3), fmt::format("{:.0f} %<span class=\"pm\"> {:.0f} to {:.0f} %</span>",
                                                   100 * number(3), 100 * number(4), 100 * number(5))};
  }
  const bool own_only = maps.size() > 1 && cells.size() == aspects.size();
  if (own_only) {
    for (const std::string& aspect : aspects)
      if (!cells.contains({aspect, aspect})) return "";
    maps = {""};
  }
  HtmlTable table{
      "Held-out error of the answers about each aspect, by the map of each", "listing", {"Answers about"}, {}};
  for (const std::string& map : maps)
    table.head.push_back(own_only ? "its own map" : map.empty() ? "the one map" : "map of " + escaped_name(map));
  for (const std::string& aspect : aspects) {
    HtmlLine line{{HtmlCell(escaped_name(aspect))}, ""};
    for (const std::string& map : maps) {
      const auto found = cells.find({aspect, own_only ? aspect : map});
      line.cells.push_back(found == cells.end() ? HtmlCell("", std::nullopt)
                                                : HtmlCell(found->second.second, found->second.first));
    }
    table.lines.push_back(std::move(line));
  }
  return table_html(table);
}

}  // namespace

Section aspect_section(const ReportModel& all) {
  const auto path = all.inside(0, "aspect_errors.csv");
  std::error_code ignored;
  if (!path || !std::filesystem::is_regular_file(*path, ignored)) return {};
  std::string content;
  try {
    content = aspect_table(datasets::read_bytes(*path), path->string());
  } catch (const DataError& error) {
    content = "<p class=\"caption\">" + escaped(error.what()) + "</p>";
  }
  return {
      "aspects", "Aspects",
      "<section id=\"aspects\"><h2>Do the aspects agree?</h2><p class=\"caption\">Held-out error of the answers about "
      "an aspect (line), by the map of an aspect (column), with its 95 % interval. Two aspects agree if the map of one "
      "predicts the answers about the other as well as their own does; guessing has 50 %.</p>" +
          content + "</section>"};
}

}  // namespace alidade::report
