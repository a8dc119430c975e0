// Figures for papers: maps, curves, profiles and compared values of results folders as SVG.
// Light, on no background; methods and labels are told apart by colour and by shape or dashes.
// What cannot be drawn is left out and said, never drawn empty.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/report_model.hpp"

namespace alidade::report {

/// Maps of more objects are drawn without their names.
inline constexpr std::size_t kNamedObjects = 150;

struct Figure {
  std::string name;  // of its file without the ending: letters, digits, '-', '_' and '.'
  std::string svg;
  std::vector<std::string> unnamed{};  // of a map: objects whose names found no room
  bool has_names = true;               // false of a map with too many objects to name
};

/// map_figure.cpp. A map of the first repeat of every method on every dataset, turned and mirrored onto the first of
/// its objects where both are planar; maps of three coordinates from the right and above, of more their first two. Up
/// to kNamedObjects objects are named; names that find no room are listed in the figure's description and in `unnamed`.
[[nodiscard]] std::vector<Figure> map_figures(const ReportContents& contents);

/// curve_figure.cpp. Of every dataset the objective, its gap to the best of the same problem on the same data, and
/// every metric along the solves, against seconds: median over a method's repeats, and the quartiles as a band.
[[nodiscard]] std::vector<Figure> curve_figures(const ReportContents& contents);

/// value_figure.cpp. Of every metric and of time: means with their intervals by dataset and method; over three or more
/// datasets also the critical-difference diagram of the methods' ranks (rank_comparison.hpp), where all cells have
/// values.
[[nodiscard]] std::vector<Figure> value_figures(const ReportContents& contents, const Directions& directions);
/// profile_figure.cpp. Performance profiles of metrics with a known direction and no negative value, of time, and of
/// the time to come near the best objective; an instance is a dataset and a repeat, those on which no method has a
/// value do not count.
[[nodiscard]] std::vector<Figure> profile_figures(const ReportContents& contents, const Directions& directions);

/// All of them, their names made different; `notes`: what was left out, one sentence each.
[[nodiscard]] std::vector<Figure> all_figures(const ReportContents& contents, const Directions& directions,
                                              std::vector<std::string>& notes);

/// `parts` joined for a file's name: what is not a letter, digit, '-' or '.' becomes '_'; at most 100 bytes.
[[nodiscard]] std::string figure_name(const std::vector<std::string>& parts);

}  // namespace alidade::report
