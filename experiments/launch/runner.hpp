// Carries out a plan: each run in a child of its own, each row appended and synced, resumable at any moment.
// The parent reads each dataset once (once a repeat where it is random) and forks; children inherit it.
// Rows do not depend on the number of jobs or threads, nor on how often the command was interrupted.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/launch/run_process.hpp"
#include "experiments/launch/shard.hpp"

namespace alidade {

struct RunnerOptions {
  std::filesystem::path folder;       // of results
  std::filesystem::path data_folder;  // of public data sets
  int jobs = 1;                       // 1 .. 512, as threads
  int threads = 1;                    // in each run
  std::optional<Shard> shard;         // of the plan; all of it without
  bool in_process = false;            // one after another in this process, for debuggers
  bool retry_failed = false;
  bool progress = false;             // a line on standard error that overwrites itself
  std::vector<std::string> command;  // for the manifest
};

struct RunnerReport {
  std::size_t planned = 0;        // in all, or in the shard
  std::size_t resumed = 0;        // had a row already
  std::size_t failed_before = 0;  // of those resumed: kept their failed row
  std::size_t ok = 0;             // of this call, as the next two
  std::size_t failed = 0;
  std::size_t skipped = 0;
  bool interrupted = false;
  std::size_t unplanned = 0;  // runs with a row in the folder that are not of the plan, as of an earlier configuration
  struct Reason {
    RunStatus status = RunStatus::failed;  // or skipped
    std::string message;                   // the same for all of them
    std::string first;                     // "METHOD on DATASET"
    std::string log;                       // of the first, relative to the folder; "" where it has none
    std::size_t runs = 0;
  };
  std::vector<Reason> reasons;  // of this call, in the order first met
};

/// Counts the row of a run as ok, failed or skipped, the latter two with their reason; a cancelled one is none of
/// these.
void count(RunnerReport& report, const Experiment& experiment, const PlannedRun& run, const SentRow& row);

/// The runs of the plan, or of the shard of it that is asked for.
[[nodiscard]] std::vector<PlannedRun> planned_runs(const Experiment& experiment, const std::optional<Shard>& shard);

/// Runs what has no row yet. A run that failed keeps its row unless `retry_failed`; runs that were cancelled
/// or whose data could not be read are always tried again.
/// @throws ConfigError, DataError if the folder can not be written, is in use or holds another experiment (by
/// name); if that is noticed before the first run, nothing is left behind that was not there.
RunnerReport run_experiment(const Experiment& experiment, const RunnerOptions& options,
                            const std::function<bool()>& interrupted);

}  // namespace alidade
