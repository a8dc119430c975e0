// The folder of one map, as `embed` leaves it: the map's files, the report, one row.
// It is written beside its place and moved there when it is whole, so that nobody meets half a map.
// Example: MapFolder folder("out"); write below folder.path(); folder.commit().
#pragma once

#include <filesystem>

namespace alidade::commands {

/// A folder that takes its place only when complete: `commit` moves its files there, the destructor removes
/// what was not committed. A folder that is there already must be that of an earlier map, which is replaced,
/// or hold none of the files of a map.
class MapFolder {
 public:
  /// @throws ConfigError, DataError if `place` can not become such a folder
  explicit MapFolder(const std::filesystem::path& place);
  ~MapFolder();
  MapFolder(const MapFolder&) = delete;
  MapFolder& operator=(const MapFolder&) = delete;

  /// Where the files are to be written.
  [[nodiscard]] const std::filesystem::path& path() const { return pending_; }
  void commit();
  /// What the destructor does, for a process that ends without it.
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
