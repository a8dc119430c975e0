#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/files/gzip_file.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "problems/core/error.hpp"

namespace alidade::report {
namespace {

/// A line for each aspect, a column for each map; or one column where each aspect has the error by its own map only, as
/// of many aspects the page would be too large.
std::string aspect_table(const AspectErrors& errors) {
  HtmlTable table{
      "Held-out error of the answers about each aspect, by the map of each", "listing", {"Answers about"}, {}};
  const bool all = std::ranges::all_of(
      errors.rows, [&](const AspectErrors::Row& row) { return row.by_map.size() == errors.maps.size(); });
  if (!all) table.head.emplace_back("its own map");
  if (all)
    for (const std::string& map : errors.maps)
      table.head.push_back(map.empty() ? "the one map" : "map of " + escaped_name(map));
  for (const AspectErrors::Row& row : errors.rows) {
    HtmlLine line{{HtmlCell(escaped_name(row.aspect))}, ""};
    for (const AspectErrors::Cell& cell : row.by_map)
      line.cells.emplace_back(fmt::format("{:.0f} %<span class=\"pm\"> {:.0f} to {:.0f} %</span>", 100 * cell.error,
                                          100 * cell.interval.low, 100 * cell.interval.high),
                              cell.error);
    table.lines.push_back(std::move(line));
  }
  return table_html(table);
}

}  // namespace

AspectErrors aspect_errors_of(const ReportModel& all, std::size_t row) {
  const auto path = all.inside(row, "aspect_errors.csv");
  std::error_code ignored;
  if (!all.single() || !path || !std::filesystem::is_regular_file(*path, ignored)) return {};
  return parse_aspect_errors(read_bytes(*path), path->string());
}

Section aspect_section(const ReportModel& all) {
  std::string content;
  bool groups = false;
  try {
    const AspectErrors errors = aspect_errors_of(all, 0);
    if (errors.rows.empty()) return {};
    groups = errors.groups;
    content = aspect_table(errors);
  } catch (const DataError& error) {
    content = "<p class=\"caption\">" + escaped(error.what()) + "</p>";
  }
  const std::string of = groups ? "a group" : "an aspect";
  return {
      "aspects", groups ? "Groups" : "Aspects",
      fmt::format(
          "<section id=\"aspects\"><h2>Do the {0}s agree?</h2><p class=\"caption\">Held-out error of the answers {1} "
          "{2} (line), by the map of {2} (column), with its 95 % interval. {3}Guessing has 50 %.</p>",
          groups ? "group" : "aspect", groups ? "of" : "about", of,
          groups ? "Whether groups see the objects alike is tested over people, see above. "
                 : "Two aspects agree if the map of each errs on the answers about the other less than 5 % more "
                   "often than their own does, and few answers can not say so. ") +
          content + "</section>"};
}

}  // namespace alidade::report
