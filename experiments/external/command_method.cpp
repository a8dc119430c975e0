#include "experiments/external/command_method.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "experiments/external/command_call.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/embedded_text.hpp"
#include "problems/catalog.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "problems/spaces/euclidean.hpp"
#include "solvers/catalog.hpp"
#include "solvers/contract/solve_run.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/public/sdp.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"

namespace alidade {

namespace {

namespace fs = std::filesystem;

struct CommandOptions {
  std::vector<std::string> command, needs;
  Index n_components = 2;
  std::string checksum;

  static const OptionList<CommandOptions>& list() {
    static const auto kList =
        dimension_option<CommandOptions>("columns of each embedding.npy")
            .texts("command", &CommandOptions::command, "the program and its arguments")
            .texts("needs", &CommandOptions::needs,
                   "the evidence to write: triplets, aspects, features, distances, pairs")
            .text("checksum", &CommandOptions::checksum, {},
                  "SHA-256 of the files that the command names; found when the experiment is run");
    return kList;
  }
  static CommandOptions of(const ValueTable& options) {
    ValueTable own;
    for (const OptionInfo& info : list().infos())
      if (const Value* value = options.find(info.name)) own.set(info.name, *value);
    return list().parse(own, "A command");
  }
};

/// @throws ConfigError
void check_command(const ValueTable& options) {
  std::vector<std::string> known;
  for (const auto& [need, kind] : kNeeds) known.emplace_back(need);
  for (const std::string& need : CommandOptions::of(options).needs)
    require<ConfigError>(std::ranges::find(known, need) != known.end(), "needs: there is no evidence '{}'.{}", need,
                         suggestion(need, known));
}

std::vector<ObservationKind> needed_by(const ValueTable& options) {
  std::vector<ObservationKind> out;
  const CommandOptions parsed = CommandOptions::of(options);
  for (const auto& [need, kind] : kNeeds)
    if (std::ranges::find(parsed.needs, need) != parsed.needs.end()) out.push_back(kind);
  return out;
}

class CommandProblem {
 public:
  explicit CommandProblem(ExternalTask task) : task_(std::move(task)), domain_(blocks_of(task_)) {}

  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] const ExternalTask& external_task() const { return task_; }
  /// No map: the command starts as it likes.
  [[nodiscard]] Solution start(Rng&) const {
    Point out = domain_.zero();
    out.vector().setConstant(kUnknown);
    return out;
  }
  /// Known to the command alone.
  [[nodiscard]] double objective(const Solution&, Evaluation&) const { return kUnknown; }
  [[nodiscard]] Embedding decode(const Solution& x) const {
    Embedding out;
    const auto& point = std::get<Point>(x);
    for (std::size_t m = 0; m < domain_.blocks().size(); ++m) out.maps.push_back({task_.maps()[m], point.block(m)});
    return out;
  }

 private:
  static std::vector<DomainBlock> blocks_of(const ExternalTask& task) {
    std::vector<DomainBlock> out;
    for (const std::string& name : task.maps())
      out.push_back({name, task.evidence.object_count(), task.n_components, Euclidean{}});
    return out;
  }
  ExternalTask task_;
  Domain domain_;
};

Problem make_command(const Observations& observations, const ValueTable& options) {
  CommandOptions parsed = CommandOptions::of(options);
  require_program(parsed.command.front());
  ExternalTask task{std::move(parsed.command), std::move(parsed.needs), parsed.n_components, {}, {}};
  for (const auto& [name, value] : options)
    if (!find_option(CommandOptions::list().infos(), name) && !value.is_null()) task.options.set(name, value);
  Observations& evidence = task.evidence;  // what is written and no more
  evidence.name = observations.name;
  evidence.objects = observations.objects;
  evidence.aspects = observations.aspects;
  if (task.has("triplets") || task.has(task.kAspects)) evidence.triplets = observations.triplets;
  if (task.has("features") || task.has("distances")) {
    evidence.features = observations.features;
    evidence.precise_features = observations.precise_features;
    evidence.frame = observations.frame;
  }
  if (task.has("distances") && !evidence.features) {
    evidence.dissimilarities = observations.dissimilarities;
    evidence.dissimilarity_unit = observations.dissimilarity_unit;
  }
  if (task.has("pairs")) evidence.pair_signs = observations.pair_signs;
  return {std::string(kCommand), CommandProblem(std::move(task))};
}

/// One call of the command.
class CommandRun {
 public:
  CommandRun(const ExternalTask& task, Solution& x, SolveContext& context) : task_(task), x_(x), context_(context) {}

  Summary summary() {
    out_.counts.starts = 1;
    if (const auto reason = context_.interrupted()) {
      const std::string why = SolveRun::stop_text(*reason, "before the command began");
      return std::get<Point>(x_).vector().allFinite() ? ended(*reason, why) : failed(why);
    }
    write_task(folder_.path(), task_, limits());
    const ProgramEnd end = call_command(task_.command, {folder_.path().string()}, folder_, context_);
    out_.solve_seconds = end.wall_seconds;
    try {
      const fs::path map = folder_.path() / "embedding.npy";
      if (const std::string why = failure_of(end, map); !why.empty()) return failed(why);
      const ReportedResult result = read_result(folder_.path());
      if (result.status == "failed") return failed(result.message);
      const std::vector<ReportedIterate> trace = read_trace(folder_.path(), task_);
      take(read_maps(map, task_), result, end);
      take_trace(trace);
      return ended(termination(result, end), message(result, end));
    } catch (const DataError& error) {
      return failed(error.what());
    }
  }

 private:
  TaskLimits limits() {
    TaskLimits out{static_cast<std::uint32_t>(context_.rng.next() >> 33), context_.executor.threads(), {}};
    if (context_.deadline) out.seconds = std::chrono::duration<double>(*context_.deadline - RunClock::now()).count();
    return out;
  }
  Summary failed(const std::string& why) {
    return ended(context_.stop.stop_requested() ? Termination::cancelled : Termination::backend_failure,
                 failure_text("map", why, folder_));
  }
  void take(const std::vector<Matrix>& maps, const ReportedResult& result, const ProgramEnd& end) {
    out_.objective = out_.best_objective = result.objective;
    out_.counts.iterations = result.iterations;
    out_.figures = result.figures;
    out_.command_cpu_seconds = end.cpu_seconds;
    out_.command_own_seconds = result.seconds;
    if (!result.version.empty()) out_.via.push_back(result.version);
    x_ = point_of(maps);
  }
  [[nodiscard]] Point point_of(const std::vector<Matrix>& maps) const {
    Point out = std::get<Point>(x_);
    for (std::size_t m = 0; m < maps.size(); ++m) out.block(m) = maps[m];
    return out;
  }
  void take_trace(const std::vector<ReportedIterate>& trace) {
    const Stopwatch clock;
    Index iteration = 0;
    for (const ReportedIterate& one : trace) {
      TraceRecord record{iteration++, one.seconds, one.objective, kUnknown};
      if (!one.maps.empty() && context_.observer) context_.observer->observe(Solution(point_of(one.maps)), record);
      out_.trace.push_back(std::move(record));
    }
    out_.observe_seconds = clock.seconds();
  }
  static Termination termination(const ReportedResult& result, const ProgramEnd& end) {
    if (end.asked == ProgramEnd::Asked::late) return Termination::time_limit;
    if (end.asked == ProgramEnd::Asked::stopped) return Termination::cancelled;
    for (const auto reason :
         {Termination::max_iter, Termination::time_limit, Termination::stalled, Termination::reduced_accuracy})
      if (result.status == to_string(reason)) return reason;
    return Termination::converged;
  }
  static std::string message(const ReportedResult& result, const ProgramEnd& end) {
    if (!result.message.empty()) return result.message;
    if (end.asked != ProgramEnd::Asked::no)
      return "ended by the time limit or an interruption, with the map that it had written";
    return "the command ended with a map";
  }
  Summary ended(Termination termination, std::string message) {
    out_.termination = termination;
    out_.message = std::move(message);
    return std::move(out_);
  }

  const ExternalTask& task_;
  Solution& x_;
  SolveContext& context_;
  TaskFolder folder_;
  Summary out_;
};

class CommandSolver final : public Solver {
 public:
  static constexpr std::string_view kName = kCommand;
  struct Options {
    static const OptionList<Options>& list() {
      static const OptionList<Options> kList;
      return kList;
    }
  };
  explicit CommandSolver(Options) {}
  static CapabilitySet needed() { return CapabilitySet::of<ExternalFace>(); }
  [[nodiscard]] std::string_view name() const override { return kName; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] ValueTable resolved_options() const override { return {}; }
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override {
    std::vector<std::string> via;
    const Problem adapted = require_fit(*this, problem, x, via);
    return CommandRun(adapted.face<ExternalFace>().external_task(), x, context).summary();
  }
};

ProblemEntry command_problem() {
  return {.name = std::string(kCommand),
          .summary = "a map made by a program of your own",
          .reference = "",
          .equation = "known to the program",
          .needs = {},
          .offers = borderless_offer<CommandProblem>(),
          .options = CommandOptions::list().infos(),
          .make = make_command,
          .check = check_command,
          .solver = "{ name = \"command\" }",
          .open_options = true,
          .needs_by = needed_by};
}

SolverEntry command_solver() {
  return solver_entry<CommandSolver>({.summary = "runs a program of your own",
                                      .reference = "",
                                      .description = "Writes the evidence as files, runs the program, reads its map."});
}

}  // namespace

void offer_commands() {
  static const bool kOffered = [] {
    add_unlisted_problem(command_problem());
    add_unlisted_solver(command_solver());
    add_unlisted_solver(sdp_command_entry());
    return true;
  }();
  static_cast<void>(kOffered);
}

std::string name_of_command(const ValueTable& options) {
  const std::vector<std::string> words = words_of_command(options);
  std::size_t k = 0;
  while (k < words.size() && !names_file(words, k)) ++k;
  return fs::path(words[k < words.size() ? k : 0]).filename().string();
}

namespace {

struct SdpCommandOptions {
  std::vector<std::string> command = {"csdp"};
  double tolerance = 1e-6;
  std::string checksum;
  [[nodiscard]] static const OptionList<SdpCommandOptions>& list() {
    using O = SdpCommandOptions;
    static const auto kList =
        OptionList<O>()
            .texts(
                "command", &O::command,
                "the program and its arguments; the file of the semidefinite program and that of the solution follow")
            .real("tolerance", &O::tolerance, between(1e-14, 1e-2),
                  "largest errors and gap of what is called converged")
            .text("checksum", &O::checksum, {}, "SHA-256 of the files that the command names; found by the experiment");
    return kList;
  }
};

class SdpCommand final : public WithOptions<SdpCommand, Solver, SdpCommandOptions> {
 public:
  static constexpr std::string_view kName = "sdp_command";
  explicit SdpCommand(SdpCommandOptions options) : WithOptions(std::move(options)) {}
  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SemidefiniteFace>(); }

  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override {
    SemidefiniteRun frame(*this, problem, x, context);
    const EqualityForm form = equality_form(frame.program());
    frame.begin();
    if (auto end = frame.stopped("before the command began")) return *std::move(end);
    const TaskFolder folder;
    const std::filesystem::path program = folder.path() / "program.dat-s", result = folder.path() / "solution";
    write_task_file(program, to_sdpa(frame.program()));
    const ProgramEnd end = call_command(options_.command, {program.string(), result.string()}, folder, context);
    frame.counts().sdp_solves = 1;
    std::string why = failure_of(end, result);
    SemidefiniteSolution solution;
    try {
      if (why.empty()) solution = without_slacks(form, sdp::start_of(*form.program, text_of(result), "solution"));
    } catch (const DataError& error) {
      why = error.what();
    }
    frame.summary().command_cpu_seconds = end.cpu_seconds;
    if (!why.empty()) return frame.finish(Termination::backend_failure, failure_text("solution", why, folder));
    const SemidefiniteErrors errors = errors_of(frame.program(), solution);
    const Termination ended = end.asked == ProgramEnd::Asked::late        ? Termination::time_limit
                              : met_by_errors(errors, options_.tolerance) ? Termination::converged
                                                                          : Termination::reduced_accuracy;
    const Vector multipliers = solution.multipliers;
    std::string message(ended == Termination::converged ? "optimal" : to_string(ended));
    frame.judge(
        std::move(solution), errors, [&] { return lower_bound(frame.program(), multipliers); }, message);
    frame.record_end();
    return frame.finish(ended, std::move(message));
  }

 private:
  static std::string text_of(const std::filesystem::path& result) {
    const auto text = is_file_itself(result) ? file_content(result) : std::nullopt;
    require<DataError>(text.has_value(), "it left no file of a solution");
    return *text;
  }
};

}  // namespace

SolverEntry sdp_command_entry() {
  return solver_entry<SdpCommand>(
      {.summary = "for semidefinite programs: a program of your own, such as csdp",
       .reference = "",
       .description =
           "Writes the program in SDPA's sparse format, runs the command, and reads the solution in the format of "
           "CSDP. Errors and bound are measured and proven by Alidade."});
}

const std::vector<Adapter>& adapters() {
  static const std::vector<Adapter> kAll = [] {
    std::vector<Adapter> out;
    for (const char* name : {"scikit_learn.py", "umap_learn.py", "open_tsne.py", "pacmap_map.py", "trimap_map.py",
                             "cblearn_map.py", "cmdscale.R", "mass.R", "vegan.R", "rtsne.R", "uwot.R", "smacof.R"}) {
      std::string_view line = embedded_text(name);
      line = line.substr(0, line.find('\n'));
      line.remove_prefix(line.find_first_not_of("#\" "));
      out.push_back({name, std::string(line.substr(0, line.find("\"\"\"")))});
    }
    return out;
  }();
  return kAll;
}

}  // namespace alidade
