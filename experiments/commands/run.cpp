#include <unistd.h>
#include <sentences/commands.hpp>

#include <cstdlib>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/launch/mpi/message_passing.hpp"
#include "experiments/launch/mpi/rank_worker.hpp"
#include "experiments/launch/mpi/ranked_runner.hpp"

namespace alidade::commands {
namespace {

CommandOptions options_of(RunCommand& r) {
  constexpr auto kWhatToRun = "What to run", kHow = "How to run it";
  return {
      {"config", "FILE", &r.config, "the config, a TOML file (see experiments/README.md)"},
      under(kHow),
      {"-o,--out", "DIR", &r.out, "results folder; default results/NAME"},
      {"-j,--jobs", "", &r.jobs, kJobs},
      {"--threads", "", &r.threads, kThreadsEach},
      under(kWhatToRun),
      {"--set", "KEY=VALUE", &r.overrides, "override a key of the config: repeats=2, problem.ete.t=3, method.0.id=x"},
      max_size_option(SettingTarget{&r.settings, "max_size"}),
      {"--data", "DIR", &r.data, kDataFolder},
      {"--shard", "K/N", &r.part,
       "do only one part of the runs, such as 3/16 (slurm: the part that the job array gives). Results go to "
       "OUT.shard-03-of-16; join them with `alidade merge`"},
      {"--retry-failed", "", &r.retry_failed, "repeat the runs that failed before"},
      under(kHow),
      {"--in-process", "", &r.in_process, "do all runs in this process, without child processes (for debuggers)"}};
}

RunnerOptions runner_options(const RunCommand& request, const Experiment& experiment, const Words& command) {
  RunnerOptions options = request;
  options.folder = request.out.value_or(fs::path("results") / experiment.name);
  if (request.part) {
    options.shard = parse_shard(*request.part, ::getenv);
    options.folder = shard_folder(options.folder, *options.shard);
  }
  options.data_folder = datasets::data_folder(request.data);
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
    fmt::print(words::kMoreReasons, report.reasons.size() - kShown, shell_word(options.folder.string()));
}

/// @throws DataError if the only data set names a file that is not there: every run would fail, and their rows would
/// stay beside those of the right file
Experiment experiment_of(const RunCommand& request) {
  Experiment out = interpret(read_config(request.config, with_settings(request.overrides, request.settings)));
  if (out.datasets.size() == 1)
    datasets::require_own_files(datasets::dataset_catalog().at(out.datasets.front().name), out.datasets.front().options,
                                datasets::data_folder(request.data));
  return out;
}

/// One of the processes that mpirun started. Only the first reads the configuration and prints.
int run_as_rank(const RunCommand& request, const Words& command) {
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
    require<ConfigError>(request.jobs == 1 && !request.in_process, words::kNotWithMpirun);
    const Experiment experiment = experiment_of(request);
    options = runner_options(request, experiment, command);
    report = run_on_ranks(experiment, options, *ranks, worker, interrupted, [](const std::string& note) {
      say_notes({&note, 1});
    });
  } catch (...) {
    dismiss();
    throw;
  }
  dismiss();
  return say_outcome(report, options);
}

}  // namespace

int say_outcome(const RunnerReport& report, const RunnerOptions& options) {
  for (const std::string& guess : report.guesses) fmt::print("Read by a guess: {}\n", guess);
  fmt::print("{}: {} ok, {} failed, {} skipped, {} done before. Results: {}\n", counted(report.planned, "run"),
             report.ok, report.failed, report.skipped, report.resumed, options.folder.string());
  if (report.without_files > 0)
    fmt::print("{}\n", counted(report.without_files, "run is done again: its files were missing.",
                               "runs are done again: their files were missing."));
  say_reasons(report, options);
  say_notes(report.notes);
  if (report.unplanned > 0)
    say(words::kUnplannedRows, options.folder.string(), counted(report.unplanned, "run"),
        report.unplanned == 1 ? "it" : "them");
  if (report.interrupted) {
    say("alidade: Interrupted. Give the same command again to resume.\n");
    return 130;
  }
  if (report.failed_before > 0)
    fmt::print(words::kFailedBefore, report.failed_before, shell_word(options.folder.string()));
  if (report.ok + report.resumed > 0) fmt::print("Next: alidade report {}\n", shell_word(options.folder.string()));
  return report.failed + report.failed_before > 0 ? 1 : 0;
}

int run(const RunCommand& request, const Words& command) {
  // A single rank works without MPI.
  if (rank_under_mpirun() && (size_under_mpirun() > 1 || mpi_module())) return run_as_rank(request, command);
  const Experiment experiment = experiment_of(request);
  RunnerOptions options = runner_options(request, experiment, command);
  options.progress = ::isatty(STDERR_FILENO) != 0;
  watch_for_interrupts();
  return say_outcome(run_experiment(experiment, options, interrupted), options);
}

int run_with(const ValueTable& options) {
  RunCommand request;
  set_values(options_of(request), options, "A run");
  return run(request, {"alidade", "run", request.config.string(), "--out", request.out.value_or("").string()});
}

Command run_command() { return command<RunCommand>("run", options_of, run); }

}  // namespace alidade::commands
