// The folder of an experiment's results, open for writing by one process: what it holds already, and the file of
// rows to which those of new runs are appended.
// Opened, it has its sub-folders, config.resolved.toml and manifest.json; an experiment that can not begin leaves
// nothing behind that was not there.
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

/// Whether the run of this row need not be done again. Runs that were cancelled, or whose data could not be read, are
/// never final; those that failed are unless they are to be retried.
[[nodiscard]] bool is_final(const ResultRow& row, bool retry_failed);

class ResultsFolder {
 public:
  /// @throws DataError if the folder can not be written, is in use or holds another experiment (by name).
  ResultsFolder(std::filesystem::path folder, const Experiment& experiment, bool retry_failed,
                const std::vector<std::string>& command);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  /// Of runs with a final row: their ids; and of those the ids of runs that failed.
  [[nodiscard]] const std::set<std::string>& finished() const { return finished_; }
  [[nodiscard]] const std::set<std::string>& failed_before() const { return failed_before_; }
  /// Appends a row, synced. @throws DataError
  void append(std::string_view row) { rows_->append(row); }
  /// Puts `rows`, whole lines, in the place of all there are. @throws DataError
  void replace(std::string_view rows) { rows_->replace(rows); }
  /// For a forked child: see LineFile.
  void let_go() { rows_->let_go(); }

 private:
  std::filesystem::path folder_;
  std::optional<LineFile> rows_;
  std::set<std::string> finished_, failed_before_;
};

}  // namespace alidade
