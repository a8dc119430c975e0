// The folder of one map, as `embed` writes it: the map's files, the report, one row.
// It is written beside its place and moved there when complete, so nobody sees an incomplete map.
// Example: MapFolder folder("out"); write below folder.path(); folder.commit().
#pragma once

#include <filesystem>

namespace alidade::commands {

/// A folder that takes its place only when complete: `commit` moves its files there; the destructor removes uncommitted
/// files. An existing folder must be that of an earlier map, which is replaced, or contain none of a map's files.
class MapFolder {
 public:
  /// @throws ConfigError, DataError if `place` cannot become such a folder
  explicit MapFolder(const std::filesystem::path& place);
  ~MapFolder();
  MapFolder(const MapFolder&) = delete;
  MapFolder& operator=(const MapFolder&) = delete;

  /// The folder to write files in.
  [[nodiscard]] const std::filesystem::path& path() const { return pending_; }
  void commit();
  /// Does the destructor's work, for a process that ends without it.
  void remove() const;

 private:
  void require_free() const;
  void replace_earlier();
  void remove_earlier_traces() const;

  std::filesystem::path place_, pending_, made_;
  bool fresh_ = true;
  bool committed_ = false;
};

}  // namespace alidade::commands
