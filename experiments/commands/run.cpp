#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "experiments/commands/commands.hpp"
#include "experiments/commands/note_lines.hpp"
#include "experiments/commands/run_outcome.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/standard_error.hpp"
#include "experiments/launch/mpi/message_passing.hpp"
#include "experiments/launch/mpi/rank_worker.hpp"
#include "experiments/launch/mpi/ranked_runner.hpp"
#include "experiments/launch/runner.hpp"
#include "problems/core/error.hpp"

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
      {"--shard", "K/N", &r.shard,
       "do only one part of the runs, such as 3/16 (slurm: the part that the job array gives). Results go to "
       "OUT.shard-03-of-16; join them with `alidade merge`"},
      {"--retry-failed", "", &r.retry_failed, "repeat the runs that failed before"},
      under(kHow),
      {"--in-process", "", &r.in_process, "do all runs in this process, without child processes (for debuggers)"}};
}

RunnerOptions runner_options(const RunCommand& request, const Experiment& experiment, const Words& command) {
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
    require<ConfigError>(request.jobs == 1 && !request.in_process,
                         "--jobs and --in-process do not go with mpirun: every rank does one run at a time, in a "
                         "process of its own. Leave them out, and set the number of ranks by mpirun -n.");
    const Experiment experiment = experiment_of(request);
    options = runner_options(request, experiment, command);
    report = run_on_ranks(experiment, options, *ranks, worker, interrupted, [](const std::string& note) {
      write_to_stderr(note_lines({&note, 1}));
    });
  } catch (...) {
    dismiss();
    throw;
  }
  dismiss();
  return say_outcome(report, options);
}

}  // namespace

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

Command run_command() {
  return command<RunCommand>("run", kMaking, "Run the experiment of a config, or resume it", options_of, run,
                             {"alidade run study.toml --jobs 2", "alidade run study.toml --set repeats=10"},
                             "alidade report results/study");
}

}  // namespace alidade::commands
