#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>

#include "experiments/choice.hpp"
#include "experiments/commands/commands.hpp"
#include "experiments/config.hpp"
#include "experiments/datasets/catalog.hpp"
#include "experiments/experiment.hpp"
#include "experiments/ranks/message_passing.hpp"
#include "experiments/ranks/rank_worker.hpp"
#include "experiments/ranks/ranked_runner.hpp"
#include "experiments/run.hpp"
#include "experiments/runner.hpp"
#include "problems/aspects.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/multiview/map_dissimilarities.hpp"

namespace alidade::commands {
namespace {

Experiment read_experiment(const fs::path& file, const std::vector<std::string>& overrides) {
  return interpret(read_config(file, overrides));
}

/// Relative difference between the directional derivative and a central difference, at a random point
/// of unit scale along a random tangent; `h` is the step of the difference. Nothing where the objective is infinite.
std::optional<double> gradient_error(const Problem& problem, std::uint64_t seed, double h) {
  const Domain& domain = *problem.domain();
  Rng rng = Rng::stream(seed, "gradient check");
  Executor executor;
  Evaluation evaluation(executor);
  const Point x = domain.random(rng);
  Point direction = domain.zero(), gradient = domain.zero();
  for (double& entry : direction.flat()) entry = rng.normal();
  domain.project(x, direction, direction);
  problem.smooth().value_and_gradient(x, gradient, evaluation);
  const double slope = gradient.vector().dot(direction.vector());
  const auto value_at = [&](double step) {
    Point v = direction, moved = x;
    v.vector() *= step;
    domain.retract(x, v, moved);
    return problem.smooth().value(moved, evaluation);
  };
  const double ahead = value_at(h), behind = value_at(-h);
  if (std::isinf(ahead) || std::isinf(behind)) return std::nullopt;
  const double measured = (ahead - behind) / (2 * h);
  return std::abs(measured - slope) / std::max({std::abs(slope), std::abs(measured), 1e-12});
}

/// In place of those of an input's maps, which are not made to check: distances on random ones.
std::vector<Dissimilarities> some_dissimilarities(const Observations& observations, std::uint64_t seed) {
  Rng rng = Rng::stream(seed, "input check");
  Embedding maps;
  for (const std::string& name : aspect_names(observations)) {
    Matrix& map = maps.maps.emplace_back(AspectMap{name, Matrix(observations.object_count(), 2)}).coordinates;
    for (double& entry : map.reshaped<Eigen::RowMajor>()) entry = rng.normal();
  }
  return multiview::map_dissimilarities(maps, observations);
}

/// "; gradient right (...)", or "" where there is none; `good` becomes false if it is wrong.
std::string describe_gradient(const MethodSetup& method, const Observations& observations, std::uint64_t seed,
                              bool& good) {
  if (method.problem == kAuto) {
    bool all_right = true;
    for (const MethodSetup& family : auto_families(2, method.solver, method.solver_options))
      static_cast<void>(describe_gradient(family, observations, seed, all_right));
    good = good && all_right;
    return all_right ? "; all its gradients right" : "; some gradient WRONG";
  }
  Observations evidence = observations;
  if (method.input) {
    static_cast<void>(describe_gradient(*method.input, observations, seed, good));
    evidence.dissimilarities = some_dissimilarities(observations, seed);
  }
  const Problem problem = problem_catalog().at(method.problem).make(evidence, method.problem_options);
  if (!problem.offers().has(Capability::smooth)) return "";
  const Value* precision = method.problem_options.find("precision");
  // Shorter steps drown in the rounding of single precision.
  const bool single = precision && *precision == Value("float");
  const double tolerance = single ? 1e-1 : 1e-5;
  const auto error_of = [&](double h) { return gradient_error(problem, seed, h); };
  std::optional<double> error = error_of(single ? 1e-2 : 1e-5);
  // A step can cross a kink, as where two of very many objects on a line meet; one so much shorter hardly does.
  // In single precision the difference has to stay above rounding, and below the width of a neighbourhood.
  for (const double h : single ? std::vector{1e-3, 1e-4} : std::vector{1e-7})
    if (error && *error >= tolerance) error = std::min(*error, error_of(h).value_or(*error));
  // Such as where a map so far from any that a solver begins at has too many pairs near.
  if (!error) return "; gradient not judged: the objective is infinite on a random map";
  const bool right = *error < tolerance;
  good = good && right;
  return fmt::format("; gradient {} (relative difference {:.1e})", right ? "right" : "WRONG",
                     *error);
}

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
    const Experiment experiment = read_experiment(request.config, request.overrides);
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
  const Experiment experiment = read_experiment(request.config, request.overrides);
  RunnerOptions options = runner_options(request, experiment, command);
  options.progress = ::isatty(STDERR_FILENO) != 0;
  watch_for_interrupts();
  return say(run_experiment(experiment, options, interrupted), options);
}

int check(const fs::path& config, const std::vector<std::string>& overrides,
          const std::optional<fs::path>& data) {
  const Experiment experiment = read_experiment(config, overrides);
  const std::vector<PlannedRun> runs = plan(experiment);
  std::set<std::string> methods;
  for (const MethodSetup& method : experiment.methods) methods.insert(method.id);
  const auto folds = static_cast<std::size_t>(std::max<Index>(experiment.split.folds, 1));
  const std::size_t all = experiment.datasets.size() * methods.size() *
                          static_cast<std::size_t>(experiment.repeats) * folds;
  const auto counted = [](std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  fmt::print(
      "{}: {} x {} x {}{}{} {}\n", experiment.name, counted(experiment.datasets.size(), "dataset"),
      counted(methods.size(), "method"),
      counted(static_cast<std::size_t>(experiment.repeats), "repeat"),
      experiment.split.folds > 0 ? fmt::format(" x {} folds", experiment.split.folds) : "",
      runs.size() == all ? " =" : ", less what methods leave out:", counted(runs.size(), "run"));
  bool good = true;
  for (const DatasetSetup& setup : experiment.datasets) {
    fmt::print("\n{}\n", setup.id);
    std::optional<Observations> observations;
    try {
      observations = datasets::dataset_catalog().at(setup.name).load(
          setup.options, {datasets::data_folder(data), experiment.seed, 0});
    } catch (const DataError& error) {
      fmt::print("  can not be read: {}\n", error.what());
      good = false;
      continue;
    }
    fmt::print("  {} objects, {} triplets; offers {}\n", observations->object_count(),
               observations->triplets ? observations->triplets->size() : 0, join(observations->kinds(), ", "));
    std::set<std::string> checked;
    for (const MethodSetup& method : experiment.methods) {
      if (!concerns(method, setup)) continue;
      if (const auto reason = unfit_reason(method, *observations)) {
        fmt::print("  {}: will be skipped. {}\n", method.id, *reason);
        continue;
      }
      std::string gradient;
      const std::string key = method.problem + Value(method.problem_options).to_text();
      if (checked.insert(key).second) {
        try {
          gradient = describe_gradient(method, *observations, experiment.seed, good);
        } catch (const Error& error) {
          fmt::print("  {}: can not be made. {}\n", method.id, error.what());
          good = false;
          continue;
        }
      }
      fmt::print("  {}: fits{}\n", method.id, gradient);
    }
  }
  return good ? 0 : 1;
}

}  // namespace alidade::commands
