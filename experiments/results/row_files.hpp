// The files that rows name, and whether they are there.
// Names are relative to the folder of results. A name that leads out of it counts as missing, and is never opened.
// Logs are apart: a run's result does not depend on its log, and the log may grow after its row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/row.hpp"

namespace alidade {

/// The place of a file that a row names; nothing if it is outside the folder.
[[nodiscard]] std::optional<std::filesystem::path> inside(const std::filesystem::path& folder, const std::string& name);

struct NamedFile {
  std::string name;
  std::string sha256;                   // "" if the row has no checksum for it, as rows of earlier versions
  std::optional<std::int64_t> bytes{};  // the checksum is of so many from its beginning; nothing: of all
};
/// The files that a row names, each once, without its log.
[[nodiscard]] std::vector<NamedFile> files_of(const ResultRow& row);
/// Its log, if the row has a checksum of it.
[[nodiscard]] std::optional<NamedFile> log_of(const ResultRow& row);

enum class NamedFileState { unchanged, unchecked, missing, changed };
/// Reads the file. `unchecked`: it is there, but has no checksum. @throws DataError if it is there but cannot be read
[[nodiscard]] NamedFileState file_state(const std::filesystem::path& folder, const NamedFile& file);

/// The same of a log; one that cannot be read is `unchecked`, since no result depends on it.
[[nodiscard]] NamedFileState file_state_of_log(const std::filesystem::path& folder, const NamedFile& log);

/// Whether the row cannot count on the file.
[[nodiscard]] constexpr bool is_lost(NamedFileState state) {
  return state == NamedFileState::missing || state == NamedFileState::changed;
}
/// The first file of the row that is lost; "" if there is none. Reads the files. @throws DataError as file_state
[[nodiscard]] std::string lost_file(const std::filesystem::path& folder, const ResultRow& row);

/// `alidade repair` keeps a damaged file as NAME.damaged-1, or the first number that is free.
constexpr std::string_view kDamaged = ".damaged-";
[[nodiscard]] inline bool is_kept_aside(std::string_view name) { return name.find(kDamaged) != name.npos; }

/// Which files are there, for many names: each folder is listed once, when a name in it is first asked for.
class FileListing {
 public:
  explicit FileListing(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// @throws DataError if a folder is there but cannot be listed
  [[nodiscard]] bool has(const std::string& name);
  /// Whether all files of the row are there. O(files of the row).
  [[nodiscard]] bool has_files_of(const ResultRow& row);

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::set<std::string, std::less<>>> names_;  // by folder
};

}  // namespace alidade
