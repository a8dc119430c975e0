#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/launch/mpi/message_passing.hpp"
#include "experiments/launch/mpi/rank_worker.hpp"
#include "experiments/launch/mpi/ranked_runner.hpp"
#include "experiments/launch/runner.hpp"
#include "problems/core/error.hpp"

namespace alidade::commands {
namespace {

RunnerOptions runner_options(const RunCommand& request, const Experiment& experiment,
                             const std::vector<std::string>& command) {
  RunnerOptions options;
  options.folder = request.out.value_or(fs::path("results") / experiment.name);
  if (request.shard) {
    options.shard = parse_shard(*request.shard, ::getenv);
    options.folder = shard_folder(options.folder, *options.shard);
  }
  options.data_folder = datasets::data_folder(request.data);
  options.jobs = request.jobs;
  options.threads = request.threads;
  options.in_process = request.in_process;
  options.retry_failed = request.retry_failed;
  options.command = command;
  return options;
}

/// Prints each reason for failed or skipped runs once.
void say_reasons(const RunnerReport& report, const RunnerOptions& options) {
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(report.reasons.size(), kShown); ++i) {
    const RunnerReport::Reason& reason = report.reasons[i];
    fmt::print("{}: {}{}: {}{}\n", to_string(reason.status), reason.first,
               reason.runs > 1 ? fmt::format(" and {} more", reason.runs - 1) : "", reason.message,
               reason.status == RunStatus::failed && !reason.log.empty()
                   ? fmt::format(" [{}]", (options.folder / reason.log).string())
                   : "");
  }
  if (report.reasons.size() > kShown)
    fmt::print("{} more reasons: see `alidade report {}`\n", report.reasons.size() - kShown, options.folder.string());
}

/// Prints how the runs ended; returns the exit status.
int say(const RunnerReport& report, const RunnerOptions& options) {
  fmt::print("{}: {} ok, {} failed, {} skipped, {} done before. Results: {}\n", counted(report.planned, "run"),
             report.ok, report.failed, report.skipped, report.resumed, options.folder.string());
  say_reasons(report, options);
  if (report.unplanned > 0)
    fmt::print(stderr,
               "Note: {} also holds {} that this config does not plan, perhaps because the "
               "config was edited. Tables and reports show {} too. To start afresh, give another "
               "folder with --out.\n",
               options.folder.string(), counted(report.unplanned, "run"), report.unplanned == 1 ? "it" : "them");
  if (report.interrupted) {
    fmt::print(stderr, "alidade: Interrupted. Give the same command again to resume.\n");
    return 130;
  }
  if (report.failed_before > 0)
    fmt::print(
        "{} of the runs done before failed. `alidade report {}` shows why; --retry-failed repeats "
        "them.\n",
        report.failed_before, options.folder.string());
  return report.failed + report.failed_before > 0 ? 1 : 0;
}

/// One of the processes that mpirun started. Only the first reads the configuration and prints.
int run_as_rank(const RunCommand& request, const std::vector<std::string>& command) {
  constexpr int kRefused = 2;
  if (!mpi_module() && *rank_under_mpirun() > 0) return kRefused;  // the first rank says why
  RankWorker worker;                                               // before MPI starts
  watch_for_interrupts(false);
  const std::unique_ptr<MessagePassing> ranks = join_ranks();
  if (ranks->rank() > 0) {
    serve_rank(*ranks, worker, command, interrupted);
    ranks->end();
    return 0;
  }
  const auto dismiss = [&] {
    if (dismiss_ranks(*ranks)) ranks->end();
  };
  RunnerOptions options;
  RunnerReport report;
  try {
    require<ConfigError>(request.jobs == 1 && !request.in_process,
                         "--jobs and --in-process do not go with mpirun: every rank does one run at a time, in a "
                         "process of its own. Leave them out, and set the number of ranks by mpirun -n.");
    const Experiment experiment = interpret(read_config(request.config, request.overrides));
    options = runner_options(request, experiment, command);
    report = run_on_ranks(experiment, options, *ranks, worker, interrupted,
                          [](const std::string& note) { fmt::print(stderr, "Note: {}\n", note); });
  } catch (...) {
    dismiss();
    throw;
  }
  dismiss();
  return say(report, options);
}

}  // namespace

int run(const RunCommand& request, const std::vector<std::string>& command) {
  // A single rank works without MPI.
  if (rank_under_mpirun() && (size_under_mpirun() > 1 || mpi_module())) return run_as_rank(request, command);
  const Experiment experiment = interpret(read_config(request.config, request.overrides));
  RunnerOptions options = runner_options(request, experiment, command);
  options.progress = ::isatty(STDERR_FILENO) != 0;
  watch_for_interrupts();
  return say(run_experiment(experiment, options, interrupted), options);
}

}  // namespace alidade::commands
