#include "experiments/launch/run_process.hpp"

#include "experiments/run/run.hpp"
#include "experiments/run/run_files.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

/// What a child sends instead of a row if it could not write its files.
constexpr char kCanNotWrite = '!';

}  // namespace

std::filesystem::path log_of(const RunPlace& place, const PlannedRun& run) { return place.folder / log_file(run.id); }

PoolLimits limits_of(const Experiment& experiment, int jobs) {
  PoolLimits limits;
  limits.jobs = jobs;
  limits.timeout_seconds = experiment.timeout_seconds;
  limits.memory_bytes = experiment.memory_bytes;
  return limits;
}

SentRow sent(const ResultRow& row) {
  return {row.status, row.files ? row.files->log.value_or("") : "", to_line(row), row.message.value_or("")};
}

std::string to_text(const SentRow& row) {
  return fmt::format("{}\n{}\n{}\n{}", to_string(row.status), row.log, row.line, row.message);
}

SentRow sent_row(std::string_view text) {
  const auto next = [&] {
    const auto end = text.find('\n');
    const std::string_view out = text.substr(0, end);
    text.remove_prefix(end + 1);
    return std::string(out);
  };
  SentRow out;
  out.status = run_status(next());
  out.log = next();
  out.line = next();
  out.message = text;
  return out;
}

std::optional<ResultRow> row_without_run(const RunPlace& place, const PlannedRun& run, const LoadedData::Entry& data) {
  if (!data.observations) {
    ResultRow row = row_of_plan(place.experiment, run);
    row.message = data.failure;
    row.termination = to_string(Termination::not_started);
    return row;
  }
  if (const auto reason = unfit_reason(place.experiment.methods[run.method], *data.observations)) {
    ResultRow row = row_of_plan(place.experiment, run);
    row.message = *reason;
    row.status = RunStatus::skipped;
    return row;
  }
  return std::nullopt;
}

std::string carry_out(const RunPlace& place, const PlannedRun& run, const LoadedData::Entry& data,
                      std::stop_token stop) {
  const auto writing = [](auto&& task) -> std::optional<std::string> {
    try {
      task();
    } catch (const DataError& error) {
      return kCanNotWrite + std::string(error.what());
    }
    return std::nullopt;
  };
  Log log = Log::none();
  if (auto failure = writing([&] { log = Log::to_file(log_of(place, run)); })) return *std::move(failure);
  RunResult result = execute(
      {place.experiment, run, *data.observations, data.load_seconds, place.threads, std::move(stop), std::move(log)});
  if (auto failure = writing([&] { write_run_files(place.folder, result); })) return *std::move(failure);
  return to_text(sent(result.row));
}

SentRow row_of(const RunPlace& place, const PlannedRun& run, const ChildOutcome& outcome, bool interrupted) {
  if (outcome.delivered) {
    if (outcome.payload.starts_with(kCanNotWrite)) throw DataError(outcome.payload.substr(1));
    return sent_row(outcome.payload);
  }
  ResultRow row = failed_row(place, run, outcome.failure);
  if (interrupted) {
    row.status = RunStatus::cancelled;
    row.termination = to_string(Termination::cancelled);
  }
  return sent(row);
}

ResultRow failed_row(const RunPlace& place, const PlannedRun& run, const std::string& message) {
  ResultRow row = row_of_plan(place.experiment, run);
  row.message = message;
  row.files.emplace().log = log_file(run.id);
  add_log_checksum(place.folder, *row.files);
  return row;
}

}  // namespace alidade
