// The folder of an experiment's results, open for writing by one process: its finished runs, and the file that new rows
// are appended to.
// Opening creates its sub-folders, config.resolved.toml and manifest.json.
// An experiment that cannot start leaves no new files.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/results/row.hpp"

namespace alidade {

/// Whether this row's run need not be repeated. Cancelled runs, and runs whose data could not be read, are never final.
/// Failed runs are final unless `retry_failed`.
[[nodiscard]] bool is_final(const ResultRow& row, bool retry_failed);

class ResultsFolder {
 public:
  /// @throws DataError if the folder cannot be written, is in use or holds an experiment with another name.
  ResultsFolder(std::filesystem::path folder, const Experiment& experiment, bool retry_failed,
                const std::vector<std::string>& command);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  /// Ids of the runs with a final row, and of those that failed among them.
  [[nodiscard]] const std::set<std::string>& finished() const { return finished_; }
  [[nodiscard]] const std::set<std::string>& failed_before() const { return failed_before_; }
  /// Appends a row and syncs. @throws DataError
  void append(std::string_view row) { rows_->append(row); }
  /// Replaces all rows by `rows`, whole lines. @throws DataError
  void replace(std::string_view rows) { rows_->replace(rows); }
  /// For a forked child: see LineFile.
  void let_go() { rows_->let_go(); }

 private:
  std::filesystem::path folder_;
  std::optional<LineFile> rows_;
  std::set<std::string> finished_, failed_before_;
};

}  // namespace alidade
