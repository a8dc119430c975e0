// Figures for papers: maps, curves, profiles and compared values of results folders as SVG.
// Light, on no background; colour and also shape or dashes distinguish methods and labels.
// A figure that cannot be drawn is left out with a note, never drawn empty. Functions that take a width lay the figure
// out in so many pixels instead of its usual width, with texts of the usual size.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/report/report_model.hpp"

namespace alidade::report {

/// Maps with more objects are drawn without names.
inline constexpr std::size_t kNamedObjects = 150;

struct Figure {
  std::string name;  // file name without extension: letters, digits, '-' and '_'
  std::string svg;
  std::vector<std::string> unnamed{};  // of a map: objects whose names found no room
  bool has_names = true;               // false for a map with too many objects to name
  std::size_t too_many_labels = 0;     // of a map whose labels colours cannot tell apart; else 0
};

/// map_figure.cpp. A map of the first repeat of every method on every dataset. Planar maps are aligned by rotation and
/// reflection to the first map of the same objects. Maps of three coordinates are seen from the right and above; of
/// more, only two are drawn. Up to kNamedObjects objects are named; names without room are listed in the figure's
/// description and in `unnamed`.
[[nodiscard]] std::vector<Figure> map_figures(const ReportModel& contents, std::optional<double> width = {});

/// map_figure.cpp. The same maps, up to kGridPanels of them, in one figure "map-grid", those of a dataset side by side
/// under the names of their methods, or under `titles` (FigureStyle). Nothing for one map without a title.
/// @throws ConfigError unless there are as many titles as maps
inline constexpr std::size_t kGridPanels = 60;
[[nodiscard]] std::optional<Figure> map_grid(const ReportModel& contents, std::optional<double> width = {},
                                             const std::vector<std::string>& titles = {});

/// curve_figure.cpp. The figures of curve_figures() in one, "curve-grid", those of a dataset side by side, with one
/// legend. Nothing for fewer than two.
[[nodiscard]] std::optional<Figure> curve_grid(const ReportModel& contents, std::optional<double> width = {});

/// curve_figure.cpp. For every dataset, against seconds: the objective, its gap to the best of the same problem on the
/// same data, and every metric during the solves. Median over a method's repeats, with the quartiles as a band.
[[nodiscard]] std::vector<Figure> curve_figures(const ReportModel& contents, std::optional<double> width = {});

/// value_figure.cpp. For every metric and for time: means with intervals by dataset and method. Over three or more
/// datasets, if all cells have values, also the critical-difference diagram of the methods' ranks
/// (rank_comparison.hpp).
[[nodiscard]] std::vector<Figure> value_figures(const ReportModel& contents, std::optional<double> width = {});
/// profile_figure.cpp. Performance profiles of metrics with a known direction and no negative value, of time, and of
/// the time to come near the best objective. An instance is a dataset and a repeat; instances on which no method has a
/// value do not count.
[[nodiscard]] std::vector<Figure> profile_figures(const ReportModel& contents, std::optional<double> width = {});

/// All figures of the kinds that the style names, laid out and sized by it, with distinct names; `notes`: one sentence
/// for each that was left out. @throws ConfigError on an unknown kind, or a size that no figure can have
[[nodiscard]] std::vector<Figure> all_figures(const ReportModel& contents, std::vector<std::string>& notes,
                                              const FigureStyle& style = {});

// png.cpp: PNG and PDF by rsvg-convert, a program of librsvg, so that Alidade does not link its libraries. The picture
// is librsvg's rendering of the SVG, in the fonts of this machine: a PNG on white, a PDF on nothing. The program is
// looked up on PATH when needed.
/// @throws ConfigError if there is no rsvg-convert, which `option` needs, with what to install.
void require_converter(std::string_view option);

/// Draws `svg` into a .pdf of its size, or into a .png with `dpi` pixels an inch of it (of 96 pixels where that is in
/// pixels), which says its resolution; whole or not at all. Returns an error message, or nothing.
/// @pre require_converter() returned
[[nodiscard]] std::optional<std::string> convert_svg(const std::filesystem::path& svg, const std::filesystem::path& to,
                                                     double dpi);

/// A sentence on characters of a drawing that no font of this machine has, so that a PNG or PDF shows boxes in their
/// place; nothing if there are none, or fontconfig's fc-list is not installed.
[[nodiscard]] std::optional<std::string> missing_characters(std::string_view svg);

/// The bytes of a PNG with its resolution, pixels an inch, in them. @pre `png` is a PNG without one
[[nodiscard]] std::string with_resolution(std::string png, double dpi);

/// Joins `parts` as a file name: characters other than letters, digits and '-' become '_'; at most 100 bytes.
[[nodiscard]] std::string figure_name(const std::vector<std::string>& parts);

}  // namespace alidade::report
