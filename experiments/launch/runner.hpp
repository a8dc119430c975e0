// Executes a plan: each run in its own child, each row appended and synced; it can be resumed at any moment.
// The parent reads each dataset once (once per repeat if it is random) and forks; children inherit it.
// Rows do not depend on the number of jobs or threads, nor on interruptions.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/launch/run_process.hpp"
#include "experiments/launch/shard.hpp"
#include "experiments/results/results_folder.hpp"

namespace alidade {

struct RunnerOptions {
  std::filesystem::path folder;       // of results
  std::filesystem::path data_folder;  // of public data sets
  int jobs = 1;                       // 1 .. 512, as threads
  int threads = 1;                    // in each run
  std::optional<Shard> shard;         // of the plan; without one, the whole plan
  bool in_process = false;            // sequentially in this process, for debuggers
  bool retry_failed = false;
  std::optional<std::set<std::string>> only;  // ids of the runs to do, of those planned; without it, all
  bool progress = false;                      // a line on standard error that overwrites itself
  std::vector<std::string> command;           // for the manifest
};

struct RunnerReport {
  std::size_t planned = 0;        // in the plan or the shard
  std::size_t resumed = 0;        // had a row already
  std::size_t failed_before = 0;  // resumed runs that kept their failed row
  std::size_t without_files = 0;  // had a row, but a file that it names was missing: done again
  std::size_t ok = 0;             // in this call, as the next two
  std::size_t failed = 0;
  std::size_t skipped = 0;
  bool interrupted = false;
  std::size_t unplanned = 0;  // runs with a row in the folder but not in the plan, as of an earlier configuration
  struct Reason {
    RunStatus status = RunStatus::failed;  // or skipped
    std::string message;                   // the same for all of them
    std::string first;                     // "METHOD on DATASET"
    std::string log;                       // of the first, relative to the folder; "" if there is none
    std::size_t runs = 0;
  };
  std::vector<Reason> reasons;     // of this call, in order of appearance
  std::vector<std::string> notes;  // on the folder, one sentence each
  // How data were read that might mean otherwise, each once; of this call's runs, and not of those under mpirun.
  std::vector<std::string> guesses;
};

/// Takes over what the folder says of the runs: how many are done and how many had no files.
void begin_report(RunnerReport& report, const ResultsFolder::Before& before);

/// Counts a run's row as ok, or as failed or skipped with its reason. A cancelled run is not counted.
void count(RunnerReport& report, const Experiment& experiment, const PlannedRun& run, const SentRow& row);

/// The runs of the plan, or of the given shard of it.
[[nodiscard]] std::vector<PlannedRun> planned_runs(const Experiment& experiment, const std::optional<Shard>& shard);

/// Executes the runs that have no row yet, or whose rows name files that are missing. A failed run keeps its row unless
/// `retry_failed`. Cancelled runs, and runs whose data could not be read, are always tried again.
/// @throws ConfigError; DataError if the folder cannot be written, is in use or holds an experiment with another name.
/// If that is noticed before the first run, no new files are left.
RunnerReport run_experiment(const Experiment& experiment, const RunnerOptions& options,
                            const std::function<bool()>& interrupted);

}  // namespace alidade
