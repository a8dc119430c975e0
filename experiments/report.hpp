// The report of a results folder: one HTML page that needs no network, with tables, curves and maps.
// It shows what the folder holds and invents nothing: what failed, was skipped or is missing is said in words.
// A folder with a single run gives a page about that map; otherwise the comparison comes first.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "experiments/tables.hpp"

namespace alidade {

struct ReportOptions {
  Directions directions = usual_directions();  // which metrics are better when higher
  /// Coordinates beyond this (4 bytes each) stay out of the page, maps of later repeats first; it is said.
  std::size_t coordinate_bytes = std::size_t{24} << 20;
};

/// The page as text; links to logs are relative to `page_folder`. Names in the data are text, never markup.
/// A trace or map that can not be read is a note on the page. O(size of the folder).
/// @throws DataError if the folder has no rows file or a broken one.
[[nodiscard]] std::string report_page(const std::filesystem::path& results_folder,
                                      const std::filesystem::path& page_folder,
                                      const ReportOptions& options = {});

/// Writes the page whole or not at all. @throws DataError also if it can not be written.
void write_report(const std::filesystem::path& results_folder,
                  const std::filesystem::path& html_file, const ReportOptions& options = {});

/// Whether this build of the program can draw curves and maps (plotly.js was there when it was built).
[[nodiscard]] bool report_can_draw();

}  // namespace alidade
