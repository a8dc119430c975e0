#include "experiments/commands/map_folder.hpp"

#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "experiments/results/projector_file.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"

namespace alidade::commands {
namespace {

namespace fs = std::filesystem;

/// The content of a map's folder; "traces" is a folder with one file. Several maps are embedding.ASPECT.csv, .npy.
constexpr std::array<std::string_view, 8> kMapFiles = {
    "embedding.csv", "embedding.npy", "ellipses.csv", "config.resolved.toml",
    "manifest.json", "report.html",   kRowsFile,      "traces"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The files of maps and ellipses in a folder of `embed`.
std::vector<fs::path> maps_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool map = name.starts_with("embedding.") || name.starts_with("ellipses.");
    if (map && (name.ends_with(".csv") || name.ends_with(".npy") || name.ends_with(kProjectorEnding)))
      out.push_back(entry.path());
  }
  return out;
}

}  // namespace

MapFolder::MapFolder(const fs::path& place) : place_(place.lexically_normal()) {
  require<ConfigError>(!place_.empty(), "-o needs the name of a folder, not ''.");
  if (!place_.has_filename()) place_ = place_.parent_path();  // "out/"
  fresh_ = !is_there(place_);
  if (!fresh_) require_free();
  const std::string part = fmt::format(".part-{}", ::getpid());
  pending_ = fresh_ ? fs::path(place_.string() + part) : place_ / part;
  made_ = pending_;  // the topmost folder that we may remove
  for (fs::path up = pending_.parent_path(); fresh_ && !up.empty() && !is_there(up); up = up.parent_path()) made_ = up;
  std::error_code code;
  fs::create_directories(pending_ / "traces", code);
  if (code) remove();
  require<DataError>(!code, "Cannot write {}: {}. Choose another folder with -o.", place_.string(), code.message());
}

MapFolder::~MapFolder() {
  if (!committed_) remove();
}

void MapFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(made_, ignored);
}

void MapFolder::commit() {
  std::error_code code;
  if (fresh_)
    fs::rename(pending_, place_, code);
  else
    replace_earlier();
  require<DataError>(!code, "Cannot write {}: {}. Choose another folder with -o.", place_.string(), code.message());
  committed_ = true;
}

void MapFolder::require_free() const {
  require<DataError>(fs::is_directory(place_), "{} is not a folder. Choose another folder with -o.", place_.string());
  const bool map = !maps_in(place_).empty() && is_there(place_ / kRowsFile);
  require<DataError>(map || !is_there(place_ / kRowsFile),
                     "{} holds the results of an experiment. Choose another folder with -o.", place_.string());
  for (const std::string_view name : kMapFiles)
    require<DataError>(map || !is_there(place_ / name),
                       "{} holds a '{}' that does not belong to a map. Choose another folder with -o.", place_.string(),
                       name);
}

void MapFolder::replace_earlier() {
  std::error_code code;
  remove_earlier_traces();
  for (const fs::path& earlier : maps_in(place_)) fs::remove(earlier, code);
  fs::create_directory(place_ / "traces", code);
  for (const auto& entry : fs::directory_iterator(pending_ / "traces"))
    if (!code) fs::rename(entry.path(), place_ / "traces" / entry.path().filename(), code);
  for (const auto& entry : fs::directory_iterator(pending_))
    if (!code && !entry.is_directory()) fs::rename(entry.path(), place_ / entry.path().filename(), code);
  if (!code) fs::remove_all(pending_, code);
  require<DataError>(!code, "Cannot write {}: {}. Choose another folder with -o.", place_.string(), code.message());
}

void MapFolder::remove_earlier_traces() const {
  if (!is_there(place_ / kRowsFile)) return;
  std::error_code ignored;
  try {
    for (const Table& table : read_row_file(place_ / kRowsFile).rows) {
      const ResultRow row = row_of(table);
      if (!row.files || !row.files->trace) continue;
      const fs::path trace = fs::path(*row.files->trace).filename();
      if (!trace.empty()) fs::remove(place_ / "traces" / trace, ignored);
    }
  } catch (const DataError&) {  // an unreadable row names no trace
  }
}

}  // namespace alidade::commands
