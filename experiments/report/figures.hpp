// Figures for papers: maps, curves, profiles and compared values of results folders as SVG.
// Light, on no background; colour and also shape or dashes distinguish methods and labels.
// A figure that cannot be drawn is left out with a note, never drawn empty.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/report_model.hpp"

namespace alidade::report {

/// Maps with more objects are drawn without names.
inline constexpr std::size_t kNamedObjects = 150;

struct Figure {
  std::string name;  // file name without extension: letters, digits, '-', '_' and '.'
  std::string svg;
  std::vector<std::string> unnamed{};  // of a map: objects whose names found no room
  bool has_names = true;               // false for a map with too many objects to name
};

/// map_figure.cpp. A map of the first repeat of every method on every dataset. Planar maps are aligned by rotation and
/// reflection to the first map of the same objects. Maps of three coordinates are seen from the right and above; of
/// more, the first two are drawn. Up to kNamedObjects objects are named; names without room are listed in the figure's
/// description and in `unnamed`.
[[nodiscard]] std::vector<Figure> map_figures(const ReportContents& contents);

/// curve_figure.cpp. For every dataset, against seconds: the objective, its gap to the best of the same problem on the
/// same data, and every metric during the solves. Median over a method's repeats, with the quartiles as a band.
[[nodiscard]] std::vector<Figure> curve_figures(const ReportContents& contents);

/// value_figure.cpp. For every metric and for time: means with intervals by dataset and method. Over three or more
/// datasets, if all cells have values, also the critical-difference diagram of the methods' ranks
/// (rank_comparison.hpp).
[[nodiscard]] std::vector<Figure> value_figures(const ReportContents& contents, const Directions& directions);
/// profile_figure.cpp. Performance profiles of metrics with a known direction and no negative value, of time, and of
/// the time to come near the best objective. An instance is a dataset and a repeat; instances on which no method has a
/// value do not count.
[[nodiscard]] std::vector<Figure> profile_figures(const ReportContents& contents, const Directions& directions);

/// All figures, with distinct names; `notes`: one sentence for each that was left out.
[[nodiscard]] std::vector<Figure> all_figures(const ReportContents& contents, const Directions& directions,
                                              std::vector<std::string>& notes);

/// Joins `parts` as a file name: characters other than letters, digits, '-' and '.' become '_'; at most 100 bytes.
[[nodiscard]] std::string figure_name(const std::vector<std::string>& parts);

}  // namespace alidade::report
