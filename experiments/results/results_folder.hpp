// The folder of an experiment's results, open for writing by one process: which runs are done, and the file that new
// rows are appended to.
// Opening creates its sub-folders, config.resolved.toml and manifest.json.
// An experiment that cannot start leaves no new files.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/results/folder_damage.hpp"
#include "experiments/results/row.hpp"

namespace alidade {

/// Whether this row's run need not be repeated. Cancelled runs, and runs whose data could not be read, are never final.
/// Failed runs are final unless `retry_failed`.
[[nodiscard]] bool is_final(const ResultRow& row, bool retry_failed);

class ResultsFolder {
 public:
  /// What the folder says of the runs that a command is to do.
  struct Before {
    std::size_t done = 0;            // have a final row, and its files are there
    std::size_t failed = 0;          // of these
    std::size_t without_files = 0;   // have a final row, but a file that it names is missing
    std::size_t unplanned = 0;       // final rows of other runs
    std::size_t with_more_time = 0;  // rows that a shorter time limit ended
    std::vector<std::string> notes;  // what the user should know, one sentence each
  };

  /// `runs`: those that the command is to do, but for those that are done. If any are left, or if the folder's config
  /// changes, the manifest gets an entry for `command`.
  /// @throws DataError if the folder cannot be written, is in use or holds an experiment with another name.
  ResultsFolder(std::filesystem::path folder, const Experiment& experiment, const std::vector<PlannedRun>& runs,
                bool retry_failed, const std::vector<std::string>& command);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  /// The runs to do now, in the given order.
  [[nodiscard]] const std::vector<PlannedRun>& left() const { return left_; }
  [[nodiscard]] const Before& before() const { return before_; }
  /// Appends a row, with `made_by` and its checksum, and syncs. @throws DataError
  void append(std::string_view row);
  /// Checks that the file of rows is still there, and as this command read and wrote it. @throws DataError
  void require_rows() const { rows_->require_unchanged(); }
  /// Replaces all rows by `rows`, whole lines. @throws DataError
  void replace(std::string_view rows) { rows_->replace(rows); }
  /// Adds those of `entries` that manifest.json lacks; rows appended from now on name the last. A manifest that cannot
  /// be read is kept as manifest.json.damaged-1, with a note. @throws DataError
  void add_to_manifest(const std::vector<ValueTable>& entries);
  /// For a forked child: see LineFile.
  void let_go() { rows_->let_go(); }

 private:
  /// Notes which other programs did the runs that are done; `done`: how many, by `made_by`.
  void note_other_programs(const std::map<std::string, std::size_t>& done);
  /// Notes what of the folder is not as it was written.
  void note_damage(std::span<const Row> rows);
  void write_config(const Experiment& experiment, const std::vector<std::string>& command);

  std::filesystem::path folder_;
  std::optional<LineFile> rows_;
  std::vector<PlannedRun> left_;
  Before before_;
  std::string made_by_;  // id of this command's entry
};

}  // namespace alidade
