#include "experiments/config/config_keys.hpp"

#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"

namespace alidade::config_keys {
namespace {

OptionInfo key(std::string name, std::string kind, std::string doc, Value default_value = {}) {
  return {std::move(name), std::move(kind), std::move(default_value), {}, {}, std::move(doc)};
}

OptionInfo choice(std::string name, std::vector<std::string> choices, std::string doc) {
  Value first = choices.front();
  return {std::move(name), "text", std::move(first), {}, std::move(choices), std::move(doc)};
}

}  // namespace

const OptionList<Head>& head() {
  static const auto kList =
      OptionList<Head>()
          .integer("schema", &Head::schema, between(1, kSchema), "version of the config format")
          .text("name", &Head::name, {}, "name of the experiment and of its results folder")
          .integer("seed", &Head::seed, between(0, 9e15), "seed of all random numbers")
          .integer("repeats", &Head::repeats, between(1, 1e6),
                   "number of repeats, each with new data, a new split and a new start; "
                   "significance tests need about 10")
          .nested("timeout", &Head::timeout, "duration", "time limit of a run, such as \"120s\" or \"5min\"")
          .nested("memory", &Head::memory, "size", "memory limit of a run, such as \"2GB\"")
          .nested("max_size", &Head::max_size, "size",
                  "how large a data file may be, unpacked, such as \"8GB\"; by default 4GB, or half of the machine's "
                  "memory where that is less");
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
                "objects to hold out, with all their data: a fraction below 1 or a number of "
                "objects; 0: none")
          .real("validation", &SplitRule::validation, {0, 1, true, true},
                "fraction of the training triplets that `choose` uses for validation")
          .flag("by_annotator", &SplitRule::by_annotator,
                "hold out whole annotators, with all their answers: how well the map predicts other people")
          .text("questions", &SplitRule::questions, {"split", "whole", "auto"},
                "whole: hold out whole questions, with all answers to each: how well the map predicts other questions; "
                "split: some answers to a question may be held out and others not; auto: whole where few questions "
                "were asked often")
          .flag("refit", &SplitRule::refit, "after measuring, fit the same method to all triplets and write that map");
  return kList;
}

const OptionList<UncertaintyRule>& uncertainty() {
  static const auto kList =
      OptionList<UncertaintyRule>()
          .integer("bootstrap", &UncertaintyRule::bootstrap, between(0, 10'000),
                   "number of bootstrap replicates of the training answers; 0: none")
          .text("ellipses", &UncertaintyRule::ellipses, {"bootstrap", "sandwich", "curvature"},
                "what ellipses come from; bootstrap: the replicates; sandwich: the curvature of the objective and the "
                "spread of the answers' gradients, without another fit; curvature: the curvature alone, which is right "
                "where the loss fits the answers");
  return kList;
}

const OptionList<Schedule>& schedule() {
  static const auto kList =
      OptionList<Schedule>()
          .text("kind", &Schedule::kind, {"log", "linear", "none"},
                "spacing of the points at which trace_metrics are measured during a solve: log, "
                "linear or none")
          .integer("points", &Schedule::points, between(1, 100'000), "approximate number of such points");
  return kList;
}

const std::vector<OptionInfo>& sections() {
  static const std::vector<OptionInfo> kKeys = {
      key("include", "file",
          "another config, by its path from this one; keys given here complete or replace its "
          "keys"),
      key("split", "table", "what to hold out of training"),
      key("uncertainty", "table", "how far the objects would move with other answers (bootstrap)"),
      key("evaluate", "table", "what to measure, and when"),
      key("problem", "tables of options by problem", "[problem.NAME]: options for all methods with that problem"),
      key("solver", "tables of options by solver", "[solver.NAME]: options for all methods with that solver"),
      key("dataset", "list of data sets",
          "[[dataset]]: a data set to run the methods on; a list of values makes a sweep"),
      key("method", "list of methods",
          "[[method]]: a problem and the solver that minimises it; a list of values makes a sweep"),
      key("when", "list of conditions", "[[when]]: options of problems and solvers for some data sets only")};
  return kKeys;
}

const std::vector<OptionInfo>& dataset() {
  static const std::vector<OptionInfo> kKeys = {
      key("id", "text", "name in rows and tables; by default the data set's name"),
      key("name", "data set", "a name from `alidade list datasets`"),
      key("content", "text",
          "digest of what the files of the data set hold, as config.resolved.toml has it: other content is then "
          "refused"),
      key("zip", "list of lists of keys",
          "options whose lists are swept together, not as a product: [[\"n\", \"triplets\"]]")};
  return kKeys;
}

const std::vector<OptionInfo>& method() {
  static const std::vector<OptionInfo> kKeys = {
      key("id", "text", "name in rows and tables; by default \"PROBLEM / SOLVER\""),
      key("problem", "problem",
          "a name from `alidade list problems`, or { name = ..., options }; \"auto\" chooses a "
          "loss by validation; a list of them: each with each solver"),
      key("solver", "solver",
          "a name from `alidade list solvers`, or { name = ..., options }; by default the first "
          "that fits; a list of them: each with each problem"),
      key("choose", "choices",
          "hyper-parameters to choose by validation inside the training set: { problem.OPTION = "
          "[candidates], ... }"),
      choice("rule", {"lowest", "one_standard_error", "eigenvalue_share"},
             "how `choose` decides. lowest: the candidate of lowest validation error; "
             "one_standard_error: the first candidate within one standard error (of the difference) of the lowest; "
             "eigenvalue_share (for semidefinite programs, without validation): the candidate "
             "whose drawn axes hold the largest part of the variance"),
      choice("matching", {"observed", "all"},
             "which triplets match latent views with aspects: the observed ones, or all, which is "
             "an oracle"),
      choice(
          "starts", {"given", "by_size"},
          "number of starts of a solve. given: the solver's n_init; by_size: 10 for at most 10,000 training triplets, "
          "if the problem is a loss of triplets. By default by_size where neither a solver nor n_init is named"),
      key("input", "method", "{ problem, solver }: a first method; the dissimilarities are measured on its maps"),
      key("datasets", "list of ids of data sets", "the data sets to run the method on; by default all"),
      key("zip", "list of lists of keys",
          "options whose lists are swept together, not as a product: [[\"problem.t\", "
          "\"solver.learning_rate\"]]"),
      key("when", "list of conditions", "[[method.when]]: other options of the method for some data sets only")};
  return kKeys;
}

const std::vector<OptionInfo>& input() {
  static const std::vector<OptionInfo> kKeys = {
      key("problem", "problem", "a name, or { name = ..., options } without lists"),
      key("solver", "solver", "a name, or { name = ..., options } without lists; by default the first that fits")};
  return kKeys;
}

const std::vector<OptionInfo>& evaluate() {
  static const std::vector<OptionInfo> kKeys = {
      key("metrics", "list of metrics", "names from `alidade list metrics`; by default all"),
      key("trace_metrics", "list of metrics", "metrics to measure during a solve", ValueArray{"heldout_error"}),
      key("schedule", "table", "when to measure trace_metrics: { kind, points }")};
  return kKeys;
}

const std::vector<OptionInfo>& when() {
  static const std::vector<OptionInfo> kKeys = {
      key("dataset", "list of ids of data sets",
          "one or more data sets: an id, the id of a sweep without its brackets, or a name"),
      key("problem", "tables of options by problem",
          "problem.NAME.OPTION: overrides [problem.NAME]; a method's own options override it"),
      key("solver", "tables of options by solver",
          "solver.NAME.OPTION: overrides [solver.NAME]; a method's own options override it")};
  return kKeys;
}

const std::vector<OptionInfo>& method_when() {
  static const std::vector<OptionInfo> kKeys = {
      key("dataset", "list of ids of data sets",
          "one or more data sets: an id, the id of a sweep without its brackets, or a name"),
      key("problem", "options of the problem", "problem.OPTION: overrides the method's own"),
      key("solver", "options of the solver", "solver.OPTION: overrides the method's own"),
      key("choose", "choices", "candidates to add; for an option that has candidates already, they replace those")};
  return kKeys;
}

const ValueTable& table_of(const Value& value, std::string_view what) {
  const auto* table = value.get_if<ValueTable>();
  if (!table) throw ConfigError(fmt::format("{}{} must be a table, not {}.", value.at.prefix(), what, value.kind()));
  return *table;
}

const std::string& text_of(const Value& value, std::string_view what) {
  const auto* text = value.get_if<std::string>();
  if (!text || text->empty())
    throw ConfigError(fmt::format("{}{} must be text, not {}.", value.at.prefix(), what, value.to_text()));
  // Names and ids occur in tables, file names and messages.
  if (printable(*text) != *text)
    throw ConfigError(fmt::format("{}{} has characters that cannot be printed: '{}'. Leave them out.",
                                  value.at.prefix(), what, *text));
  return *text;
}

std::vector<std::string> texts_of(const Value& value, std::string_view what) {
  const auto* list = value.get_if<ValueArray>();
  if (!list) return {text_of(value, what)};
  require<ConfigError>(!list->empty(), "{}{} is an empty list. Give at least one name.", value.at.prefix(), what);
  std::vector<std::string> out;
  for (const Value& item : *list) out.push_back(text_of(item, what));
  return out;
}

void check_keys(const ValueTable& table, std::string_view owner, const std::vector<OptionInfo>& infos) {
  for (const auto& [name, value] : table)
    if (!find_option(infos, name)) unknown_option(name, value, owner, infos);
}

}  // namespace alidade::config_keys
