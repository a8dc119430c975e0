#include "experiments/launch/run_process.hpp"

#include "experiments/files/json.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

/// What a child sends instead of a row when its files could not be written.
constexpr char kCanNotWrite = '!';

std::string log_name(const PlannedRun& run) { return "logs/" + run.id + ".log"; }

}  // namespace

std::filesystem::path log_of(const RunPlace& place, const PlannedRun& run) {
  return place.folder / log_name(run);
}

PoolLimits limits_of(const Experiment& experiment, int jobs) {
  PoolLimits limits;
  limits.jobs = jobs;
  limits.timeout_seconds = experiment.timeout_seconds;
  limits.memory_bytes = experiment.memory_bytes;
  return limits;
}

std::optional<Table> row_without_run(const RunPlace& place, const PlannedRun& run,
                                     const LoadedData::Entry& data) {
  if (!data.observations) {
    Table row = row_of_plan(place.experiment, run);
    row.set("message", data.failure);
    row.set("termination", "not_started");
    return row;
  }
  if (const auto reason = unfit_reason(place.experiment.methods[run.method], *data.observations)) {
    Table row = row_of_plan(place.experiment, run);
    row.set("message", *reason);
    row.set("status", "skipped");
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
  if (auto failure = writing([&] { log = Log::to_file(log_of(place, run)); }))
    return *std::move(failure);
  RunResult result = execute({place.experiment, run, *data.observations, data.load_seconds,
                              place.threads, std::move(stop), std::move(log)});
  if (auto failure = writing([&] { write_run_files(place.folder, result); }))
    return *std::move(failure);
  return to_json(result.row);
}

std::string row_of(const RunPlace& place, const PlannedRun& run, const ChildOutcome& outcome,
                   bool interrupted) {
  if (outcome.delivered) {
    if (outcome.payload.starts_with(kCanNotWrite)) throw DataError(outcome.payload.substr(1));
    return outcome.payload;
  }
  Table row = failed_row(place, run, outcome.failure);
  if (interrupted) {
    row.set("status", "cancelled");
    row.set("termination", "cancelled");
  }
  return to_json(row);
}

Table failed_row(const RunPlace& place, const PlannedRun& run, const std::string& message) {
  Table row = row_of_plan(place.experiment, run);
  row.set("message", message);
  Table files;
  files.set("log", log_name(run));
  row.set("files", std::move(files));
  return row;
}

}  // namespace alidade
