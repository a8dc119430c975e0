// What the report of results folders shows: their rows, manifests, maps and traces, read once and thinned to a page.
// Nothing here is markup; pages and figures are written from it.
// A file that cannot be read is a note; only a broken or missing rows file is an error.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/report.hpp"
#include "problems/core/value.hpp"

namespace alidade {

struct ReportContents {
  /// Something known of objects, by which maps can be coloured.
  struct Column {
    std::string name;
    std::vector<std::string> values;  // "" where it is not known
  };
  struct ObjectList {
    std::vector<std::string> names, labels;
    std::vector<Column> columns;  // from the file of labels, those with a value for some object
  };
  struct MapView {
    std::size_t row = 0;
    std::string aspect;
    std::size_t objects = 0;  // into object_lists
    std::size_t dimensions = 0;
    std::vector<float> coordinates;  // coordinate after coordinate
    std::size_t unplaced = 0;
    /// Objects, ascending, that do not set the scale of a drawing: they lie far from the others or have too few answers
    /// for a place. Fewer than half of all.
    std::vector<std::size_t> apart;
    /// Planar maps after a bootstrap: the variances of x1, the covariances, the variances of x2; else empty.
    std::vector<float> covariances;
    /// Other maps after a bootstrap: root mean square of an object's standard deviations; else empty.
    std::vector<float> spreads;
  };
  struct TraceView {
    std::size_t row = 0;
    Table columns;  // of equal length
  };
  /// A results folder.
  struct Source {
    std::filesystem::path folder;
    std::string experiment;                    // its name, else the folder's
    Table manifest;                            // empty where there is none
    std::optional<std::string> configuration;  // config.resolved.toml
  };

  std::vector<Source> sources;         // at least one
  std::vector<Table> rows;             // by folder, place in the plan, repeat and fold
  std::vector<std::size_t> source_of;  // one a row
  std::vector<std::string> notes;
  std::map<std::string, std::size_t, std::less<>> status_count;
  std::vector<std::string> methods, datasets;  // in the order of the tables
  std::vector<ObjectList> object_lists;
  std::vector<MapView> maps;  // by row
  std::vector<TraceView> traces;
  /// One a row: the least objective known of its instance (best_known.hpp), from the rows of all folders.
  std::vector<std::optional<double>> best_known;
  /// One a row, where there are traces: seconds to come within each of kTargets of that, in units of the way from the
  /// instance's start; nothing where the target was not met.
  std::vector<std::array<std::optional<double>, 4>> seconds_to_target;
  static constexpr std::array<double, 4> kTargets = {0.1, 0.01, 0.001, 0.0001};

  [[nodiscard]] bool single() const { return rows.size() == 1; }
  [[nodiscard]] std::size_t count_of(std::string_view status) const;
  /// The experiments' names.
  [[nodiscard]] std::string experiment() const;
  /// A file named in row `row`, if the name stays inside the row's folder.
  [[nodiscard]] std::optional<std::filesystem::path> inside(std::size_t row, const std::string& name) const;
};

/// Rows of several folders stand side by side. A dataset that has other options in another folder, and a method that
/// has, or that both have runs of on the same dataset, get their experiment's name behind their own; a run that is in
/// two folders counts once. O(size of the folders).
/// @throws DataError if a folder has no rows file or a broken one, or the file of labels cannot be used.
[[nodiscard]] ReportContents gather_report(std::span<const std::filesystem::path> results_folders,
                                           const ReportOptions& options);

}  // namespace alidade
