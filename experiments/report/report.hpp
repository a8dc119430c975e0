// The report of results folders: one HTML page that needs no network, with tables, profiles, curves and maps; or
// figures for a paper.
// It shows only what the folders hold, and names what failed, was skipped or is missing.
// A single run gives a page about its map; otherwise the comparison comes first.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tables/tables.hpp"

namespace alidade {

inline constexpr std::array<std::string_view, 7> kFigureKinds = {"map",    "map-grid", "curve",  "curve-grid",
                                                                 "values", "ranks",    "profile"};
/// How figures for a paper are made.
struct FigureStyle {
  std::vector<std::string> only{};      // kinds; empty: all
  std::optional<double> width_mm{};     // on paper; figures are laid out for it
  std::vector<std::string> titles{};    // of the maps of one figure, in their order; empty: the methods' names
  std::optional<double> font_points{};  // of the words at ticks, on paper; 8 where only a width is given
};

/// Of a run in progress: how many of its planned runs have ended.
struct RunProgress {
  std::size_t done = 0, planned = 0;
};

struct ReportOptions {
  /// The page leaves out coordinates beyond this size (4 bytes each), maps of later repeats first, with a note.
  std::size_t coordinate_bytes = std::size_t{24} << 20;
  /// A table of objects' names and of columns to colour maps by (report_model.cpp).
  std::optional<std::filesystem::path> labels{};
  /// A folder with pictures of the objects, for the maps (report/object_pictures.hpp).
  std::optional<std::filesystem::path> images{};
  /// Only the runs of these methods; empty: all.
  std::vector<std::string> methods{};
  /// Only the runs that meet these conditions (results/rows.hpp), of all folders together; empty: all.
  std::vector<std::string> where{};
  bool png = false, pdf = false;  // also write a PNG, or a PDF, of every SVG figure (png.cpp)
  double dpi = 288;               // of a PNG
  FigureStyle figures{};
  /// The page says so, and reloads itself every few seconds.
  std::optional<RunProgress> running{};
};

/// The page as text; links to logs are relative to `page_folder`. Names in the data are text, never markup. A trace or
/// map that cannot be read becomes a note on the page. With several folders, clashing methods and datasets are labelled
/// with their experiment. O(size of the folders).
/// @throws DataError if a folder has no rows file or a broken one, or if no object has a label; ConfigError if no run
/// has one of the methods, and on `where`.
[[nodiscard]] std::string report_page(std::span<const std::filesystem::path> results_folders,
                                      const std::filesystem::path& page_folder, const ReportOptions& options = {});
[[nodiscard]] std::string report_page(const std::filesystem::path& results_folder,
                                      const std::filesystem::path& page_folder, const ReportOptions& options = {});

/// Writes the page whole or not at all. @throws DataError also if it cannot be written.
void write_report(std::span<const std::filesystem::path> results_folders, const std::filesystem::path& html_file,
                  const ReportOptions& options = {});
void write_report(const std::filesystem::path& results_folder, const std::filesystem::path& html_file,
                  const ReportOptions& options = {});

/// Writes SVG figures into `folder`, creating it: maps of the first repeat, curves, compared values, profiles (see
/// report/figures.hpp). Returns their files; appends to `notes` what was left out. Files of the same name are replaced.
/// @throws DataError as above, ConfigError if PNG is requested without a program to draw it.
std::vector<std::filesystem::path> write_figures(std::span<const std::filesystem::path> results_folders,
                                                 const std::filesystem::path& folder, std::vector<std::string>& notes,
                                                 const ReportOptions& options = {});

/// Draws the one figure of the kinds that `options` name into a file whose ending says its format: .svg, .pdf or .png.
/// Where they name none: the map; of several, all in one figure. Appends to `notes` what was left out.
/// @throws ConfigError if there is no such figure, or several, naming them; DataError as above
void write_figure(std::span<const std::filesystem::path> results_folders, const std::filesystem::path& file,
                  std::vector<std::string>& notes, const ReportOptions& options = {});

}  // namespace alidade
