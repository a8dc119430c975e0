#include "experiments/results/folder_check.hpp"

#include <fmt/core.h>
#include <sentences/results.hpp>

#include <algorithm>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/notes.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/results_folder.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;

/// The names of the files in a folder, sorted; none if there is no such folder.
std::vector<std::string> names_in(const fs::path& folder) {
  return mapped(paths_in(folder), [](const fs::path& path) { return path.filename().string(); });
}

/// The last row of each run.
using LastRows = std::map<std::string, const RowLine*, std::less<>>;

LastRows last_rows(const std::vector<RowLine>& lines) {
  LastRows out;
  for (const RowLine& line : lines)
    if (line.state == RowLine::State::row) out.insert_or_assign(line.row.run_id, &line);
  return out;
}

bool has_final_row(const LastRows& rows, const std::string& run_id) {
  const auto entry = rows.find(run_id);
  return entry != rows.end() && is_final(entry->second->row, false);
}

void check_files(const fs::path& folder, const LastRows& rows, FolderCheck& out) {
  for (const auto& [id, line] : rows) {
    const Row& row = line->row;
    for (const NamedFile& file : files_of(row)) {
      ++out.files;
      const NamedFileState state = file_state(folder, file);
      if (state == NamedFileState::unchecked) ++out.unchecked_files;
      if (is_lost(state)) out.lost_files.push_back({id, description_of(row), file.name, state});
    }
    if (const auto log = log_of(row); log && file_state_of_log(folder, *log) == NamedFileState::changed)
      out.changed_logs.push_back(log->name);
  }
}

/// Rows that are nowhere but in files kept aside.
void check_asides(const fs::path& folder, const LastRows& rows, FolderCheck& out) {
  const std::string experiment = rows.empty() ? "" : rows.begin()->second->row.experiment;
  std::set<std::string> seen;
  for (const std::string& name : names_in(folder)) {
    if (!name.starts_with(std::string(kRowsFile) + ".aside-")) continue;
    FolderCheck::Aside aside{name, {}};
    const std::string content = content_if_there(folder / name).value_or("");
    for (RowLine& line : row_lines(content, (folder / name).string())) {
      if (line.state != RowLine::State::row) continue;
      const std::string id = line.row.run_id;
      const Row& row = line.row;
      const bool fits = !id.empty() && is_final(row, false) && (experiment.empty() || row.experiment == experiment);
      if (fits && lost_file(folder, row).empty() && !has_final_row(rows, id) && seen.insert(id).second)
        aside.lacking.push_back(std::move(line));
    }
    out.asides.push_back(std::move(aside));
  }
}

/// Runs that an earlier repair took out and that were not done since.
void check_moved(const fs::path& folder, const LastRows& rows, FolderCheck& out) {
  const MovedLines moved = read_moved_lines(folder);
  out.unknown_lines = moved.unknown;
  for (const std::string& id : moved.run_ids)
    if (!has_final_row(rows, id)) out.lost_runs.insert(id);
}

void find_unnamed(const fs::path& folder, FolderCheck& out) {
  std::set<std::string, std::less<>> named;
  for (const RowLine& line : out.lines) {
    const Row& row = line.row;
    for (const NamedFile& file : files_of(row)) {
      named.insert(file.name);
      if (file.name.ends_with(".csv")) named.insert(file.name.substr(0, file.name.size() - 4) + ".npy");
    }
    if (row.files && row.files->log) named.insert(*row.files->log);
  }
  std::set<std::string, std::less<>> known_runs(out.lost_runs.begin(), out.lost_runs.end());  // lost their rows
  for (const RowLine* line : out.bad_lines()) known_runs.insert(run_id_in(line->text));
  for (const FolderCheck::Aside& aside : out.asides)
    for (const RowLine& line : aside.lacking) known_runs.insert(line.row.run_id);
  for (const std::string kind : {"embeddings", "traces", "logs"})
    for (const std::string& name : names_in(folder / kind)) {
      const std::string file = kind + "/" + name;
      if (is_kept_aside(name))
        ++out.damaged_files_kept;
      else if (!named.contains(file) && !known_runs.contains(name.substr(0, name.find('.'))))
        out.unnamed.push_back(file);
    }
}

/// Whether manifest.json and config.resolved.toml are as commands wrote them, and name what made the rows.
void check_origins(const fs::path& folder, const LastRows& last, FolderCheck& out) {
  const std::string manifest = (folder / kManifestFile).string(), config = (folder / kConfigFile).string();
  std::vector<Row> rows;
  for (const RowLine& line : out.lines)  // in their order
    if (line.state == RowLine::State::row && last.find(line.row.run_id)->second == &line) rows.push_back(line.row);
  const Origins checked = read_origins(folder, rows);
  out.changed_origins = checked.changed;
  const std::string unnamed = counted(checked.unnamed, "row");
  if (checked.changed.empty() && checked.manifest_damaged())
    out.changed_origins.push_back(fmt::format("{} does not name what made {}.", manifest, unnamed));
  else if (checked.unnamed > 0 && !checked.manifest_there && !checked.manifest_kept)
    out.faults.push_back(fmt::format(words::kManifestMissing, manifest, unnamed));
  else if (checked.unnamed > 0 && checked.changed.empty())
    add_note(out, words::kDamagedManifest, unnamed, kManifestFile, kDamaged);
  else
    add_note(out, origins(rows, checked.entries));
  if (checked.config_changed)
    out.changed_origins.push_back(fmt::format("{} was changed after it was written.", config));
  if (checked.config_missing) out.faults.push_back(fmt::format("{} is missing. {}", config, remedy_of_config(folder)));
}

}  // namespace

std::vector<const RowLine*> FolderCheck::bad_lines() const {
  auto out = mapped(lines, [](const RowLine& line) { return &line; });
  std::erase_if(out, [](const RowLine* line) {
    return line->state == RowLine::State::row || line->state == RowLine::State::blank;
  });
  return out;
}

bool FolderCheck::needs_repair() const {
  return !has_rows_file || !bad_lines().empty() || !lost_files.empty() || !lost_runs.empty() || !changed_logs.empty() ||
         !changed_origins.empty() ||
         std::ranges::any_of(asides, [](const Aside& aside) { return !aside.lacking.empty(); });
}

UndoneRuns undone_runs(const FolderCheck& check, const std::vector<PlannedRun>& planned) {
  const LastRows rows = last_rows(check.lines);
  std::set<std::string, std::less<>> of_repair(check.lost_runs.begin(), check.lost_runs.end()), with_files;
  std::size_t unknown = 0;  // lines that may be of any run
  for (const RowLine* line : check.bad_lines()) {
    const std::string id = run_id_in(line->text);
    id.empty() ? static_cast<void>(++unknown) : static_cast<void>(of_repair.insert(id));
  }
  for (const FolderCheck::Aside& aside : check.asides)
    for (const RowLine& line : aside.lacking) of_repair.insert(line.row.run_id);
  for (const std::string& file : check.unnamed) {
    const std::string name = fs::path(file).filename().string();
    with_files.insert(name.substr(0, name.find('.')));
  }
  UndoneRuns out;
  out.planned = planned.size();
  for (const PlannedRun& run : planned) {
    if (has_final_row(rows, run.id) || of_repair.contains(run.id)) continue;
    ++out.undone;
    if (rows.contains(run.id))
      ++out.with_row;
    else if (with_files.contains(run.id))
      out.with_files.insert(run.id);
  }
  return out.undone <= unknown ? UndoneRuns{planned.size()} : out;  // repair takes them to be these
}

std::string remedy_of_config(const fs::path& folder) {
  if (is_map_folder(folder)) return fmt::format("Make the map again; {} has the command.", kManifestFile);
  return fmt::format(words::kWriteConfigAgain, folder.string());
}

void require_results_folder(const fs::path& folder) {
  const bool has_rows = std::ranges::any_of(names_in(folder), [](const std::string& name) {
    return name == kRowsFile || name.starts_with(std::string(kRowsFile) + ".aside-");
  });
  require<DataError>(has_rows || !is_there(folder / kConfigFile), words::kRowsMissing, folder.string(), kRowsFile,
                     shell_word((folder / kConfigFile).string()), shell_word(folder.string()));
  require<DataError>(has_rows, words::kNoResultsFolder, folder.string(), kRowsFile);
}

MovedLines read_moved_lines(const fs::path& folder) {
  MovedLines out;
  const std::string content = content_if_there(folder / kBadRowsFile).value_or("");
  for (const RowLine& line : row_lines(content, (folder / kBadRowsFile).string())) {
    if (line.state != RowLine::State::row) continue;
    out.texts.insert(text_field(line.row, "text"));
    const std::string id = line.row.run_id;
    if (id.empty())
      ++out.unknown;
    else
      out.run_ids.insert(id);
  }
  return out;
}

FolderCheck check_folder(const fs::path& folder) {
  require_results_folder(folder);
  FolderCheck out;
  const fs::path file = folder / kRowsFile;
  const std::optional<std::string> content = content_if_there(file);
  out.has_rows_file = content.has_value();
  if (content) out.lines = row_lines(*content, file.string());
  for (RowLine& line : out.lines) {
    if (line.state == RowLine::State::cut)
      line.fault = at_line(file.string(), line.number) + ": The last line is incomplete, perhaps after a crash.";
    if (line.state != RowLine::State::row) continue;
    ++out.rows;
    if (!line.checked) ++out.unchecked_rows;
  }
  const LastRows rows = last_rows(out.lines);
  for (const auto& [id, line] : rows) ++out.runs[line->row.status];
  check_files(folder, rows, out);
  check_asides(folder, rows, out);
  check_moved(folder, rows, out);
  find_unnamed(folder, out);
  check_origins(folder, rows, out);
  return out;
}

std::string run_id_in(std::string_view line) {
  constexpr std::string_view kKey = "\"run_id\":\"", kHex = "0123456789abcdef";
  constexpr std::size_t kSize = 16;
  const auto at = line.find(kKey);
  if (at == line.npos) return "";
  const std::string_view id = line.substr(at + kKey.size(), kSize);
  const bool whole = id.size() == kSize && id.find_first_not_of(kHex) == id.npos &&
                     line.substr(at + kKey.size() + kSize).starts_with('"');
  return whole ? std::string(id) : "";
}

}  // namespace alidade
