#include "experiments/launch/runner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "experiments/launch/process_pool.hpp"
#include "experiments/launch/run_watch.hpp"
#include "experiments/results/results_folder.hpp"
#include "experiments/run/loaded_data.hpp"
#include "experiments/run/run.hpp"
#include "solvers/semidefinite/blas.hpp"

namespace alidade {
namespace {

class Progress {
 public:
  Progress(bool shown, std::size_t total) : shown_(shown), total_(total), begin_(Clock::now()) {}
  void update(std::size_t ended, std::size_t failed) {
    const auto now = Clock::now();
    if (!shown_ || (ended == ended_ && now - last_ < std::chrono::seconds(1))) return;
    ended_ = ended;
    last_ = now;
    const double elapsed = std::chrono::duration<double>(now - begin_).count();
    std::string left = "estimating";
    if (ended > 0)
      left = "about " + human(elapsed / static_cast<double>(ended) * static_cast<double>(total_ - ended)) + " left";
    fmt::print(stderr, "\r\033[K{}/{} runs, {} failed, {} elapsed, {}", ended, total_, failed, human(elapsed), left);
    std::fflush(stderr);
  }
  void end() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  using Clock = std::chrono::steady_clock;
  static std::string human(double seconds) {
    if (seconds < 90) return fmt::format("{:.0f} s", seconds);
    if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
  }
  bool shown_;
  std::size_t total_;
  std::size_t ended_ = static_cast<std::size_t>(-1);
  Clock::time_point begin_, last_;
};

}  // namespace

void count(RunnerReport& report, const Experiment& experiment, const PlannedRun& run, const SentRow& row) {
  if (row.status == RunStatus::ok) ++report.ok;
  if (row.status != RunStatus::skipped && row.status != RunStatus::failed) return;
  ++(row.status == RunStatus::skipped ? report.skipped : report.failed);
  const auto known = std::ranges::find_if(report.reasons, [&](const RunnerReport::Reason& r) {
    return r.status == row.status && r.message == row.message;
  });
  if (known != report.reasons.end()) {
    ++known->runs;
    return;
  }
  report.reasons.push_back(
      {row.status, row.message,
       fmt::format("{} on {}", experiment.methods[run.method].id, experiment.datasets[run.dataset].id), row.log, 1});
}

std::vector<PlannedRun> planned_runs(const Experiment& experiment, const std::optional<Shard>& shard) {
  std::vector<PlannedRun> runs = plan(experiment);
  if (shard) {
    const std::vector<std::size_t> shards = shards_of_plan(runs.size(), shard->count);
    std::erase_if(runs, [&](const PlannedRun& run) { return shards[run.index] != shard->number; });
  }
  return runs;
}

RunnerReport run_experiment(const Experiment& experiment, const RunnerOptions& options,
                            const std::function<bool()>& interrupted) {
  require_process_count("--jobs", options.jobs);
  require_process_count("--threads", options.threads);
  std::vector<PlannedRun> runs = planned_runs(experiment, options.shard);
  RunnerReport report;
  report.planned = runs.size();

  ResultsFolder folder(options.folder, experiment, options.retry_failed, options.command);
  for (const PlannedRun& run : runs)
    if (folder.failed_before().contains(run.id)) ++report.failed_before;
  std::erase_if(runs, [&](const PlannedRun& run) { return folder.finished().contains(run.id); });
  report.resumed = report.planned - runs.size();
  report.unplanned = folder.finished().size() - report.resumed;

  const RunPlace place{experiment, options.folder, options.threads};
  LoadedData data(experiment, runs, options.data_folder);
  Progress progress(options.progress, runs.size());
  const auto keep = [&](const PlannedRun& run, const SentRow& row) {
    count(report, experiment, run, row);
    folder.append(row.line);
    data.release(run);
  };
  const auto ended = [&] { return report.ok + report.failed + report.skipped; };

  PoolJobs jobs;
  jobs.count = runs.size();
  jobs.prepare = [&](std::size_t j) {
    const std::optional<ResultRow> row = row_without_run(place, runs[j], data.get(runs[j]));
    if (row) keep(runs[j], sent(*row));
    return !row;
  };
  jobs.settle = settle_blas_memory;
  jobs.work = [&](std::size_t j, std::stop_token stop) {
    if (!options.in_process) folder.let_go();
    return carry_out(place, runs[j], data.get(runs[j]), std::move(stop));
  };
  jobs.log = [&](std::size_t j) { return log_of(place, runs[j]); };
  jobs.done = [&](const ChildOutcome& outcome) {
    const PlannedRun& run = runs[outcome.job];
    keep(run, row_of(place, run, outcome, interrupted()));
  };
  jobs.tick = [&] { progress.update(ended(), report.failed); };

  if (options.in_process) {
    RunWatch watch(interrupted);
    for (std::size_t j = 0; j < runs.size() && !interrupted(); ++j) {
      if (!jobs.prepare(j)) continue;
      ChildOutcome outcome;
      outcome.job = j;
      watch.begin(experiment.timeout_seconds, [&](const std::string& why) {
        outcome.failure = why;
        folder.append(row_of(place, runs[j], outcome, interrupted()).line);
        fmt::print(stderr, "alidade: {}\nGive the same command again to do the runs that are left.\n", why);
      });
      try {
        outcome.payload = jobs.work(j, watch.token());
        outcome.delivered = true;
      } catch (const Error& error) {
        outcome.failure = error.what();
      }
      watch.end();
      jobs.done(outcome);
      jobs.tick();
    }
  } else {
    run_in_children(limits_of(experiment, options.jobs), jobs, interrupted);
  }
  progress.end();
  report.interrupted = interrupted();
  return report;
}

}  // namespace alidade
