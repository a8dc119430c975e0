#include "experiments/config/experiment.hpp"

#include <sentences/config.hpp>

#include <algorithm>
#include <initializer_list>

#include "experiments/config/config_keys.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/config/method_keys.hpp"
#include "experiments/config/sweeps.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/external/command_call.hpp"
#include "experiments/external/command_method.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/random.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

[[noreturn]] void refuse_id(std::string_view what, const std::string& id, const TextPosition& at) {
  refuse_at(at, "Two {}s are called '{}'. Give one of them another id, or list each value only once.", what, id);
}

/// `holdouts`: sweeps the data set, unless it has a holdout of its own.
void add_datasets(const config_keys::Dataset& dataset, const ValueArray& holdouts, Experiment& out) {
  ValueTable options = dataset.options;
  if (!holdouts.empty() && !options.find("holdout")) options.set("holdout", holdouts);
  const auto& entry = datasets::dataset_catalog().at(dataset.name, dataset.name_at.prefix());
  const SweptPart part{"", entry.options, &options};
  for (const SweepPoint& point : expand_sweeps({&part, 1}, dataset.zip)) {
    DatasetSetup setup{swept_id(dataset.id.empty() ? dataset.name : dataset.id, point.swept), dataset.name,
                       resolve_options(entry.options, point.parts.front(), "dataset '" + dataset.name + "'"),
                       dataset.content};
    if (std::ranges::find(out.datasets, setup.id, &DatasetSetup::id) != out.datasets.end())
      refuse_id("dataset", setup.id, dataset.at);
    out.datasets.push_back(std::move(setup));
  }
}

/// Whether both run on some common data set.
bool meet(const MethodSetup& a, const MethodSetup& b) {
  return a.datasets.empty() || b.datasets.empty() ||
         std::ranges::find_first_of(a.datasets, b.datasets) != a.datasets.end();
}

void add_methods(const MethodKeys& method, const MethodDefaults& defaults, Experiment& out) {
  for (MethodSetup& setup : methods_of(method, defaults, out.datasets)) {
    for (const MethodSetup& other : out.methods)
      if (other.id == setup.id && meet(other, setup)) refuse_id("method", setup.id, method.at);
    out.methods.push_back(std::move(setup));
  }
}

std::vector<std::string> default_metrics(const std::vector<MethodSetup>& methods) {
  std::vector<std::string> out;
  for (const metrics::MetricEntry& metric : metrics::metric_catalog().entries()) {
    const bool concerns_one =
        metric.problem.empty() || std::ranges::find(methods, metric.problem, &MethodSetup::problem) != methods.end();
    if (!metric.costly && concerns_one) out.push_back(metric.name);
  }
  return out;
}

template <class Catalog>
bool has_option(const Catalog& catalog, std::string_view name) {
  return std::ranges::any_of(catalog.entries(),
                             [&](const auto& entry) { return find_option(entry.options, name) != nullptr; });
}

/// @throws ConfigError where --set gives the option of a problem, solver or data set at the top
void check_settings(const ValueTable& config) {
  const auto is_key = [](std::string_view name) {
    return find_option(config_keys::head().infos(), name) || find_option(config_keys::sections().infos(), name);
  };
  for (const auto& [key, value] : config) {
    if (value.at.file != "--set" || is_key(key)) continue;
    for (const auto& [place, has] : {std::pair{"problem", has_option(problem_catalog(), key)},
                                     std::pair{"solver", has_option(solver_catalog(), key)},
                                     std::pair{"dataset.0", has_option(datasets::dataset_catalog(), key)}})
      require<ConfigError>(!has, "--set: '{0}' is an option of a {1}. Write {2}.{0}=VALUE.", key,
                           place == std::string_view("dataset.0") ? "data set" : place, place);
  }
}

ValueArray to_array(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

ValueTable with_name(const std::string& name, const ValueTable& options) {
  ValueTable table = table_with({{"name", name}});
  table.merge(options);
  return table;
}

/// A method's `input`, as in a configuration.
ValueTable input_table(const MethodSetup& input) {
  return table_with({{"problem", with_name(input.problem, input.problem_options)},
                     {"solver", with_name(input.solver, input.solver_options)}});
}

/// A command and its options, as in a configuration.
ValueTable command_table(const ValueTable& resolved) {
  ValueTable out, options;
  for (const auto& [key, value] : resolved)
    if (!value.is_null() && value != Value("")) (key == "command" || key == "needs" ? out : options).set(key, value);
  out.set("options", std::move(options));
  return out;
}

/// Rules of a method that are not the usual ones.
ValueTable rules_table(const MethodSetup& setup) {
  ValueTable out;
  if (setup.matching != MatchingRule::observed) out.set("matching", std::string(to_string(setup.matching)));
  if (setup.starts != StartRule::given) out.set("starts", std::string(to_string(setup.starts)));
  if (!setup.leaves_saddles) out.set("leaves_saddles", false);
  return out;
}

/// The method as in a configuration, with all options; interprets to itself.
ValueTable method_table(const MethodSetup& setup) {
  ValueTable table = table_with({{"id", setup.id}});
  table.merge(setup.problem == kCommand ? command_table(setup.problem_options)
                                        : table_with({{"problem", with_name(setup.problem, setup.problem_options)},
                                                      {"solver", with_name(setup.solver, setup.solver_options)}}));
  if (!setup.choose.empty()) table.set("choose", setup.choose);
  if (!setup.choose.empty() || setup.rule != ChoiceRule::lowest) table.set("rule", std::string(to_string(setup.rule)));
  if (setup.input) table.set("input", input_table(*setup.input));
  table.merge(rules_table(setup));
  if (!setup.datasets.empty()) table.set("datasets", ValueArray(setup.datasets.begin(), setup.datasets.end()));
  return table;
}

// A larger plan is a mistake, and would not fit into memory.
constexpr double kMostRuns = 1e6;

}  // namespace

Experiment interpret(const ValueTable& config) {
  offer_commands();
  check_settings(config);
  const config_keys::Config keys = config_keys::read(config);
  Experiment out;
  out.name = keys.name;
  out.seed = static_cast<std::uint64_t>(keys.seed);
  out.repeats = keys.repeats;
  out.timeout_seconds = keys.timeout_seconds;
  out.memory_bytes = keys.memory_bytes;
  out.max_size_bytes = keys.max_size_bytes;
  out.split = keys.split.rule;
  out.uncertainty = keys.uncertainty;
  out.trace = keys.evaluate.schedule;
  out.trace.metrics = keys.evaluate.trace_metrics;
  for (const config_keys::Dataset& dataset : keys.datasets) add_datasets(dataset, keys.split.holdouts, out);
  check_defaults(keys, out.datasets);
  for (const MethodKeys& method : keys.methods) add_methods(method, keys, out);
  out.metrics = keys.evaluate.metrics.value_or(default_metrics(out.methods));
  for (const DatasetSetup& setup : out.datasets)
    require<ConfigError>(out.split.folds == 0 || setup.options.find("observed_fraction")->number().value() == 1,
                         words::kHiddenAndFolds, setup.id);
  for (const DatasetSetup& setup : out.datasets)
    require<ConfigError>(!out.split.refit || training_rule(setup).asked == 0, words::kAskedAndRefit, setup.id);
  const double runs = static_cast<double>(out.repeats) * static_cast<double>(std::max<Index>(out.split.folds, 1)) *
                      static_cast<double>(out.datasets.size()) * static_cast<double>(out.methods.size());
  require<ConfigError>(runs <= kMostRuns, words::kTooManyRuns, runs, kMostRuns);
  return out;
}

ValueTable resolved_config(const Experiment& e) {
  ValueTable out = table_with({{"schema", config_keys::kSchema},
                               {"name", e.name},
                               {"seed", static_cast<std::int64_t>(e.seed)},
                               {"repeats", static_cast<std::int64_t>(e.repeats)}});
  if (e.timeout_seconds) out.set("timeout", *e.timeout_seconds);
  if (e.memory_bytes) out.set("memory", static_cast<std::int64_t>(*e.memory_bytes));
  if (e.max_size_bytes) out.set("max_size", static_cast<std::int64_t>(*e.max_size_bytes));
  out.set("split", config_keys::split().resolve(e.split));
  out.set("uncertainty", config_keys::uncertainty().resolve(e.uncertainty));
  ValueTable evaluate = table_with({{"metrics", to_array(e.metrics)},
                                    {"trace_metrics", to_array(e.trace.metrics)},
                                    {"schedule", config_keys::schedule().resolve(e.trace)}});
  out.set("evaluate", std::move(evaluate));
  ValueArray datasets, methods;
  for (const DatasetSetup& setup : e.datasets) {
    ValueTable table = table_with({{"id", setup.id}, {"name", setup.name}});
    for (const auto& [key, value] : setup.options)
      if (key != "name") table.set(key, value);
    if (!setup.content.empty()) table.set("content", setup.content);
    datasets.emplace_back(std::move(table));
  }
  for (const MethodSetup& setup : e.methods) methods.emplace_back(method_table(setup));
  out.set("dataset", std::move(datasets));
  out.set("method", std::move(methods));
  return out;
}

namespace {

/// Leaves these options out where they have their defaults: they were none when the first runs got their ids, which
/// runs keep.
ValueTable without_default(ValueTable options, const std::vector<OptionInfo>& infos,
                           std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const OptionInfo* info = find_option(infos, name);
    const Value* value = options.find(name);
    if (info && value && *value == info->default_value) options.erase(name);
  }
  return options;
}

/// Also without options that change nothing: of similarity if none is made, of asking if all answers are used.
ValueTable identity_of(const DatasetSetup& setup) {
  ValueTable options = setup.options;
  if (const Value* asked = options.find("asked"); asked && asked->number().value_or(0) == 0)
    for (const char* name : {"asked", "asked_by", "asked_random_share"}) options.erase(name);
  if (const Value* similarity = options.find("similarity"); similarity && *similarity == Value("none"))
    for (const char* name : {"similarity", "k", "symmetry"}) options.erase(name);
  const std::vector<OptionInfo>& infos = datasets::dataset_catalog().at(setup.name).options;
  if (options.find("asymmetry")) options = without_default(std::move(options), infos, {"missing"});  // of distances
  if (options.find("where") && !options.find("answers"))  // of pairs and clusterings
    options = without_default(std::move(options), infos, {"columns"});
  if (setup.name == "clusterings") options = without_default(std::move(options), infos, {"labels"});
  if (options.find("exchange")) options = without_default(std::move(options), infos, {"features"});  // of answers
  return without_default(std::move(options), infos, {"holdout", "exchange", "missing_codes", "where"});
}

/// Placement was an option of the other problems from the first; the seed of a problem's draws was 1 by default.
ValueTable identity_of_problem(const MethodSetup& setup) {
  ValueTable options = setup.problem_options;
  const auto infos = [&] { return problem_catalog().at(setup.problem).options; };
  if (Value* seed = options.find("seed"); seed && *seed == Value(0) && find_option(infos(), "seed")) *seed = Value(1);
  const char* later = setup.problem == "weighted_ete"   ? "placement"
                      : setup.problem == "common_space" ? "views"
                                                        : nullptr;
  return later ? without_default(std::move(options), infos(), {later}) : options;
}

ValueTable identity_of(const UncertaintyRule& rule) {
  return without_default(config_keys::uncertainty().resolve(rule), config_keys::uncertainty().infos(), {"ellipses"});
}

ValueTable identity_of(const SplitRule& rule) {
  return without_default(config_keys::split().resolve(rule), config_keys::split().infos(),
                         {"objects", "refit", "by_annotator", "questions"});
}

}  // namespace

Experiment with_contents(Experiment e, const std::filesystem::path& data_folder) {
  const ReadingLimit limit(e.max_size_bytes, e.timeout_seconds);
  const WhileReading reading;
  for (DatasetSetup& setup : e.datasets) {
    const std::string digest =
        datasets::content_digest(datasets::dataset_catalog().at(setup.name), setup.options, data_folder);
    if (digest.empty()) continue;
    require<DataError>(setup.content.empty() || setup.content == digest, words::kOtherData, setup.id, digest,
                       "this config was made", setup.content, words::kRestoreContent);
    setup.content = digest;
  }
  for (MethodSetup& method : e.methods)
    for (ValueTable* options : {&method.problem_options, &method.solver_options}) {
      if (words_of_command(*options).empty()) continue;
      Value& known = *options->find("checksum");
      const std::string checksum = checksum_of_command(*options);
      require<DataError>(known == Value("") || known == Value(checksum), words::kCommandChanged, method.id);
      known = checksum;
    }
  return e;
}

std::string description_of(const PlannedRun& run, const Experiment& experiment) {
  return fmt::format("{} on {}, repeat {}{}", experiment.methods[run.method].id, experiment.datasets[run.dataset].id,
                     run.repeat, run.fold ? fmt::format(", fold {}", *run.fold) : "");
}

std::vector<PlannedRun> plan(const Experiment& e) {
  std::vector<PlannedRun> out;
  const Index folds = std::max<Index>(e.split.folds, 1);
  for (Index repeat = 0; repeat < e.repeats; ++repeat)
    for (std::size_t d = 0; d < e.datasets.size(); ++d)
      for (Index fold = 0; fold < folds; ++fold)
        for (std::size_t m = 0; m < e.methods.size(); ++m) {
          const DatasetSetup& dataset = e.datasets[d];
          const MethodSetup& method = e.methods[m];
          if (!concerns(method, dataset)) continue;
          PlannedRun run{"", out.size(), d, m, repeat, std::nullopt};
          if (e.split.folds > 0) run.fold = fold;
          ValueTable identity = table_with({{"dataset", dataset.name}, {"dataset_options", identity_of(dataset)}});
          if (!dataset.content.empty()) identity.set("dataset_content", dataset.content);
          identity.merge(table_with({{"problem", method.problem},
                                     {"problem_options", identity_of_problem(method)},
                                     {"solver", method.solver},
                                     {"solver_options", method.solver_options},
                                     {"choose", method.choose}}));
          if (method.rule != ChoiceRule::lowest) identity.set("rule", std::string(to_string(method.rule)));
          identity.merge(rules_table(method));
          if (method.input) identity.set("input", input_table(*method.input));
          identity.set("split", identity_of(e.split));
          if (e.uncertainty.bootstrap > 0 || e.uncertainty.local())
            identity.set("uncertainty", identity_of(e.uncertainty));
          identity.set("metrics", to_array(e.metrics));
          identity.set("trace_metrics", to_array(e.trace.metrics));
          identity.set("schedule", config_keys::schedule().resolve(e.trace));
          identity.set("seed", static_cast<std::int64_t>(e.seed));
          identity.set("repeat", static_cast<std::int64_t>(repeat));
          identity.set("fold", run.fold ? static_cast<std::int64_t>(*run.fold) : std::int64_t{-1});
          identity.set("ids", dataset.id + "\n" + method.id);
          run.id = fmt::format("{:016x}", Rng::derive(0, Value(identity).to_text()));
          out.push_back(std::move(run));
        }
  return out;
}

}  // namespace alidade
