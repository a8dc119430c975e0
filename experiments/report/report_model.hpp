// The content of a report on results folders: their rows, manifests, maps and traces, read once and thinned to a page.
// It holds no markup; pages and figures are written from it.
// A file that cannot be read gives a note; only a broken or missing rows file is an error.
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
#include "experiments/results/map_files.hpp"
#include "experiments/results/row.hpp"
#include "experiments/results/row_warnings.hpp"
#include "problems/core/value.hpp"

namespace alidade {

struct ReportModel {
  /// A property of objects, to colour maps by.
  struct Column {
    std::string name;
    std::vector<std::string> values;  // "" if unknown
  };
  struct ObjectList {
    std::vector<std::string> names, labels;
    std::vector<Column> columns;          // from the file of labels, those with a value for at least one object
    std::vector<std::string> pictures{};  // data URIs, "" for none; empty: no object has one
  };
  struct MapView {
    std::size_t row = 0;
    std::string aspect;
    std::size_t objects = 0;  // index into object_lists
    std::size_t dimensions = 0;
    std::vector<float> coordinates;  // coordinate after coordinate
    /// Turns and mirrors a map of two or three dimensions, about its mean, to match the first one of its data set and
    /// dimensions by the objects of both: a matrix by rows; empty for that one and where nothing is to match.
    std::vector<double> turn;
    std::size_t unplaced = 0;
    /// Objects, ascending, that do not set the scale of a drawing: they lie far from the others, or have too few
    /// answers for a place. Fewer than half of all.
    std::vector<std::size_t> apart;
    /// Objects, ascending, that the answers do not place: their 95 % region after a bootstrap is wider than the map.
    std::vector<std::size_t> uncertain;
    /// Planar maps after a bootstrap: the variances of x1, the covariances, the variances of x2; else empty.
    std::vector<float> covariances;
    std::optional<RegionsHold> regions_hold{};
    /// Other maps after a bootstrap: root mean square of an object's standard deviations; else empty.
    std::vector<float> spreads;
    /// The triplets that the map violates; nothing where that is unknown.
    std::optional<ViolatedTriplets> violated;
  };
  struct TraceView {
    std::size_t row = 0;
    ValueTable columns;  // of equal length
  };
  /// A results folder.
  struct Source {
    std::filesystem::path folder;
    std::string experiment;                    // its name, else the folder's
    std::vector<ValueTable> manifest;          // its entries, oldest first; none without a manifest
    std::optional<std::string> configuration;  // config.resolved.toml
    /// The last entry of the manifest, or an empty one.
    [[nodiscard]] ValueTable last_command() const { return manifest.empty() ? ValueTable() : manifest.back(); }
  };

  std::vector<Source> sources;         // at least one
  std::vector<Row> rows;               // by folder, place in the plan, repeat and fold
  std::vector<std::size_t> source_of;  // one per row
  std::vector<std::string> notes;
  std::size_t undone = 0;  // planned runs without a row
  Directions directions;   // of the program and the rows
  std::map<RunStatus, std::size_t> status_count;
  std::vector<std::string> methods, datasets;  // in the order of the tables
  std::vector<ObjectList> object_lists;
  std::vector<MapView> maps;  // by row
  std::vector<TraceView> traces;
  /// One per row: the least known objective of its instance (best_known.hpp), from the rows of all folders.
  std::vector<std::optional<double>> best_known;
  /// One per row, if there are traces: seconds to come within each of kTargets of that objective, in units of the way
  /// from the instance's start; nothing if the target was not met.
  std::vector<std::array<std::optional<double>, 4>> seconds_to_target;
  static constexpr std::array<double, 4> kTargets = {0.1, 0.01, 0.001, 0.0001};

  [[nodiscard]] bool single() const { return rows.size() == 1; }
  [[nodiscard]] std::size_t count_of(RunStatus status) const;
  /// Whether the page is about semidefinite programs: every run that ended well has a proven gap, and none a held-out
  /// error. False without such runs.
  [[nodiscard]] bool certified() const;
  /// The experiments' names.
  [[nodiscard]] std::string experiment() const;
  /// A file named in row `row`, if the name stays inside the row's folder.
  [[nodiscard]] std::optional<std::filesystem::path> inside(std::size_t row, const std::string& name) const;
};

/// Gathers the rows of several folders. A dataset with other options, content, seed or split in another folder gets its
/// experiment's name appended. So does a method with other options there, or with runs on the same dataset in both. A
/// run in two folders counts once. O(size of the folders).
/// @throws DataError if a folder has no rows file or a broken one, or the file of labels cannot be used.
[[nodiscard]] ReportModel gather_report(std::span<const std::filesystem::path> results_folders,
                                        const ReportOptions& options);

}  // namespace alidade
