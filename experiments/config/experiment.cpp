#include "experiments/config/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "experiments/config/config_file.hpp"
#include "experiments/config/config_keys.hpp"
#include "experiments/config/method_config.hpp"
#include "experiments/config/sweeps.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/random.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

using config_keys::check_keys;
using config_keys::table_of;
using config_keys::text_of;

std::vector<std::string> metric_names(const Value& value) {
  const auto* list = value.get_if<ValueArray>();
  if (!list)
    throw ConfigError(fmt::format("{}metrics must be a list, such as [\"heldout_error\"].", value.at.prefix()));
  std::vector<std::string> out;
  for (const Value& item : *list)
    out.push_back(metrics::metric_catalog().at(text_of(item, "A metric"), item.at.prefix()).name);
  return out;
}

[[noreturn]] void refuse_id(std::string_view what, const std::string& id, const Value& value) {
  throw ConfigError(fmt::format("{}Two {}s are called '{}'. Give one of them another id, or list each value only once.",
                                value.at.prefix(), what, id));
}

/// `holdouts`: the list that holdout of [split] is, or null; each data set without one of its own is swept by it.
void add_datasets(const Value& given_value, const Value* holdouts, Experiment& out) {
  const ValueTable& table = table_of(given_value, "A dataset");
  auto [name, options] = named(given_value, "A dataset");
  if (holdouts && !table.find("holdout")) options.set("holdout", *holdouts);
  std::string id = name;
  if (const Value* id_value = table.find("id")) id = text_of(*id_value, "id");
  std::string content;
  if (const Value* content_value = table.find("content")) content = text_of(*content_value, "content");
  const auto& entry = datasets::dataset_catalog().at(name, table.find("name")->at.prefix());
  for (const OptionInfo& key : config_keys::dataset()) options.erase(key.name);
  const SweptPart part{"", entry.options, &options};
  for (const SweepPoint& point : expand_sweeps({&part, 1}, table.find("zip"))) {
    DatasetSetup setup{swept_id(id, point.swept), name,
                       resolve_options(entry.options, point.parts.front(), "dataset '" + name + "'"), content};
    if (std::ranges::find(out.datasets, setup.id, &DatasetSetup::id) != out.datasets.end())
      refuse_id("dataset", setup.id, given_value);
    out.datasets.push_back(std::move(setup));
  }
}

/// @throws ConfigError unless the list has fractions above 0
void require_holdouts(const Value& list) {
  const ValueArray& all = *list.get_if<ValueArray>();
  require<ConfigError>(!all.empty(), "{}[split]: holdout is an empty list. Give fractions, such as [0.2, 0.5].",
                       list.at.prefix());
  for (const Value& one : all) {
    const double share = one.number().value_or(0);
    if (!(share > 0 && share < 1))
      throw ConfigError(fmt::format("{}[split]: Each holdout of a list must be a number above 0 and below 1, not {}.",
                                    list.at.prefix(), one.to_text()));
  }
}

/// The entries of [[section]]. @throws ConfigError if there is none
const ValueArray& list_of(const ValueTable& config, std::string_view section) {
  const Value* all = config.find(section);
  const auto* list = all ? all->get_if<ValueArray>() : nullptr;
  if (!list || list->empty())
    throw ConfigError(fmt::format("{}The config needs at least one [[{}]]{}.", all ? all->at.prefix() : "", section,
                                  all && all->get_if<ValueTable>() ? ", in double brackets" : ""));
  return *list;
}

/// Whether both run on some common data set.
bool meet(const MethodSetup& a, const MethodSetup& b) {
  return a.datasets.empty() || b.datasets.empty() ||
         std::ranges::find_first_of(a.datasets, b.datasets) != a.datasets.end();
}

void add_methods(const Value& value, const ValueTable& config, Experiment& out) {
  for (MethodSetup& setup : methods_of(value, config, out.datasets)) {
    for (const MethodSetup& other : out.methods)
      if (other.id == setup.id && meet(other, setup)) refuse_id("method", setup.id, value);
    out.methods.push_back(std::move(setup));
  }
}

std::vector<std::string> usual_metrics(const std::vector<MethodSetup>& methods) {
  std::vector<std::string> out;
  for (const metrics::MetricEntry& metric : metrics::metric_catalog().entries()) {
    const bool concerns_one =
        metric.problem.empty() || std::ranges::find(methods, metric.problem, &MethodSetup::problem) != methods.end();
    if (!metric.costly && concerns_one) out.push_back(metric.name);
  }
  return out;
}

void read_evaluation(const ValueTable& table, Experiment& out) {
  check_keys(table, "[evaluate]", config_keys::evaluate());
  if (const Value* names = table.find("metrics")) out.metrics = metric_names(*names);
  if (const Value* names = table.find("trace_metrics")) out.trace.metrics = metric_names(*names);
  if (const Value* schedule = table.find("schedule")) {
    const auto rule = config_keys::schedule().parse(table_of(*schedule, "schedule"), "schedule");
    out.trace.kind = rule.kind;
    out.trace.points = rule.points;
  }
}

template <class Catalog>
bool has_option(const Catalog& catalog, std::string_view name) {
  return std::ranges::any_of(catalog.entries(),
                             [&](const auto& entry) { return find_option(entry.options, name) != nullptr; });
}

/// Reads the keys before the sections, and checks that there is no unknown key.
config_keys::Head read_head(const ValueTable& config) {
  ValueTable top;
  for (const auto& [key, value] : config) {
    if (key == "include")
      throw ConfigError(
          fmt::format("{}include works only in a config that is read from a file. Leave it out.", value.at.prefix()));
    if (find_option(config_keys::sections(), key)) continue;
    auto infos = config_keys::head().infos();
    if (!find_option(infos, key)) {
      if (value.at.file == "--set")
        for (const auto& [place, has] : {std::pair{"problem", has_option(problem_catalog(), key)},
                                         std::pair{"solver", has_option(solver_catalog(), key)},
                                         std::pair{"dataset.0", has_option(datasets::dataset_catalog(), key)}})
          require<ConfigError>(!has, "--set: '{0}' is an option of a {1}. Write {2}.{0}=VALUE.", key,
                               place == std::string_view("dataset.0") ? "data set" : place, place);
      infos.insert(infos.end(), config_keys::sections().begin(), config_keys::sections().end());
      unknown_option(key, value, "The config", infos);
    }
    top.set(key, value);
  }
  return config_keys::head().parse(top, "The config");
}

ValueArray to_array(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

ValueTable schedule_table(const TraceRule& rule) {
  ValueTable out;
  out.set("kind", rule.kind);
  out.set("points", static_cast<std::int64_t>(rule.points));
  return out;
}

// A larger plan is a mistake, and would not fit into memory.
constexpr double kMostRuns = 1e6;

}  // namespace

Experiment interpret(const ValueTable& config) {
  Experiment out;
  const config_keys::Head head = read_head(config);
  require<ConfigError>(!head.name.empty(), "The config has no name. Add, for example, name = \"my_experiment\".");
  if (head.name.find('/') != std::string::npos || head.name == "." || head.name == "..")
    throw ConfigError(fmt::format("{}The name '{}' cannot be the name of a folder. Leave out '/'.",
                                  config.find("name")->at.prefix(), head.name));
  if (printable(head.name) != head.name)
    throw ConfigError(fmt::format("{}The name '{}' has characters that cannot be printed. Leave them out.",
                                  config.find("name")->at.prefix(), head.name));
  out.name = head.name;
  out.seed = static_cast<std::uint64_t>(head.seed);
  out.repeats = head.repeats;
  if (!head.timeout.is_null()) out.timeout_seconds = seconds_of(head.timeout);
  if (!head.memory.is_null()) out.memory_bytes = bytes_of(head.memory);
  if (!head.max_size.is_null()) out.max_size_bytes = bytes_of(head.max_size);

  std::optional<Value> holdouts;
  if (const Value* split = config.find("split")) {
    ValueTable table = table_of(*split, "split");
    if (const Value* list = table.find("holdout"); list && list->get_if<ValueArray>()) {
      holdouts = *list;
      require_holdouts(*list);
      table.set("holdout", list->get_if<ValueArray>()->front());
    }
    out.split = config_keys::split().parse(table, "[split]");
    if (holdouts && out.split.folds > 0)
      throw ConfigError(
          fmt::format("{}[split]: folds stand in place of holdout. Leave out the list of holdouts, or "
                      "folds.",
                      holdouts->at.prefix()));
    if (out.split.objects >= 1 && out.split.objects != std::floor(out.split.objects))
      throw ConfigError(fmt::format("{}[split]: objects must be a fraction below 1 or a whole number, not {}.",
                                    split->get_if<ValueTable>()->find("objects")->at.prefix(), out.split.objects));
    if (out.split.folds == 1)
      throw ConfigError(fmt::format("{}[split]: folds must be 0 (none) or at least 2.",
                                    split->get_if<ValueTable>()->find("folds")->at.prefix()));
  }
  if (const Value* uncertainty = config.find("uncertainty")) {
    out.uncertainty = config_keys::uncertainty().parse(table_of(*uncertainty, "uncertainty"), "[uncertainty]");
    if (out.uncertainty.bootstrap == 1)
      throw ConfigError(fmt::format("{}[uncertainty]: bootstrap must be 0 (none) or at least 2.",
                                    uncertainty->get_if<ValueTable>()->find("bootstrap")->at.prefix()));
    if (out.uncertainty.bootstrap > 0 && out.uncertainty.local())
      throw ConfigError(
          fmt::format("{}[uncertainty]: ellipses come from bootstrap replicates or from the {}, not from both. Leave "
                      "out `bootstrap` or `ellipses`.",
                      uncertainty->get_if<ValueTable>()->find("ellipses")->at.prefix(), out.uncertainty.ellipses));
  }
  for (const Value& item : list_of(config, "dataset")) add_datasets(item, holdouts ? &*holdouts : nullptr, out);
  const ValueArray& methods = list_of(config, "method");
  check_defaults(config, out.datasets);
  for (const Value& item : methods) add_methods(item, config, out);
  out.metrics = usual_metrics(out.methods);
  if (const Value* evaluate = config.find("evaluate")) read_evaluation(table_of(*evaluate, "evaluate"), out);
  for (const DatasetSetup& setup : out.datasets)
    require<ConfigError>(out.split.folds == 0 || setup.options.find("observed_fraction")->number().value() == 1,
                         "Dataset '{}' hides objects from aspects (observed_fraction), so its triplets cannot be "
                         "held out in folds as well. Leave out folds of [split], or observed_fraction.",
                         setup.id);
  for (const DatasetSetup& setup : out.datasets)
    require<ConfigError>(!out.split.refit || training_rule(setup).asked == 0,
                         "Dataset '{}' uses only the answers that were asked for (asked), so that no map can be "
                         "refitted to all answers. Leave out refit of [split], or asked.",
                         setup.id);
  const double runs = static_cast<double>(out.repeats) * static_cast<double>(std::max<Index>(out.split.folds, 1)) *
                      static_cast<double>(out.datasets.size()) * static_cast<double>(out.methods.size());
  require<ConfigError>(runs <= kMostRuns,
                       "The config plans {:.0f} runs; the limit is {:.0f}. Give fewer repeats, "
                       "folds or sweeps.",
                       runs, kMostRuns);
  return out;
}

ValueTable resolved_config(const Experiment& e) {
  ValueTable out;
  out.set("schema", config_keys::kSchema);
  out.set("name", e.name);
  out.set("seed", static_cast<std::int64_t>(e.seed));
  out.set("repeats", static_cast<std::int64_t>(e.repeats));
  if (e.timeout_seconds) out.set("timeout", *e.timeout_seconds);
  if (e.memory_bytes) out.set("memory", static_cast<std::int64_t>(*e.memory_bytes));
  if (e.max_size_bytes) out.set("max_size", static_cast<std::int64_t>(*e.max_size_bytes));
  out.set("split", config_keys::split().resolve(e.split));
  out.set("uncertainty", config_keys::uncertainty().resolve(e.uncertainty));
  ValueTable evaluate;
  evaluate.set("metrics", to_array(e.metrics));
  evaluate.set("trace_metrics", to_array(e.trace.metrics));
  evaluate.set("schedule", schedule_table(e.trace));
  out.set("evaluate", std::move(evaluate));
  ValueArray datasets, methods;
  for (const DatasetSetup& setup : e.datasets) {
    ValueTable table;
    table.set("id", setup.id);
    table.set("name", setup.name);
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
  return without_default(std::move(options), infos, {"holdout", "exchange", "missing_codes"});
}

/// Placement was an option of the other problems from the first.
ValueTable identity_of_problem(const MethodSetup& setup) {
  if (setup.problem != "weighted_ete") return setup.problem_options;
  return without_default(setup.problem_options, problem_catalog().at(setup.problem).options, {"placement"});
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
  const ReadingLimit limit(e.max_size_bytes);
  for (DatasetSetup& setup : e.datasets) {
    const std::string digest =
        datasets::content_digest(datasets::dataset_catalog().at(setup.name), setup.options, data_folder);
    if (digest.empty()) continue;
    require<DataError>(setup.content.empty() || setup.content == digest,
                       "The files of dataset '{}' hold other data ({}) than those that this config was made with ({}). "
                       "Restore them, or leave out `content` to take them as they are.",
                       setup.id, digest, setup.content);
    setup.content = digest;
  }
  return e;
}

std::vector<PlannedRun> plan(const Experiment& e) {
  std::vector<PlannedRun> out;
  const Index folds = std::max<Index>(e.split.folds, 1);
  for (Index repeat = 0; repeat < e.repeats; ++repeat)
    for (std::size_t d = 0; d < e.datasets.size(); ++d)
      for (Index fold = 0; fold < folds; ++fold)
        for (std::size_t m = 0; m < e.methods.size(); ++m) {
          if (!concerns(e.methods[m], e.datasets[d])) continue;
          PlannedRun run{"", out.size(), d, m, repeat, std::nullopt};
          if (e.split.folds > 0) run.fold = fold;
          ValueTable identity;
          identity.set("dataset", e.datasets[d].name);
          identity.set("dataset_options", identity_of(e.datasets[d]));
          if (!e.datasets[d].content.empty()) identity.set("dataset_content", e.datasets[d].content);
          identity.set("problem", e.methods[m].problem);
          identity.set("problem_options", identity_of_problem(e.methods[m]));
          identity.set("solver", e.methods[m].solver);
          identity.set("solver_options", e.methods[m].solver_options);
          identity.set("choose", e.methods[m].choose);
          if (e.methods[m].rule != ChoiceRule::lowest) identity.set("rule", std::string(to_string(e.methods[m].rule)));
          if (e.methods[m].matching != MatchingRule::observed)
            identity.set("matching", std::string(to_string(e.methods[m].matching)));
          if (e.methods[m].starts != StartRule::given)
            identity.set("starts", std::string(to_string(e.methods[m].starts)));
          if (e.methods[m].input) identity.set("input", input_table(*e.methods[m].input));
          identity.set("split", identity_of(e.split));
          if (e.uncertainty.bootstrap > 0 || e.uncertainty.local())
            identity.set("uncertainty", identity_of(e.uncertainty));
          identity.set("metrics", to_array(e.metrics));
          identity.set("trace_metrics", to_array(e.trace.metrics));
          identity.set("schedule", schedule_table(e.trace));
          identity.set("seed", static_cast<std::int64_t>(e.seed));
          identity.set("repeat", static_cast<std::int64_t>(repeat));
          identity.set("fold", run.fold ? static_cast<std::int64_t>(*run.fold) : std::int64_t{-1});
          identity.set("ids", e.datasets[d].id + "\n" + e.methods[m].id);
          run.id = fmt::format("{:016x}", Rng::derive(0, Value(identity).to_text()));
          out.push_back(std::move(run));
        }
  return out;
}

}  // namespace alidade
