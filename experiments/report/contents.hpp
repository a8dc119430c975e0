// What the report of a results folder shows: its rows, manifest, maps and traces, read once and thinned to a page.
// Nothing here is markup; the page is written from it by report.cpp.
// A file that can not be read is a note; only a broken or missing rows file is an error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report.hpp"
#include "problems/core/value.hpp"

namespace alidade {

struct ReportContents {
  struct ObjectList {
    std::vector<std::string> names, labels;
  };
  struct MapView {
    std::size_t row = 0;
    std::string aspect;
    std::size_t objects = 0;  // into object_lists
    std::size_t dimensions = 0;
    std::vector<float> coordinates;  // coordinate after coordinate
    std::size_t unplaced = 0;
    /// Planar maps after a bootstrap: the variances of x1, the covariances, the variances of x2; else empty.
    std::vector<float> covariances;
  };
  struct TraceView {
    std::size_t row = 0;
    Table columns;  // of equal length
  };

  std::filesystem::path folder;
  std::vector<Table> rows;                   // by place in the plan, repeat and fold
  Table manifest;                            // empty where there is none
  std::optional<std::string> configuration;  // config.resolved.toml
  std::vector<std::string> notes;
  std::map<std::string, std::size_t, std::less<>> status_count;
  std::vector<std::string> methods, datasets;  // in the order of the tables
  std::vector<ObjectList> object_lists;
  std::vector<MapView> maps;  // by row
  std::vector<TraceView> traces;

  [[nodiscard]] bool single() const { return rows.size() == 1; }
  [[nodiscard]] std::size_t count_of(std::string_view status) const;
  /// The experiment's name, else the folder's.
  [[nodiscard]] std::string experiment() const;
  /// A file named in a row, if the name stays inside the folder.
  [[nodiscard]] std::optional<std::filesystem::path> inside(const std::string& name) const;
};

/// O(size of the folder). @throws DataError if the folder has no rows file or a broken one.
[[nodiscard]] ReportContents gather_report(const std::filesystem::path& results_folder,
                                           const ReportOptions& options);

}  // namespace alidade
