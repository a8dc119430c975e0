#include <sentences/commands.hpp>

#include <array>
#include <map>
#include <set>

#include "experiments/commands/commands.hpp"
#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/run/run.hpp"
#include "problems/catalog.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/multiview/preservation.hpp"
#include "solvers/catalog.hpp"
#include "solvers/public/checks.hpp"

namespace alidade::commands {
namespace {

struct CheckRequest {
  fs::path config;
  Words overrides;
  Settings settings;
  std::optional<fs::path> data;
};
CommandOptions options_of(CheckRequest& r) {
  return {{"config", "FILE", &r.config, "the config, a TOML file"},
          {"--set", "KEY=VALUE", &r.overrides, "override a key of the config, as in `run`"},
          max_size_option(SettingTarget{&r.settings, "max_size"}),
          {"--data", "DIR", &r.data, "folder of public data sets"}};
}

/// Random distances instead of those on an input's maps, which are not made for a check.
std::vector<Dissimilarities> some_dissimilarities(const Observations& observations, std::uint64_t seed) {
  Rng rng = Rng::stream(seed, "input check");
  Embedding maps;
  for (const std::string& name : aspect_names(observations)) {
    Matrix& map = maps.maps.emplace_back(AspectMap{name, Matrix(observations.object_count(), 2)}).coordinates;
    for (double& entry : map.reshaped<Eigen::RowMajor>()) entry = rng.normal();
  }
  return multiview::map_dissimilarities(maps, observations);
}

/// Options that approximate sums by leaving out or grouping pairs, which the gradient ignores, with values at which the
/// approximation is exact enough.
constexpr std::array<std::pair<std::string_view, double>, 2> kNearlyExact = {{{"cutoff", 40}, {"theta", 1e-3}}};

/// Checks a problem in double precision.
GradientCheck check_double(const ProblemEntry& entry, const Observations& evidence, const ValueTable& options,
                           std::uint64_t seed) {
  const GradientCheck as_it_is = check_gradient(entry.make(evidence, options), seed);
  ValueTable exact = options;
  for (const auto& [option, value] : kNearlyExact)
    if (std::ranges::find(entry.options, option, &OptionInfo::name) != entry.options.end())
      exact.set(std::string(option), value);
  if (as_it_is.outcome != GradientCheck::Outcome::wrong || exact == options) return as_it_is;
  return check_gradient(entry.make(evidence, exact), seed);
}

/// Checks one problem other than `auto`; an input's maps are not made. Differences drown in single precision's
/// rounding, so its gradient is compared with the one in double precision.
GradientCheck gradient_of_method(const MethodSetup& method, const Observations& observations, std::uint64_t seed) {
  using enum GradientCheck::Outcome;
  Observations evidence = observations;
  if (method.input) evidence.dissimilarities = some_dissimilarities(observations, seed);
  const ProblemEntry& entry = problem_catalog().at(method.problem);
  const Value* precision = method.problem_options.find("precision");
  if (!precision || *precision != Value("float")) return check_double(entry, evidence, method.problem_options, seed);
  ValueTable exact = method.problem_options;
  exact.set("precision", "double");
  GradientCheck out = check_double(entry, evidence, exact, seed);
  if (out.outcome != right) return out;
  constexpr double kTolerance = 1e-3;
  Executor executor;
  const auto gradient_of = [&](const ValueTable& options) {  // at a random point of unit scale
    const Problem problem = entry.make(evidence, options);
    Rng rng = Rng::stream(seed, "gradient check");
    Evaluation evaluation(executor);
    Point gradient = problem.domain()->zero();
    problem.face<SmoothFace>().value_and_gradient(problem.domain()->random(rng), gradient, evaluation);
    return gradient;
  };
  const Point in_single = gradient_of(method.problem_options), in_double = gradient_of(exact);
  const double error = (in_single.vector() - in_double.vector()).norm() / std::max(in_double.vector().norm(), 1e-12);
  return {error < kTolerance ? right : wrong, std::max(out.difference, error)};
}

/// The problem on which a gradient was judged. Later data sets of the same name and kinds, with at least as many
/// objects, run the same code at a higher cost.
struct JudgedGradient {
  Index objects;
  std::string dataset_id, verdict;
};

/// "; gradient right (...)", or "" if there is none; sets `good` to false if one is wrong.
std::string try_gradient(const MethodSetup& method, const Observations& observations, std::uint64_t seed, bool& good) {
  using enum GradientCheck::Outcome;
  constexpr std::string_view kInfinite = "not checked: the objective is infinite on a random map";
  if (method.problem == kAuto) {
    bool any_wrong = false, any_infinite = false;
    for (const MethodSetup& family :
         auto_families(2, method.solver, method.solver_options, has_annotators(observations))) {
      const GradientCheck of_family = gradient_of_method(family, observations, seed);
      any_wrong |= of_family.outcome == wrong;
      any_infinite |= of_family.outcome == infinite;
    }
    good = good && !any_wrong;
    if (any_wrong) return "; at least one gradient is WRONG";
    return any_infinite ? fmt::format("; at least one gradient {}", kInfinite) : "; all gradients right";
  }
  if (method.input) static_cast<void>(try_gradient(*method.input, observations, seed, good));
  const GradientCheck checked = gradient_of_method(method, observations, seed);
  good = good && checked.outcome != wrong;
  switch (checked.outcome) {
    case none: return "";
    case infinite: return fmt::format("; gradient {}", kInfinite);
    default: return fmt::format(words::kGradientOf, checked.outcome == right ? "right" : "WRONG", checked.difference);
  }
}

/// Solves nothing.
int check_config(const CheckRequest& request) {
  const Experiment experiment =
      interpret(read_config(request.config, with_settings(request.overrides, request.settings)));
  const ReadingLimit limit(experiment.max_size_bytes, experiment.timeout_seconds);
  const std::vector<PlannedRun> runs = plan(experiment);
  std::set<std::string> methods;
  for (const MethodSetup& method : experiment.methods) methods.insert(method.id);
  const auto folds = static_cast<std::size_t>(std::max<Index>(experiment.split.folds, 1));
  const std::size_t all =
      experiment.datasets.size() * methods.size() * static_cast<std::size_t>(experiment.repeats) * folds;
  fmt::print(
      "{}: {} x {} x {}{}{} {}\n", experiment.name, counted(experiment.datasets.size(), "dataset"),
      counted(methods.size(), "method"), counted(experiment.repeats, "repeat"),
      experiment.split.folds > 0 ? fmt::format(" x {} folds", experiment.split.folds) : "",
      runs.size() == all ? " =" : "; methods with their own `datasets` leave some out:", counted(runs.size(), "run"));
  bool good = true;
  std::map<std::string, JudgedGradient> judged;
  std::set<std::string> guessed;
  for (const DatasetSetup& setup : experiment.datasets) {
    fmt::print("\n{}\n", setup.id);
    std::optional<Observations> observations;
    try {
      observations = datasets::dataset_catalog()
                         .at(setup.name)
                         .load(setup.options, {datasets::data_folder(request.data), experiment.seed, 0});
    } catch (const DataError& error) {
      fmt::print("  Cannot be read: {}\n", error.what());
      good = false;
      continue;
    }
    fmt::print("  {}, {}; offers {}\n", counted(observations->object_count(), "object"),
               counted(observations->triplets ? observations->triplets->size() : 0, "triplet"),
               join(observations->kinds(), ", "));
    for (const std::string& guess : observations->guesses)
      if (guessed.insert(guess).second) fmt::print("  Read by a guess: {}\n", guess);
    std::set<std::string> checked;
    const std::string kind_of_data = setup.name + ' ' + join(observations->kinds(), ",") + ' ';
    for (const MethodSetup& method : experiment.methods) {
      if (!concerns(method, setup)) continue;
      if (const auto reason = unfit_reason(method, *observations)) {
        fmt::print("  {}: does not fit and will be skipped. {}\n", method.id, *reason);
        continue;
      }
      if (const SolverEntry* solver = solver_catalog().find(method.solver); solver && !solver->missing.empty()) {
        fmt::print("  {}: cannot be solved here. {}\n", method.id, solver->missing);
        good = false;
        continue;
      }
      std::string gradient;
      const std::string key = method.problem + Value(method.problem_options).to_text();
      if (checked.insert(key).second) {
        const auto earlier = judged.find(kind_of_data + key);
        try {
          if (earlier != judged.end() && earlier->second.objects <= observations->object_count()) {
            const auto& [objects, dataset_id, verdict] = earlier->second;
            if (!verdict.empty()) gradient = fmt::format("{}, checked on {}", verdict, dataset_id);
          } else {
            gradient = try_gradient(method, *observations, experiment.seed, good);
            judged.insert_or_assign(kind_of_data + key,
                                    JudgedGradient{observations->object_count(), setup.id, gradient});
          }
        } catch (const Error& error) {
          fmt::print("  {}: cannot be set up. {}\n", method.id, error.what());
          good = false;
          continue;
        }
      }
      fmt::print("  {}: fits{}\n", method.id, gradient);
    }
  }
  return good ? 0 : 1;
}

}  // namespace

Command check_command() { return command<CheckRequest>("check", options_of, check_config); }

}  // namespace alidade::commands
