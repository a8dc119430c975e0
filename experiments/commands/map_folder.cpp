#include "experiments/commands/map_folder.hpp"

#include <sentences/commands.hpp>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "experiments/config/config_file.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/results/folder_damage.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/row.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/run_files.hpp"
#include "problems/core/error.hpp"

namespace alidade::commands {
namespace {

namespace fs = std::filesystem;

/// The content of a map's folder; "traces" is a folder with one file. Several maps are embedding.ASPECT.csv, .npy.
constexpr std::array<std::string_view, 12> kMapFiles = {
    "embedding.csv", "embedding.npy",        "ellipses.csv",  "violated.csv", "annotators.csv", "aspect_errors.csv",
    "heldout.csv",   "config.resolved.toml", "manifest.json", "report.html",  kRowsFile,        "traces"};

/// The files of maps, ellipses, violated triplets and annotators in a folder of `embed`.
std::vector<fs::path> maps_in(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const fs::path& path : paths_in(folder)) {
    const std::string name = path.filename().string();
    const bool map = name.starts_with("embedding.") || name.starts_with("ellipses.") || name.starts_with("violated.") ||
                     name == "annotators.csv" || name == "aspect_errors.csv" || name == "heldout.csv";
    if (map && (name.ends_with(".csv") || name.ends_with(".npy") || name.ends_with(kProjectorEnding)))
      out.push_back(path);
  }
  return out;
}

/// What the names of unfinished folders of this machine end with, but for the number of the process.
std::string part_of_this_host() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"host"};
  return fmt::format(".part-{}-", host.data());
}

constexpr std::string_view kTraces = "traces", kEarlier = "earlier", kPage = "report.html";

/// The unfinished folders whose names are `unnumbered` and the number of a process that was killed: it is not here, and
/// the folder is not locked by one in another container, where numbers differ. None where they
/// cannot be seen: a folder may be written in without being read.
std::vector<fs::path> unfinished(const fs::path& unnumbered) {
  const std::string prefix = unnumbered.filename().string();
  std::vector<fs::path> out;
  try {
    for (const fs::path& path : paths_in(unnumbered.parent_path())) {
      const std::string name = path.filename().string();
      if (!name.starts_with(prefix)) continue;
      pid_t process = 0;
      const bool numbered = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), process).ptr ==
                            name.data() + name.size();
      const bool gone = numbered && process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
      if (gone && !FolderLock::is_held(path) && (is_there(path / kTraces) || paths_in(path).empty()))
        out.push_back(path);
    }
  } catch (const DataError&) {
    return {};
  }
  return out;
}

/// Removes unfinished folders. What tells that a folder is one goes last: a sweep may be killed, too.
void sweep(const std::vector<fs::path>& folders) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    try {
      for (const fs::path& path : paths_in(folder))
        if (path.filename() != kTraces) fs::remove_all(path, ignored);
    } catch (const DataError&) {  // it is left to a later sweep
    }
    fs::remove_all(folder, ignored);
  }
}

/// Moves files to and from a folder, and can take all of it back.
class Moves {
 public:
  /// Gives `from` the name `to`. A file of that name changes places with it, at once where the file system can.
  void put(const fs::path& from, const fs::path& to, std::error_code& code) {
    if (code) return;
    const bool taken = is_there(to);
    if (taken && ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
      done_.push_back({from, to, true});
      return;
    }
    fs::rename(from, to, code);
    if (!code && !taken) done_.push_back({from, to, false});
  }
  void take_back() {
    std::error_code ignored;
    for (auto move = done_.rbegin(); move != done_.rend(); ++move)
      if (!move->exchanged ||
          ::renameat2(AT_FDCWD, move->from.c_str(), AT_FDCWD, move->to.c_str(), RENAME_EXCHANGE) != 0)
        fs::rename(move->to, move->from, ignored);
    done_.clear();
  }

 private:
  struct Move {
    fs::path from, to;
    bool exchanged;
  };
  std::vector<Move> done_;
};

}  // namespace

MapFolder::MapFolder(const fs::path& place, bool replace) : place_(place.lexically_normal()) {
  require<ConfigError>(!place_.empty(), "-o needs the name of a folder, not ''.");
  if (!place_.has_filename()) place_ = place_.parent_path();  // "out/"
  fresh_ = !is_there(place_);
  const fs::path unnumbered = fresh_ ? fs::path(place_.string() + part_of_this_host()) : place_ / part_of_this_host();
  std::vector<fs::path> swept = unfinished(unnumbered);
  // One that was killed while it put a map in its place; its folder stays until a map is complete.
  const auto broken_off =
      std::ranges::partition(swept, [](const fs::path& path) { return !is_there(path / kEarlier); });
  if (!fresh_ && broken_off.empty()) require_free(replace);
  broken_off_.assign(broken_off.begin(), broken_off.end());
  swept.erase(broken_off.begin(), broken_off.end());
  sweep(swept);
  pending_ = unnumbered.string() + std::to_string(::getpid());
  if (is_there(pending_)) sweep({pending_});  // of a process that had the same number
  made_ = pending_;                           // the topmost folder that we may remove
  for (fs::path up = pending_.parent_path(); fresh_ && !up.empty() && !is_there(up); up = up.parent_path()) made_ = up;
  std::error_code code;
  fs::create_directories(pending_ / kTraces, code);
  if (code) remove();
  require<DataError>(!code, "Cannot write {}: {}. Choose another folder with -o.", place_.string(), code.message());
  held_ = FolderLock(pending_);
}

MapFolder::~MapFolder() {
  if (!committed_) remove();
}

void MapFolder::remove() const {
  sweep({pending_});
  std::error_code ignored;
  fs::remove_all(made_, ignored);
}

void MapFolder::commit() {
  std::error_code code;
  if (fresh_) {
    fs::rename(pending_, place_, code);
    require<DataError>(!code, "Cannot write {}: {}. Choose another folder with -o.", place_.string(), code.message());
  } else {
    replace_earlier();
  }
  committed_ = true;
  for (fs::path at = place_; at != made_.parent_path() && at.has_filename(); at = at.parent_path())
    sync_folder(at.parent_path());
}

void MapFolder::require_free(bool replace) const {
  require<DataError>(fs::is_directory(place_), "{} is not a folder. Choose another folder with -o.", place_.string());
  const bool map = !maps_in(place_).empty() && is_there(place_ / kRowsFile);
  require<DataError>(map || !is_there(place_ / kRowsFile), words::kFolderOfExperiment, place_.string());
  for (const std::string_view name : kMapFiles)
    require<DataError>(map || !is_there(place_ / name), words::kFolderOfOther, place_.string(), name);
  require<DataError>(replace || !map, words::kFolderOfMap, place_.string());
}

// At every moment the folder has a map and a row, so that a killed command can be given again; the row comes last.
void MapFolder::replace_earlier() {
  const FolderLock alone(place_);  // or two commands would mix their maps
  const std::vector<fs::path> stale_traces = earlier_traces(), stale_maps = maps_in(place_),
                              traces = paths_in(pending_ / kTraces), files = paths_in(pending_);
  const fs::path out_of_use = pending_ / kEarlier;
  std::error_code code;
  fs::create_directory(out_of_use, code);
  if (!code) fs::create_directory(place_ / kTraces, code);
  Moves moves;
  try {
    for (const fs::path& trace : traces) moves.put(trace, place_ / kTraces / trace.filename(), code);
    for (const fs::path& file : files)
      if (file.filename() != kRowsFile && file.filename() != kTraces) moves.put(file, place_ / file.filename(), code);
    const auto put_away = [&](const std::vector<fs::path>& stale, const std::vector<fs::path>& fresh) {
      for (const fs::path& file : stale)
        if (std::ranges::find(fresh, file.filename(), &fs::path::filename) == fresh.end())
          moves.put(file, out_of_use / file.filename(), code);
    };
    put_away(stale_maps, files);
    if (is_there(place_ / kPage)) put_away({place_ / kPage}, files);
    put_away(stale_traces, traces);
    moves.put(pending_ / kRowsFile, place_ / kRowsFile, code);
    require<DataError>(!code, "Cannot write {}: {}. Choose another folder with -o.", place_.string(), code.message());
  } catch (...) {
    moves.take_back();
    throw;
  }
  sync_folder(place_ / kTraces);
  sync_folder(place_);
  broken_off_.push_back(pending_);
  sweep(broken_off_);
}

/// Those that the earlier row names. A damaged row names none; one that cannot be read is an error.
std::vector<fs::path> MapFolder::earlier_traces() const {
  const fs::path rows = place_ / kRowsFile;
  const std::optional<std::string> text = content_if_there(rows);
  if (!text) return {};
  std::vector<std::string> names;
  try {
    const Value row = parse_json(*text, rows.string());
    if (const ValueTable* table = row.get_if<ValueTable>()) names.push_back(text_field(*table, "files.trace"));
  } catch (const DataError&) {
  }
  std::vector<fs::path> out;
  for (const fs::path name : names)
    if (name.has_filename() && is_there(place_ / kTraces / name.filename()))
      out.push_back(place_ / kTraces / name.filename());
  return out;
}

std::optional<std::string> note_on_map(const fs::path& folder) {
  std::string damage = is_file(folder / kRowsFile) ? damage_in(folder, read_rows(folder)).note(folder) : "";
  return damage.empty() ? std::nullopt : std::optional(std::move(damage));
}

WrittenMap write_map(MapFolder& folder, const Experiment& experiment, RunResult& result,
                     const std::vector<std::string>& command, const ReportOptions& page, std::stop_token stop,
                     bool cut) {
  const fs::path& to = folder.path();
  FileBatch batch(std::move(stop));
  ResultRow::Files files = write_maps(batch, to, result, map_stems("embedding", result.embedding),
                                      map_stems("ellipses", result.embedding), "annotators.csv");
  if (!cut) write_violations(batch, to, result, map_stems("violated", result.embedding), files);
  write_trace(batch, to, result, files);
  if (!result.aspect_errors.rows.empty())
    batch.write(to / "aspect_errors.csv", aspect_errors_to_csv(result.aspect_errors));
  result.row.files = std::move(files);
  const std::string config = to_toml(resolved_config(experiment));
  batch.write(to / kConfigFile, config);
  const ValueTable manifest = make_manifest(experiment.name, command, config);
  batch.write(to / kManifestFile, manifest_text({manifest}));
  WrittenMap out{with_checksum(with_text_field(to_line(result.row), "made_by", text_field(manifest, "id"))), ""};
  batch.write(to / kRowsFile, out.row + "\n");
  batch.commit();
  constexpr Index kQuickPage = 100'000;  // objects; the page of a million takes a second
  if (cut && result.observations.object_count() > kQuickPage) return out;
  try {
    write_report(to, to / kPage, page);
  } catch (const DataError& error) {
    std::string why = error.what();
    if (const auto at = why.find(to.string()); at != std::string::npos)
      why.replace(at, to.string().size(), folder.place().string());
    out.without_page = fmt::format("The map is written, but not its page. {} Then: alidade report {}", why,
                                   shell_word(folder.place().string()));
  }
  return out;
}

}  // namespace alidade::commands
