#include "experiments/config/config_keys.hpp"

#include <sentences/config.hpp>

#include <cmath>

#include "experiments/config/config_file.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/printable.hpp"

namespace alidade::config_keys {
namespace {

std::string folder_word(const Value& value) {
  const std::string& name = *value.get_if<std::string>();
  if (name.find('/') != std::string::npos || name == "." || name == "..")
    refuse_at(value.at, "The name '{}' cannot be the name of a folder. Leave out '/'.", name);
  if (printable(name) != name) refuse_at(value.at, words::kUnprintableName, name);
  return name;
}

/// @throws ConfigError unless the list has fractions above 0
const ValueArray& holdouts_of(const Value& list) {
  const ValueArray& out = *list.get_if<ValueArray>();
  require_at(list.at, !out.empty(), "[split]: holdout is an empty list. Give fractions, such as [0.2, 0.5].");
  for (const Value& one : out) {
    const double share = one.number().value_or(0);
    if (!(share > 0 && share < 1)) refuse_at(list.at, words::kHoldoutOfList, one.to_text());
  }
  return out;
}

Split split_of(const Value& value) {
  Split out;
  ValueTable table = table_of(value, "split");
  const auto refuse = [&](const char* key, const std::string& why) {
    refuse_at(table.find(key)->at, "[split]: {}", why);
  };
  if (const Value* list = table.find("holdout"); list && list->get_if<ValueArray>()) {
    out.holdouts = holdouts_of(*list);
    out.holdouts_at = list->at;
    table.set("holdout", out.holdouts.front());
  }
  out.rule = split().parse(table, "[split]");
  const double objects = out.rule.objects;
  if (!out.holdouts.empty() && out.rule.folds > 0) refuse_at(out.holdouts_at, words::kFoldsAndHoldouts);
  if (objects >= 1 && objects != std::floor(objects)) refuse("objects", fmt::format(words::kObjectsRange, objects));
  if (out.rule.folds == 1) refuse("folds", "folds must be 0 (none) or at least 2.");
  return out;
}

UncertaintyRule uncertainty_of(const Value& value) {
  const ValueTable& table = table_of(value, "uncertainty");
  UncertaintyRule out = uncertainty().parse(table, "[uncertainty]");
  if (out.bootstrap == 1) refuse_at(table.find("bootstrap")->at, words::kBootstrapOfOne);
  if (out.bootstrap == 0 && out.ellipses == "parametric")
    refuse_at(table.find("ellipses")->at, words::kParametricOfNone);
  if (out.bootstrap > 0 && out.local()) refuse_at(table.find("ellipses")->at, words::kEllipsesOfTwo, out.ellipses);
  return out;
}

std::uint64_t memory_of(const Value& value) {
  constexpr std::uint64_t kLeast = 8 << 20;
  const std::uint64_t out = bytes_of(value);
  require_at(value.at, out >= kLeast, words::kLittleMemory, value.to_text());
  return out;
}

std::vector<std::string> metric_names(const Value& value) {
  const auto* list = value.get_if<ValueArray>();
  if (!list) refuse_at(value.at, "metrics must be a list, such as [\"heldout_error\"].");
  return mapped<std::string>(*list, [&](const Value& item) {
    return metrics::metric_catalog().at(text_of(item, "A metric"), item.at.prefix()).name;
  });
}

Dataset dataset_of(const Value& value) {
  ValueTable keys, options;
  for (const auto& [name, given] : table_of(value, "A dataset"))
    (find_option(dataset().infos(), name) ? keys : options).set(name, given);
  Dataset out = dataset().parse(keys, "A dataset");
  require_at(value.at, !out.name.empty(), "A dataset needs a name. Write {{ name = \"...\" }}.");
  out.options = std::move(options);
  out.at = value.at;
  out.name_at = keys.find("name")->at;
  return out;
}

/// The entries of [[section]], each read by `reader`.
template <class Reader>
auto section_entries(const Value& value, std::string_view section, Reader reader) {
  const auto* list = value.get_if<ValueArray>();
  if (!list || list->empty())
    refuse_at(value.at, words::kSectionMissing, section, value.get_if<ValueTable>() ? ", in double brackets" : "");
  return mapped<decltype(reader(value))>(*list, [&](const Value& item) { return reader(item); });
}

}  // namespace

const OptionList<Head>& head() {
  static const auto kList =
      OptionList<Head>()
          .integer("schema", &Head::schema, between(1, kSchema), "version of the config format")
          .read(key("name", "text", "name of the experiment and of its results folder", ""), &Head::name, folder_word)
          .integer("seed", &Head::seed, between(0, 9e15), "seed of all random numbers")
          .integer("repeats", &Head::repeats, between(1, 1e6),
                   "number of repeats, each with new data, a new split and a new start; "
                   "significance tests need about 10")
          .read(key("timeout", "duration", "time limit of a run, such as \"120s\" or \"5min\""), &Head::timeout_seconds,
                seconds_of)
          .read(key("memory", "size", "memory limit of a run, such as \"2GB\""), &Head::memory_bytes, memory_of)
          .read(key("max_size", "size",
                    "how large a data file may be, unpacked, such as \"8GB\"; by default 4GB, or half of the machine's "
                    "memory where that is less"),
                &Head::max_size_bytes, bytes_of);
  return kList;
}

const OptionList<SplitRule>& split() {
  static const auto kList =
      OptionList<SplitRule>()
          .real("holdout", &SplitRule::holdout, half_open(0, 1),
                "fraction of the triplets to hold out; a list sweeps: one run for each")
          .integer("folds", &SplitRule::folds, between(0, 1000),
                   "number of folds of a cross-validation, 2 or more, in place of holdout; 0: none")
          .real("objects", &SplitRule::objects, at_least(0),
                "objects to hold out, with all their data: a fraction below 1 or a number of objects; 0: none")
          .real("validation", &SplitRule::validation, {0, 1, true, true},
                "fraction of the training triplets that `choose` uses for validation")
          .flag("by_annotator", &SplitRule::by_annotator,
                "hold out whole annotators, with all their answers: how well the map predicts other people")
          .text("questions", &SplitRule::questions, {"split", "whole", "auto"},
                "whole: hold out whole questions, with all answers to each: how well the map predicts other questions; "
                "split: some answers to a question may be held out and others not; auto: whole where few questions "
                "were asked often")
          .flag("refit", &SplitRule::refit,
                "after measuring, fit the same method to all triplets and write that map; of more than a million "
                "triplets, from the measured map");
  return kList;
}

const OptionList<UncertaintyRule>& uncertainty() {
  static const auto kList =
      OptionList<UncertaintyRule>()
          .integer("bootstrap", &UncertaintyRule::bootstrap, between(0, 10'000),
                   "number of bootstrap replicates of the training answers; 0: none")
          .text("ellipses", &UncertaintyRule::ellipses, {"bootstrap", "parametric", "sandwich", "curvature"},
                "what ellipses come from; bootstrap: the replicates; parametric: replicates whose answers the fitted "
                "map and each person's own noise give; sandwich: the curvature of the objective and the spread of the "
                "answers' gradients, without another fit; curvature: the curvature alone, which is right where the "
                "loss fits the answers");
  return kList;
}

const OptionList<TraceRule>& schedule() {
  static const auto kList =
      OptionList<TraceRule>()
          .text("kind", &TraceRule::kind, {"log", "linear", "none"},
                "spacing of the points at which trace_metrics are measured during a solve: log, linear or none")
          .integer("points", &TraceRule::points, between(1, 100'000), "approximate number of such points");
  return kList;
}

const OptionList<Evaluation>& evaluate() {
  static const auto kList =
      OptionList<Evaluation>()
          .read(key("metrics", "list of metrics", "names from `alidade list metrics`; by default all"),
                &Evaluation::metrics, metric_names)
          .read(
              key("trace_metrics", "list of metrics", "metrics to measure during a solve", ValueArray{"heldout_error"}),
              &Evaluation::trace_metrics, metric_names)
          .read(key("schedule", "table", "when to measure trace_metrics: { kind, points }"), &Evaluation::schedule,
                [](const Value& value) { return schedule().parse(table_of(value, "schedule"), "schedule"); });
  return kList;
}

const OptionList<Dataset>& dataset() {
  static const auto kList =
      OptionList<Dataset>()
          .read(key("id", "text", "name in rows and tables; by default the data set's name"), &Dataset::id,
                reader(text_of, "id"))
          .read(key("name", "data set", "a name from `alidade list datasets`"), &Dataset::name, reader(text_of, "name"))
          .read(key("content", "text",
                    "digest of what the files of the data set hold, as config.resolved.toml has it: other content is "
                    "then refused"),
                &Dataset::content, reader(text_of, "content"))
          .read(key("zip", "list of lists of keys",
                    "options whose lists are swept together, not as a product: [[\"n\", \"triplets\"]]"),
                &Dataset::zip, reader(zip_of, R"([["n", "triplets"]])"));
  return kList;
}

const OptionList<Config>& sections() {
  static const auto kList =
      OptionList<Config>()
          .read(key("include", "file",
                    "another config, by its path from this one; keys given here complete or replace its keys"),
                &Config::name,
                [](const Value& value) -> std::string {
                  refuse_at(value.at, "include works only in a config that is read from a file. Leave it out.");
                })
          .read(key("split", "table", "what to hold out of training"), &Config::split, split_of)
          .read(key("uncertainty", "table", "how far the objects would move with other answers (bootstrap)"),
                &Config::uncertainty, uncertainty_of)
          .read(key("evaluate", "table", "what to measure, and when"), &Config::evaluate,
                [](const Value& value) { return evaluate().parse(table_of(value, "evaluate"), "[evaluate]"); })
          .read(key("problem", "tables of options by problem",
                    "[problem.NAME]: options for all methods with that problem"),
                &Config::problem, reader(tables_by_name, "problem"))
          .read(key("solver", "tables of options by solver", "[solver.NAME]: options for all methods with that solver"),
                &Config::solver, reader(tables_by_name, "solver"))
          .read(key("dataset", "list of data sets",
                    "[[dataset]]: a data set to run the methods on; a list of values makes a sweep"),
                &Config::datasets, [](const Value& value) { return section_entries(value, "dataset", dataset_of); })
          .read(key("method", "list of methods",
                    "[[method]]: a problem and the solver that minimises it; a list of values makes a sweep"),
                &Config::methods, [](const Value& value) { return section_entries(value, "method", method_of); })
          .read(key("when", "list of conditions", "[[when]]: options of problems and solvers for some data sets only"),
                &Config::when, [](const Value& value) { return conditions_of(value, "[[when]]", when()); });
  return kList;
}

Config read(const ValueTable& config) {
  static const auto kList = OptionList<Config>().include(head()).include(sections());
  Config out = kList.parse(config, "The config");
  require<ConfigError>(!out.name.empty(), "The config has no name. Add, for example, name = \"my_experiment\".");
  require<ConfigError>(!out.datasets.empty(), "The config needs at least one [[dataset]].");
  require<ConfigError>(!out.methods.empty(), "The config needs at least one [[method]].");
  return out;
}

}  // namespace alidade::config_keys
