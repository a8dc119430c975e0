#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/catalog.hpp"
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

/// Why runs failed or were skipped, each reason once.
void say_reasons(const RunnerReport& report, const RunnerOptions& options) {
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(report.reasons.size(), kShown); ++i) {
    const RunnerReport::Reason& reason = report.reasons[i];
    fmt::print("{}: {}{}: {}{}\n", reason.status, reason.first,
               reason.runs > 1 ? fmt::format(" and {} more", reason.runs - 1) : "", reason.message,
               reason.status == "failed" && !reason.log.empty()
                   ? fmt::format(" [{}]", (options.folder / reason.log).string())
                   : "");
  }
  if (report.reasons.size() > kShown)
    fmt::print("{} more reasons: alidade report {}\n", report.reasons.size() - kShown,
               options.folder.string());
}

/// What became of the runs; returns the exit status.
int say(const RunnerReport& report, const RunnerOptions& options) {
  fmt::print("{} runs: {} ok, {} failed, {} skipped, {} done before. Results: {}\n", report.planned, report.ok,
             report.failed, report.skipped, report.resumed, options.folder.string());
  say_reasons(report, options);
  if (report.unplanned > 0)
    fmt::print(stderr,
               "Note: {} also holds {} runs that this configuration does not plan, as of one that "
               "was edited since; "
               "tables and reports show them too. --out with another folder begins anew.\n",
               options.folder.string(), report.unplanned);
  if (report.interrupted) {
    fmt::print(stderr, "alidade: interrupted; the same command goes on from here.\n");
    return 130;
  }
  if (report.failed_before > 0)
    fmt::print(
        "{} of those done before failed: `alidade report {}` says why, --retry-failed tries them "
        "again.\n",
        report.failed_before, options.folder.string());
  return report.failed + report.failed_before > 0 ? 1 : 0;
}

/// One of the processes that mpirun started. The first reads the configuration and speaks for all.
int run_as_rank(const RunCommand& request, const std::vector<std::string>& command) {
  constexpr int kRefused = 2;
  if (!mpi_module() && *rank_under_mpirun() > 0) return kRefused;  // the first says why
  RankWorker worker;  // before there is MPI
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
    require<ConfigError>(
        request.jobs == 1 && !request.in_process,
        "Under mpirun every rank has one run at a time, in a process of its own: give ranks "
        "(mpirun -n) in place of --jobs, and no --in-process.");
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
  // A rank alone that knows no MPI can do without.
  if (rank_under_mpirun() && (size_under_mpirun() > 1 || mpi_module()))
    return run_as_rank(request, command);
  const Experiment experiment = interpret(read_config(request.config, request.overrides));
  RunnerOptions options = runner_options(request, experiment, command);
  options.progress = ::isatty(STDERR_FILENO) != 0;
  watch_for_interrupts();
  return say(run_experiment(experiment, options, interrupted), options);
}

}  // namespace alidade::commands
