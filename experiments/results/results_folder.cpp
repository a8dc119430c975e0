#include "experiments/results/results_folder.hpp"

#include <sentences/results.hpp>

#include <algorithm>
#include <map>

#include "experiments/config/config_file.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/notes.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/row.hpp"
#include "experiments/results/row_files.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

/// Folders and files that the start of an experiment creates. The destructor removes them unless `keep` was called, so
/// an experiment that could not start leaves nothing behind.
class Beginnings {
 public:
  ~Beginnings() {
    std::error_code ignored;
    for (auto it = made_.rbegin(); it != made_.rend(); ++it) std::filesystem::remove(*it, ignored);
  }
  Beginnings() = default;
  Beginnings(const Beginnings&) = delete;
  Beginnings& operator=(const Beginnings&) = delete;
  /// Records which of `path` and the folders above it do not exist yet. @throws DataError if this cannot be known: what
  /// was there before would be removed
  void note(const std::filesystem::path& path) {
    if (path.empty() || is_there(path)) return;
    note(path.parent_path());
    made_.push_back(path);
  }
  void keep() { made_.clear(); }

 private:
  std::vector<std::filesystem::path> made_;  // parents first
};

}  // namespace

bool is_final(const ResultRow& row, bool retry_failed) {
  if (row.status == RunStatus::cancelled) return false;
  if (row.status == RunStatus::failed) return !retry_failed && row.termination != "not_started";
  return true;
}

namespace {

/// Whether a shorter time limit than this ended the run. Where a map is fitted twice, the first fit has half.
bool has_more_time(const ResultRow& row, const std::optional<double>& limit) {
  if (row.status != RunStatus::ok || row.termination != "time_limit" || !row.seconds) return false;
  const double share = row.refit ? 0.45 : 0.95;
  return !limit || row.seconds->total.value_or(0) < share * *limit;
}

}  // namespace

ResultsFolder::ResultsFolder(std::filesystem::path folder, const Experiment& experiment,
                             const std::vector<PlannedRun>& runs, bool retry_failed,
                             const std::vector<std::string>& command)
    : folder_(std::move(folder)) {
  Beginnings beginnings;
  const std::filesystem::path rows_path = folder_ / kRowsFile;
  for (const char* part : {"embeddings", "traces", "logs"}) {
    beginnings.note(folder_ / part);
    make_folder(folder_ / part);
    require<DataError>(!std::filesystem::is_symlink(folder_ / part), words::kSymbolicLink, (folder_ / part).string());
  }
  beginnings.note(rows_path);
  try {
    rows_.emplace(rows_path);
  } catch (const DataError&) {
    std::error_code unknown;
    if (std::filesystem::exists(rows_path, unknown) || unknown) beginnings.keep();  // another process owns it
    throw;
  }
  const RowFile existing = read_row_file(rows_path);
  struct FinalRow {
    RunStatus status;
    bool has_files, replaced;
    std::string dataset, content, made_by;
  };
  std::map<std::string, FinalRow> final_rows;
  const std::vector<bool> others = of_other_settings(existing.rows, ids_of_plan(experiment, existing.rows));
  FileListing files(folder_);
  for (std::size_t i = 0; i < existing.rows.size(); ++i) {
    const Row& row = existing.rows[i];
    require<DataError>(row.experiment == experiment.name, words::kOtherExperiment, folder_.string(), row.experiment,
                       experiment.name);
    if (has_more_time(row, experiment.timeout_seconds))
      ++before_.with_more_time;
    else if (is_final(row, retry_failed))
      final_rows[row.run_id] = {row.status,     files.has_files_of(row),          others[i],
                                row.dataset.id, row.dataset.content.value_or(""), row.made_by.value_or("")};
  }
  note_damage(existing.rows);
  rows_->go_on_after(existing.sound_bytes, existing.needs_newline);
  std::map<std::string, std::size_t> of_program;  // runs done, by `made_by`
  for (const PlannedRun& run : runs) {
    const auto entry = final_rows.find(run.id);
    if (entry != final_rows.end() && entry->second.has_files) {
      ++before_.done;
      if (entry->second.status == RunStatus::failed) ++before_.failed;
      ++of_program[entry->second.made_by];
    } else {
      left_.push_back(run);
      if (entry != final_rows.end()) ++before_.without_files;
    }
  }
  if (before_.with_more_time > 0)
    add_note(before_, "{} by a shorter time limit before, and {} again.",
             counted(before_.with_more_time, "run was ended", "runs were ended"),
             before_.with_more_time == 1 ? "is done" : "are done");
  before_.unplanned = final_rows.size() - before_.done - before_.without_files;
  for (const DatasetSetup& setup : experiment.datasets) {
    const auto note = [&](std::size_t count, std::string_view why, std::string_view what) {
      before_.unplanned -= count;
      if (count > 0) add_note(before_, words::kRunsOfOtherPlans, folder_.string(), counted(count, "run"), why, what);
    };
    std::size_t of_other_data = 0, with_other_settings = 0;
    for (const auto& [id, row] : final_rows) {
      if (row.dataset != setup.id) continue;
      if (!row.content.empty() && row.content != setup.content)
        ++of_other_data;
      else if (row.replaced)
        ++with_other_settings;
    }
    note(of_other_data, fmt::format("on other data: the files of '{}' have changed since", setup.id), "data");
    note(with_other_settings, fmt::format("on '{}' with other settings, such as another method or seed", setup.id),
         "settings");
  }
  if (!left_.empty()) note_other_programs(of_program);
  for (const std::string_view name : {kConfigFile, kManifestFile}) beginnings.note(folder_ / name);
  write_config(experiment, command);
  beginnings.keep();
}

void ResultsFolder::write_config(const Experiment& experiment, const std::vector<std::string>& command) {
  const std::string config = to_toml(resolved_config(experiment));
  const std::optional<std::string> before = content_if_there(folder_ / kConfigFile);
  bool changes = before && *before != config;
  if (changes && left_.empty()) {  // back to that of an earlier entry
    try {
      changes = !names_config(read_manifest(folder_), config);
    } catch (const DataError&) {  // it is damaged, and gets a new entry
    }
  }
  // Before the config: killed between both, the folder has the config of an earlier entry.
  if (!left_.empty() || changes) add_to_manifest({make_manifest(experiment.name, command, config)});
  write_whole_file(folder_ / kConfigFile, config);
}

void ResultsFolder::note_other_programs(const std::map<std::string, std::size_t>& done) {
  const std::string here = program_text(make_manifest("", {}, ""));
  std::map<std::string, std::size_t> others;
  try {
    for (const ValueTable& entry : read_manifest(folder_))
      if (const auto of_entry = done.find(text_field(entry, "id")); of_entry != done.end())
        if (std::string program = program_text(entry); program != here) others[std::move(program)] += of_entry->second;
  } catch (const DataError&) {  // it is damaged: that is said where it is written
  }
  for (const auto& [program, runs] : others)
    add_note(before_, "{} before by {}; this is {}. Digits may differ.",
             counted(runs, "run was done", "runs were done"), program, here);
}

void ResultsFolder::note_damage(std::span<const Row> rows) {
  FolderDamage damage = damage_in(folder_, rows);
  damage.missing.clear();  // those runs are done again
  if (std::erase(damage.changed, kConfigFile) > 0)
    add_note(before_, words::kConfigRewritten, (folder_ / kConfigFile).string());
  add_note(before_, damage.note(folder_));
}

void ResultsFolder::append(std::string_view row) {
  rows_->append(with_checksum(with_text_field(row, "made_by", made_by_)));
}

void ResultsFolder::add_to_manifest(const std::vector<ValueTable>& entries) {
  const std::filesystem::path file = folder_ / kManifestFile;
  const std::optional<std::string> before = content_if_there(file);
  std::vector<ValueTable> all;
  try {
    if (before) all = parse_manifest(*before, file.string());
  } catch (const DataError&) {  // it is damaged
    add_note(before_, words::kManifestKept, file.string(), keep_damaged(file).filename().string());
  }
  for (const ValueTable& entry : entries)
    if (std::ranges::find(all, entry) == all.end()) all.push_back(entry);
  made_by_ = text_field(entries.back(), "id");
  write_whole_file(file, manifest_text(all));
}

}  // namespace alidade
