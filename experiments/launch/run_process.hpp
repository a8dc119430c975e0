// One run of an experiment as a child process: the checks before it, the work of the child, and the row made from its
// end, whichever process started it.
// The child writes the run's map, trace and log below the results folder.
// It sends the row back, and one process appends it.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "experiments/config/experiment.hpp"
#include "experiments/launch/process_pool.hpp"
#include "experiments/results/row.hpp"
#include "experiments/run/loaded_data.hpp"

namespace alidade {

/// Where the runs of an experiment execute, and with what resources.
struct RunPlace {
  const Experiment& experiment;
  std::filesystem::path folder;  // of results
  int threads = 1;               // in each run
};

/// The log of a run's child, in `folder`: logs/ID.log.
[[nodiscard]] std::filesystem::path log_of(const RunPlace& place, const PlannedRun& run);

[[nodiscard]] PoolLimits limits_of(const Experiment& experiment, int jobs);

/// A row on its way to the process that appends it, with the fields that this process counts, so that it need not parse
/// the line.
struct SentRow {
  RunStatus status = RunStatus::failed;
  std::string log;      // relative to the folder of results; "" if there is none
  std::string line;     // the row, as one line of JSON
  std::string message;  // the row's
};
[[nodiscard]] SentRow sent(const ResultRow& row);
/// The row as one text, and back. @pre of the latter: the text is from the former
[[nodiscard]] std::string to_text(const SentRow& row);
[[nodiscard]] SentRow sent_row(std::string_view text);

/// The row of a run that need not start: its data could not be read, or do not fit its method.
[[nodiscard]] std::optional<ResultRow> row_without_run(const RunPlace& place, const PlannedRun& run,
                                                       const LoadedData::Entry& data);

/// Executes the run and writes its files; `row_of` takes the returned text. @pre data.observations
/// @throws ConfigError, DataError for errors that make the run fail.
[[nodiscard]] std::string carry_out(const RunPlace& place, const PlannedRun& run, const LoadedData::Entry& data,
                                    std::stop_token stop);

/// The row of a run with this outcome. A run that sent no row is "failed", or "cancelled" if it was `interrupted`.
/// @throws DataError if its files could not be written: then the experiment must end.
[[nodiscard]] SentRow row_of(const RunPlace& place, const PlannedRun& run, const ChildOutcome& outcome,
                             bool interrupted);

/// The row of a run that failed before it could report it.
[[nodiscard]] ResultRow failed_row(const RunPlace& place, const PlannedRun& run, const std::string& message);

}  // namespace alidade
