#include "experiments/results/results_folder.hpp"

#include "experiments/config/config_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/results/manifest.hpp"
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
  /// Records which of `path` and the folders above it do not exist yet.
  void note(const std::filesystem::path& path) {
    std::error_code ignored;
    if (path.empty() || std::filesystem::exists(path, ignored)) return;
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

ResultsFolder::ResultsFolder(std::filesystem::path folder, const Experiment& experiment, bool retry_failed,
                             const std::vector<std::string>& command)
    : folder_(std::move(folder)) {
  Beginnings beginnings;
  const std::filesystem::path rows_path = folder_ / kRowsFile;
  for (const char* part : {"embeddings", "traces", "logs"}) {
    beginnings.note(folder_ / part);
    make_folder(folder_ / part);
  }
  beginnings.note(rows_path);
  try {
    rows_.emplace(rows_path);
  } catch (const DataError&) {
    std::error_code ignored;
    if (std::filesystem::exists(rows_path, ignored)) beginnings.keep();  // another process owns it
    throw;
  }
  const RowFile existing = read_row_file(rows_path);
  std::vector<ResultRow> rows;
  for (const Table& table : existing.rows) {
    const ResultRow& row = rows.emplace_back(row_of(table));
    require<DataError>(row.experiment == experiment.name,
                       "{} holds the results of the experiment '{}', but this one is '{}'. Choose "
                       "another folder with --out.",
                       folder_.string(), row.experiment, experiment.name);
  }
  rows_->go_on_after(existing.sound_bytes, existing.needs_newline);
  for (const ResultRow& row : rows) {
    if (!is_final(row, retry_failed)) continue;
    finished_.insert(row.run_id);
    if (row.status == RunStatus::failed) failed_before_.insert(row.run_id);
  }
  for (const char* name : {"config.resolved.toml", "manifest.json"}) beginnings.note(folder_ / name);
  write_whole_file(folder_ / "config.resolved.toml", to_toml(resolved_config(experiment)));
  write_whole_file(folder_ / "manifest.json", to_pretty_json(make_manifest(experiment.name, command)));
  beginnings.keep();
}

}  // namespace alidade
