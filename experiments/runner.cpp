#include "experiments/runner.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "experiments/config.hpp"
#include "experiments/datasets/catalog.hpp"
#include "experiments/durable_file.hpp"
#include "experiments/json.hpp"
#include "experiments/manifest.hpp"
#include "experiments/process_pool.hpp"
#include "experiments/rows.hpp"
#include "experiments/run.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

/// Datasets in the parent's memory, each loaded when first needed and dropped after its last run.
class LoadedData {
 public:
  LoadedData(const Experiment& experiment, const std::vector<PlannedRun>& runs, const RunnerOptions& options)
      : experiment_(experiment), options_(options) {
    for (const PlannedRun& run : runs) ++uses_[key(run)];
  }

  struct Entry {
    std::optional<Observations> observations;
    std::string failure;  // why not
    double load_seconds = 0;
  };
  const Entry& get(const PlannedRun& run) {
    const auto [it, fresh] = entries_.try_emplace(key(run));
    Entry& entry = it->second;
    if (!fresh) return entry;
    const auto begin = std::chrono::steady_clock::now();
    const DatasetSetup& setup = experiment_.datasets[run.dataset];
    try {
      entry.observations = datasets::dataset_catalog().at(setup.name).load(
          setup.options, {options_.data_folder, experiment_.seed, run.repeat});
    } catch (const Error& error) {
      entry.failure = error.what();
    }
    entry.load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return entry;
  }
  /// One run that needed it has ended.
  void release(const PlannedRun& run) {
    if (--uses_[key(run)] == 0) entries_.erase(key(run));
  }

 private:
  using Key = std::pair<std::size_t, Index>;
  [[nodiscard]] Key key(const PlannedRun& run) const {
    const DatasetSetup& setup = experiment_.datasets[run.dataset];
    const bool random = datasets::differs_by_repeat(datasets::dataset_catalog().at(setup.name), setup.options);
    return {run.dataset, random ? run.repeat : 0};
  }
  const Experiment& experiment_;
  const RunnerOptions& options_;
  std::map<Key, std::size_t> uses_;
  std::map<Key, Entry> entries_;
};

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

/// What the start of an experiment creates; taken away again by the destructor unless `keep` was called, so that
/// an experiment that could not begin leaves nothing behind.
class Beginnings {
 public:
  ~Beginnings() {
    std::error_code ignored;
    for (auto it = made_.rbegin(); it != made_.rend(); ++it) std::filesystem::remove(*it, ignored);
  }
  Beginnings() = default;
  Beginnings(const Beginnings&) = delete;
  Beginnings& operator=(const Beginnings&) = delete;
  /// Remembers those of `path` and the folders above it that are not there yet.
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

/// Asks a stop source as soon as the user interrupts, for runs in this process.
class InterruptWatch {
 public:
  explicit InterruptWatch(const std::function<bool()>& interrupted)
      : thread_([this, &interrupted](const std::stop_token& end) {
          while (!end.stop_requested() && !interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          if (interrupted()) source_.request_stop();
        }) {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread thread_;
};

/// What a child sends instead of a row when its files could not be written: then the experiment must end.
constexpr char kCanNotWrite = '!';

bool is_final(const Table& row, bool retry_failed) {
  const std::string status = text_field(row, "status");
  if (status == "cancelled") return false;
  if (status == "failed") return !retry_failed && text_field(row, "termination") != "not_started";
  return true;
}

Table failed_row(const Experiment& experiment, const PlannedRun& run, const std::string& message) {
  Table row = row_of_plan(experiment, run);
  row.set("message", message);
  return row;
}

}  // namespace

RunnerReport run_experiment(const Experiment& experiment, const RunnerOptions& options,
                            const std::function<bool()>& interrupted) {
  require_process_count("--jobs", options.jobs);
  require_process_count("--threads", options.threads);
  const std::vector<PlannedRun> all = plan(experiment);
  RunnerReport report;
  report.planned = all.size();

  Beginnings beginnings;
  const std::filesystem::path rows_path = options.folder / kRowsFile;
  for (const char* part : {"embeddings", "traces", "logs"}) {
    beginnings.note(options.folder / part);
    make_folder(options.folder / part);
  }
  beginnings.note(rows_path);
  std::optional<LineFile> rows;
  try {
    rows.emplace(rows_path);
  } catch (const DataError&) {
    std::error_code ignored;
    if (std::filesystem::exists(rows_path, ignored)) beginnings.keep();  // it is another's
    throw;
  }
  const RowFile existing = read_row_file(rows_path);
  for (const Table& row : existing.rows)
    if (const std::string name = text_field(row, "experiment"); name != experiment.name)
      throw DataError(fmt::format("{} holds the results of '{}', and this is '{}'; choose another folder with --out.",
                                  options.folder.string(), name, experiment.name));
  rows->go_on_after(existing.sound_bytes, existing.needs_newline);
  std::set<std::string> finished, failed_before;
  for (const Table& row : existing.rows)
    if (is_final(row, options.retry_failed)) {
      finished.insert(text_field(row, "run_id"));
      if (text_field(row, "status") == "failed") failed_before.insert(text_field(row, "run_id"));
    }
  std::vector<PlannedRun> runs;
  for (const PlannedRun& run : all) {
    if (!finished.contains(run.id)) runs.push_back(run);
    if (failed_before.contains(run.id)) ++report.failed_before;
  }
  report.resumed = all.size() - runs.size();

  for (const char* name : {"config.resolved.toml", "manifest.json"}) beginnings.note(options.folder / name);
  write_whole_file(options.folder / "config.resolved.toml", to_toml(resolved_config(experiment)));
  write_whole_file(options.folder / "manifest.json",
                   to_pretty_json(make_manifest(experiment.name, options.command)));
  beginnings.keep();

  LoadedData data(experiment, runs, options);
  Progress progress(options.progress, runs.size());
  const auto keep = [&](const PlannedRun& run, const std::string& line, std::string_view status) {
    rows->append(line);
    if (status == "ok")
      ++report.ok;
    else if (status == "skipped")
      ++report.skipped;
    else if (status == "failed")
      ++report.failed;
    data.release(run);
  };
  const auto keep_row = [&](const PlannedRun& run, const Table& row) {
    keep(run, to_json(row), text_field(row, "status"));
  };
  const auto ended = [&] { return report.ok + report.failed + report.skipped; };

  PoolJobs jobs;
  jobs.count = runs.size();
  jobs.prepare = [&](std::size_t j) {
    const PlannedRun& run = runs[j];
    const LoadedData::Entry& entry = data.get(run);
    if (!entry.observations) {
      Table row = failed_row(experiment, run, entry.failure);
      row.set("termination", "not_started");
      keep_row(run, row);
      return false;
    }
    if (const auto reason = unfit_reason(experiment.methods[run.method], *entry.observations)) {
      Table row = failed_row(experiment, run, *reason);
      row.set("status", "skipped");
      keep_row(run, row);
      return false;
    }
    return true;
  };
  jobs.work = [&](std::size_t j, std::stop_token stop) {
    if (!options.in_process) rows->let_go();
    const LoadedData::Entry& entry = data.get(runs[j]);
    const auto writing = [](auto&& task) -> std::optional<std::string> {
      try {
        task();
      } catch (const DataError& error) {
        return kCanNotWrite + std::string(error.what());
      }
      return std::nullopt;
    };
    Log log = Log::none();
    if (auto failure =
            writing([&] { log = Log::to_file(options.folder / "logs" / (runs[j].id + ".log")); }))
      return *std::move(failure);
    RunResult result = execute({experiment, runs[j], *entry.observations, entry.load_seconds, options.threads,
                                std::move(stop), std::move(log)});
    if (auto failure = writing([&] { write_run_files(options.folder, result); })) return *std::move(failure);
    return to_json(result.row);
  };
  jobs.log = [&](std::size_t j) { return options.folder / "logs" / (runs[j].id + ".log"); };
  jobs.done = [&](const ChildOutcome& outcome) {
    const PlannedRun& run = runs[outcome.job];
    if (outcome.delivered) {
      if (outcome.payload.starts_with(kCanNotWrite)) throw DataError(outcome.payload.substr(1));
      const Value row = parse_json(outcome.payload, "the run's result");
      keep(run, outcome.payload, text_field(*row.get_if<Table>(), "status"));
      return;
    }
    Table row = failed_row(experiment, run, outcome.failure);
    if (interrupted()) {
      row.set("status", "cancelled");
      row.set("termination", "cancelled");
    }
    Table files;
    files.set("log", "logs/" + run.id + ".log");
    row.set("files", std::move(files));
    keep_row(run, row);
  };
  jobs.tick = [&] { progress.update(ended(), report.failed); };

  if (options.in_process) {
    const InterruptWatch watch(interrupted);
    for (std::size_t j = 0; j < runs.size() && !interrupted(); ++j) {
      if (!jobs.prepare(j)) continue;
      ChildOutcome outcome;
      outcome.job = j;
      try {
        outcome.payload = jobs.work(j, watch.token());
        outcome.delivered = true;
      } catch (const Error& error) {
        outcome.failure = error.what();
      }
      jobs.done(outcome);
      jobs.tick();
    }
  } else {
    PoolLimits limits;
    limits.jobs = options.jobs;
    limits.timeout_seconds = experiment.timeout_seconds;
    limits.memory_bytes = experiment.memory_bytes;
    run_in_children(limits, jobs, interrupted);
  }
  progress.end();
  report.interrupted = interrupted();
  return report;
}

}  // namespace alidade
