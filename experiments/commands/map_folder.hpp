// The folder of one map, as `embed` writes it: the map's files, the report, one row.
// It is written beside its place and moved there when complete, so nobody sees an incomplete map.
// Example: MapFolder folder("out"); write below folder.path(); folder.commit().
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "experiments/files/folder.hpp"
#include "experiments/report/report.hpp"
#include "experiments/run/run.hpp"

namespace alidade::commands {

/// A folder that takes its place only when complete: `commit` moves its files there; the destructor removes uncommitted
/// files. An existing folder must contain none of a map's files, or with `replace` be that of an earlier map, which is
/// then replaced.
/// A commit that fails leaves the earlier map as it was.
class MapFolder {
 public:
  /// @throws ConfigError, DataError if `place` cannot become such a folder
  explicit MapFolder(const std::filesystem::path& place, bool replace = false);
  ~MapFolder();
  MapFolder(const MapFolder&) = delete;
  MapFolder& operator=(const MapFolder&) = delete;

  /// The folder to write files in.
  [[nodiscard]] const std::filesystem::path& path() const { return pending_; }
  /// Where they will be.
  [[nodiscard]] const std::filesystem::path& place() const { return place_; }
  /// On return the map is on disk. @throws DataError
  void commit();
  /// Does the destructor's work, for a process that ends without it.
  void remove() const;

 private:
  void require_free(bool replace) const;
  void replace_earlier();
  [[nodiscard]] std::vector<std::filesystem::path> earlier_traces() const;

  std::filesystem::path place_, pending_, made_;
  std::vector<std::filesystem::path> broken_off_;  // what killed commands left of replacing the map
  FolderLock held_;                                // of `pending_`: nobody else sweeps it
  bool fresh_ = true;
  bool committed_ = false;
};

/// What of a map's folder is no longer as it was written.
[[nodiscard]] std::optional<std::string> note_on_map(const std::filesystem::path& folder);

struct WrittenMap {
  std::string row;           // as a line
  std::string without_page;  // why there is no page, and what to do; empty if there is one, or was none to be
};

/// Writes all files of a map's folder, which `commit` then puts in its place. `command`: the words that made it. `cut`
/// short by an interruption: without what takes longer than the user waits. A map whose page alone cannot be written
/// stays. @throws DataError, also once `stop` is requested
WrittenMap write_map(MapFolder& folder, const Experiment& experiment, RunResult& result,
                     const std::vector<std::string>& command, const ReportOptions& page = {}, std::stop_token stop = {},
                     bool cut = false);

}  // namespace alidade::commands
