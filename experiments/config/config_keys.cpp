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
          .integer("schema", &Head::schema, between(1, kSchema), "format of this file")
          .text("name", &Head::name, {}, "names the experiment and its results folder")
          .integer("seed", &Head::seed, between(0, 9e15), "root of all random streams")
          .integer("repeats", &Head::repeats, between(1, 1e6),
                   "repeats with fresh data, split and start; tests of significance need some 10")
          .nested("timeout", &Head::timeout, "duration", "of a run: \"120s\", \"5min\"")
          .nested("memory", &Head::memory, "size", "of a run: \"2GB\"");
  return kList;
}

const OptionList<SplitRule>& split() {
  static const auto kList =
      OptionList<SplitRule>()
          .real("holdout", &SplitRule::holdout, half_open(0, 1), "fraction of triplets held out")
          .integer("folds", &SplitRule::folds, between(0, 1000),
                   "cross-validation instead of holdout when >= 2")
          .real("objects", &SplitRule::objects, at_least(0),
                "objects held out from everything, as a fraction below 1 or a number of them; 0: "
                "none")
          .real("validation", &SplitRule::validation, {0, 1, true, true},
                "fraction of the training triplets that `choose` judges on")
          .flag("refit", &SplitRule::refit,
                "after measuring, fit all triplets by the same method and write that map");
  return kList;
}

const OptionList<UncertaintyRule>& uncertainty() {
  static const auto kList = OptionList<UncertaintyRule>().integer(
      "bootstrap", &UncertaintyRule::bootstrap, between(0, 10'000),
      "replicates of a bootstrap of the training answers; 0: none");
  return kList;
}

const OptionList<Schedule>& schedule() {
  static const auto kList =
      OptionList<Schedule>()
          .text("kind", &Schedule::kind, {"log", "linear", "none"},
                "when metrics are taken during a solve")
          .integer("points", &Schedule::points, between(1, 100'000), "about how many");
  return kList;
}

const std::vector<OptionInfo>& sections() {
  static const std::vector<OptionInfo> kKeys = {
      key("include", "file",
          "a configuration, relative to this one, whose keys this one completes and replaces"),
      key("split", "table", "what is held out of training"),
      key("uncertainty", "table", "how far objects would move had other answers been drawn"),
      key("evaluate", "table", "what is measured, and when"),
      key("problem", "tables of options by problem",
          "[problem.NAME]: options of all methods of that problem"),
      key("solver", "tables of options by solver",
          "[solver.NAME]: options of all methods of that solver"),
      key("dataset", "list of data sets",
          "[[dataset]]: what methods are run on; a list of values sweeps"),
      key("method", "list of methods",
          "[[method]]: a problem and the solver that minimises it; lists sweep here too"),
      key("when", "list of conditions",
          "[[when]]: options of problems and solvers on some data sets only")};
  return kKeys;
}

const std::vector<OptionInfo>& dataset() {
  static const std::vector<OptionInfo> kKeys = {
      key("id", "text", "what rows and tables call it; its name unless given"),
      key("name", "data set", "in `alidade list datasets`"),
      key("zip", "list of lists of keys",
          "lists of options that are swept together, not as a product: [[\"n\", \"triplets\"]]")};
  return kKeys;
}

const std::vector<OptionInfo>& method() {
  static const std::vector<OptionInfo> kKeys = {
      key("id", "text", "what rows and tables call it; \"PROBLEM / SOLVER\" unless given"),
      key("problem", "problem",
          "a name of `alidade list problems` or { name = ..., its options }; \"auto\" chooses"),
      key("solver", "solver",
          "the same of `alidade list solvers`; the first that fits unless given"),
      key("choose", "choices",
          "{ problem.OPTION = [candidates], ... }, judged inside the training part"),
      choice("rule", {"lowest", "one_standard_error", "eigenvalue_share"},
             "the candidate of lowest error, the first within one standard error of it, or that whose drawn axes hold most "
             "of the variance (of semidefinite programs; nothing is held out)"),
      choice("matching", {"observed", "all"},
             "the triplets on which latent views are matched with aspects; \"all\" is an oracle"),
      key("input", "method", "{ problem, solver }, on whose maps dissimilarities are measured"),
      key("datasets", "list of ids of data sets", "the data sets it is run on; all unless given"),
      key("zip", "list of lists of keys",
          "lists of options that are swept together, not as a product: [[\"problem.t\", "
          "\"solver.learning_rate\"]]"),
      key("when", "list of conditions", "[[method.when]]: its options on some data sets only")};
  return kKeys;
}

const std::vector<OptionInfo>& input() {
  static const std::vector<OptionInfo> kKeys = {
      key("problem", "problem", "a name or { name = ..., its options }, without lists"),
      key("solver", "solver", "the same; the first that fits unless given")};
  return kKeys;
}

const std::vector<OptionInfo>& evaluate() {
  static const std::vector<OptionInfo> kKeys = {
      key("metrics", "list of metrics", "names of `alidade list metrics`; all unless given"),
      key("trace_metrics", "list of metrics", "metrics that are taken during a solve",
          Array{"heldout_error"}),
      key("schedule", "table", "when trace_metrics are taken: { kind, points }")};
  return kKeys;
}

const std::vector<OptionInfo>& when() {
  static const std::vector<OptionInfo> kKeys = {
      key("dataset", "list of ids of data sets",
          "one or several: an id, the id of a sweep without its brackets, or a name"),
      key("problem", "tables of options by problem",
          "problem.NAME.OPTION, over [problem.NAME], under a method's own"),
      key("solver", "tables of options by solver",
          "solver.NAME.OPTION, over [solver.NAME], under a method's own")};
  return kKeys;
}

const std::vector<OptionInfo>& method_when() {
  static const std::vector<OptionInfo> kKeys = {
      key("dataset", "list of ids of data sets",
          "one or several: an id, the id of a sweep without its brackets, or a name"),
      key("problem", "options of the problem", "problem.OPTION, over the method's own"),
      key("solver", "options of the solver", "solver.OPTION, over the method's own"),
      key("choose", "choices",
          "candidates added, or put in the place of those of the same option")};
  return kKeys;
}

const Table& table_of(const Value& value, std::string_view what) {
  const auto* table = value.get_if<Table>();
  if (!table)
    throw ConfigError(
        fmt::format("{}{} must be a table, not {}.", value.at.prefix(), what, value.kind()));
  return *table;
}

const std::string& text_of(const Value& value, std::string_view what) {
  const auto* text = value.get_if<std::string>();
  if (!text || text->empty())
    throw ConfigError(
        fmt::format("{}{} must be text, not {}.", value.at.prefix(), what, value.to_text()));
  // Names and ids stand in tables, in names of files and in messages.
  if (printable(*text) != *text)
    throw ConfigError(fmt::format("{}{} has characters that can not be printed: '{}'.",
                                  value.at.prefix(), what, printable(*text)));
  return *text;
}

std::vector<std::string> texts_of(const Value& value, std::string_view what) {
  const auto* list = value.get_if<Array>();
  if (!list) return {text_of(value, what)};
  require<ConfigError>(!list->empty(), "{}{} is an empty list.", value.at.prefix(), what);
  std::vector<std::string> out;
  for (const Value& item : *list) out.push_back(text_of(item, what));
  return out;
}

void check_keys(const Table& given, std::string_view owner, const std::vector<OptionInfo>& known) {
  for (const auto& [name, value] : given)
    if (!find_option(known, name)) unknown_option(name, value, owner, known);
}

}  // namespace alidade::config_keys
