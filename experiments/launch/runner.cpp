#include "experiments/launch/runner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "experiments/files/counted.hpp"
#include "experiments/files/standard_error.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/launch/process_pool.hpp"
#include "experiments/launch/run_watch.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/run/loaded_data.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/decompositions/blas.hpp"
#include "problems/core/run_clock.hpp"

namespace alidade {
namespace {

class Progress {
 public:
  Progress(bool shown, std::size_t total) : shown_(shown), total_(total), begin_(Clock::peek()) {}
  void starts(std::size_t job, std::string name) { running_.emplace_back(job, std::move(name)); }
  void stops(std::size_t job) {
    std::erase_if(running_, [&](const auto& run) { return run.first == job; });
  }
  void update(std::size_t ended, std::size_t failed) {
    const auto now = Clock::peek();
    if (!shown_ || (ended == ended_ && now - last_ < std::chrono::seconds(1))) return;
    const double elapsed = std::chrono::duration<double>(now - begin_).count();
    if (ended != ended_) at_last_end_ = elapsed;
    ended_ = ended;
    last_ = now;
    say("\r\033[K{}/{}, {} failed, {} elapsed, {}{}", ended, counted(total_, "run"), failed, duration_text(elapsed),
        left(elapsed), running_.empty() ? "" : ": " + shown_name(running_.front().second));
    std::fflush(stderr);
  }
  void end() {
    if (shown_) say("\r\033[K");
  }

 private:
  using Clock = RunClock;
  static constexpr std::size_t kShownName = 44;  // bytes of the name of a run
  static std::string shown_name(const std::string& name) {
    return name.size() <= kShownName ? name : std::string(first_bytes(name, kShownName)) + "...";
  }
  // From the mean time of a run so far; the run that is under way may take longer than that.
  [[nodiscard]] std::string left(double elapsed) const {
    if (ended_ == 0) return "estimating";
    const double expected = at_last_end_ / static_cast<double>(ended_) * static_cast<double>(total_ - ended_);
    const double rest = expected - (elapsed - at_last_end_);
    if (rest < 0) return "an unknown time left";
    return time_left_text(rest);
  }
  bool shown_;
  std::size_t total_;
  std::size_t ended_ = static_cast<std::size_t>(-1);
  double at_last_end_ = 0;                                    // seconds until the last run ended
  std::vector<std::pair<std::size_t, std::string>> running_;  // in the order of their starts
  Clock::time_point begin_, last_;
};

}  // namespace

void begin_report(RunnerReport& report, const ResultsFolder::Before& before) {
  report.resumed = before.done;
  report.failed_before = before.failed;
  report.without_files = before.without_files;
  report.unplanned = before.unplanned;
  report.notes = before.notes;
}

std::string name_of(const Experiment& experiment, const PlannedRun& run) {
  return fmt::format("{} on {}", experiment.methods[run.method].id, experiment.datasets[run.dataset].id);
}

void count(RunnerReport& report, const Experiment& experiment, const PlannedRun& run, const SentRow& row) {
  if (row.status == RunStatus::ok) ++report.ok;
  if (row.status != RunStatus::skipped && row.status != RunStatus::failed) return;
  ++(row.status == RunStatus::skipped ? report.skipped : report.failed);
  const auto entry = std::ranges::find_if(report.reasons, [&](const RunnerReport::Reason& r) {
    return r.status == row.status && r.message == row.message;
  });
  if (entry != report.reasons.end()) {
    ++entry->runs;
    return;
  }
  report.reasons.push_back({row.status, row.message, name_of(experiment, run), row.log, 1});
}

std::vector<PlannedRun> planned_runs(const Experiment& experiment, const std::optional<Shard>& shard) {
  std::vector<PlannedRun> runs = plan(experiment);
  if (shard) {
    const std::vector<std::size_t> shards = shards_of_plan(runs.size(), shard->count);
    std::erase_if(runs, [&](const PlannedRun& run) { return shards[run.index] != shard->number; });
  }
  return runs;
}

RunnerReport run_experiment(const Experiment& requested, const RunnerOptions& options,
                            const std::function<bool()>& interrupted) {
  require_process_count("--jobs", options.jobs);
  require_process_count("--threads", options.threads);
  const Experiment experiment = options.only ? requested : with_contents(requested, options.data_folder);
  std::vector<PlannedRun> planned = planned_runs(experiment, options.shard);
  if (options.only) std::erase_if(planned, [&](const PlannedRun& run) { return !options.only->contains(run.id); });
  RunnerReport report;
  report.planned = planned.size();

  ResultsFolder folder(options.folder, experiment, planned, options.retry_failed, options.command);
  begin_report(report, folder.before());
  if (options.only) report.unplanned = 0;  // the other rows are of runs that are not asked for
  const std::vector<PlannedRun>& runs = folder.left();

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
    const LoadedData::Entry& entry = data.get(runs[j]);
    if (entry.observations)
      for (const std::string& guess : entry.observations->guesses)
        if (std::ranges::find(report.guesses, guess) == report.guesses.end()) report.guesses.push_back(guess);
    const std::optional<ResultRow> row = row_without_run(place, runs[j], entry);
    if (row) keep(runs[j], sent(*row));
    if (!row) progress.starts(j, name_of(experiment, runs[j]));
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
    progress.stops(outcome.job);
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
        say("alidade: {}\nGive the same command again to do the runs that are left.\n", why);
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
    try {
      run_in_children(limits_of(experiment, options.jobs), jobs, interrupted);
    } catch (const Error&) {
      folder.require_rows();  // where the folder is gone, that is the cause
      throw;
    }
  }
  progress.end();
  folder.require_rows();  // or what is said of them would not hold
  report.interrupted = interrupted();
  return report;
}

}  // namespace alidade
