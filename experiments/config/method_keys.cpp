#include "experiments/config/method_keys.hpp"

#include <sentences/config.hpp>

#include <algorithm>

#include "experiments/config/kinds.hpp"
#include "experiments/external/command_method.hpp"
#include "problems/core/error.hpp"

namespace alidade::config_keys {
namespace {

/// Nested tables as names with dots, single values as lists of one.
ValueTable flattened(const ValueTable& choose) {
  ValueTable out;
  for (const auto& [key, value] : choose) {
    if (const auto* inner = value.get_if<ValueTable>()) {
      for (const auto& [rest, candidates] : flattened(*inner)) out.set(key + "." + rest, candidates);
    } else {
      Value candidates = value.get_if<ValueArray>() ? value : Value(ValueArray{value});
      candidates.at = value.at;
      require_at(value.at, !candidates.get_if<ValueArray>()->empty(), words::kNoCandidates, key);
      out.set(key, std::move(candidates));
    }
  }
  return out;
}

Candidates candidates_of(const Value& value) { return {flattened(table_of(value, "choose")), value.at}; }

DatasetNames dataset_names(const Value& value) { return {texts_of(value, "A data set"), value.at}; }

/// Options that change the problem or solver and do not name another.
ValueTable options_alone(const Value& value, std::string_view key) {
  const ValueTable& out = table_of(value, key);
  if (const Value* name = out.find("name")) refuse_at(name->at, words::kOptionsOnly, key);
  return out;
}

NamedTable named(const Value& value, std::string_view what) {
  if (value.get_if<std::string>()) return {text_of(value, what), {}, value.at};
  NamedTable out{"", table_of(value, what), value.at};
  const Value* name = out.options.find("name");
  if (!name) refuse_at(value.at, "{} needs a name. Write {{ name = \"...\" }}.", what);
  out.name = text_of(*name, "name");
  out.options.erase("name");
  return out;
}

/// The problems (or solvers) that a list of them, or a list of names, stands for; { name = [...], options } gives each
/// the same options.
std::vector<NamedTable> alternatives(const Value& value, std::string_view what) {
  const auto* table = value.get_if<ValueTable>();
  const Value* name = table ? table->find("name") : nullptr;
  const Value& several = name ? *name : value;
  const auto* list = several.get_if<ValueArray>();
  if (!list) return {named(value, what)};
  if (list->empty()) refuse_at(several.at, "{} is an empty list. Give at least one.", what);
  std::vector<NamedTable> out;
  for (const Value& one : *list) {
    if (name) {
      out.push_back({text_of(one, "name"), *table, value.at});
      out.back().options.erase("name");
    } else {
      std::ranges::move(alternatives(one, what), std::back_inserter(out));
    }
  }
  return out;
}

InputKeys input_of(const Value& value) {
  InputKeys out = input().parse(table_of(value, "input"), "input");
  if (out.problem.name.empty()) refuse_at(value.at, "input needs a problem. Add, for example, problem = \"disjoint\".");
  out.at = value.at;
  return out;
}

OptionList<ConditionKeys> datasets_of_condition() {
  return OptionList<ConditionKeys>().read(
      key("dataset", "list of ids of data sets",
          "one or more data sets: an id, the id of a sweep without its brackets, or a name"),
      &ConditionKeys::datasets, dataset_names);
}

}  // namespace

const OptionList<MethodKeys>& method() {
  static const auto kList =
      OptionList<MethodKeys>()
          .read(key("id", "text", "name in rows and tables; by default \"PROBLEM / SOLVER\""), &MethodKeys::id,
                reader(text_of, "id"))
          .read(key("problem", "problem",
                    "a name from `alidade list problems`, or { name = ..., options }; \"auto\" chooses a "
                    "loss by validation; a list of them: each with each solver"),
                &MethodKeys::problems, reader(alternatives, "problem"))
          .read(key("solver", "solver",
                    "a name from `alidade list solvers`, or { name = ..., options }; by default the first "
                    "that fits; a list of them: each with each problem"),
                &MethodKeys::solvers, reader(alternatives, "solver"))
          .read(key("command", "list of texts",
                    "in place of problem and solver: a program of your own that makes the map, and its arguments"),
                &MethodKeys::command, reader(texts_of, "command"))
          .read(key("needs", "list of texts",
                    "of a command: the evidence that it gets, of triplets, aspects, features, distances, pairs"),
                &MethodKeys::needs, reader(texts_of, "needs"))
          .read(key("options", "options of the command",
                    "of a command: n_components, and what else it reads; elsewhere they are called problem.OPTION"),
                &MethodKeys::options, reader(table_of, "options"))
          .read(key("choose", "choices",
                    "hyper-parameters to choose by validation inside the training set: { problem.OPTION = "
                    "[candidates], ... }"),
                &MethodKeys::choose, candidates_of)
          .read(choice("rule", kChoiceRules,
                       "how `choose` decides. lowest: the candidate of lowest validation error; "
                       "one_standard_error: the first candidate within one standard error (of the difference) of the "
                       "lowest; eigenvalue_share (for semidefinite programs, without validation): the candidate "
                       "whose drawn axes hold the largest part of the variance"),
                &MethodKeys::rule, choice_reader<ChoiceRule>(kChoiceRules))
          .read(choice("matching", kMatchingRules,
                       "which triplets match latent views with aspects: the observed ones, or all, which is an oracle"),
                &MethodKeys::matching, choice_reader<MatchingRule>(kMatchingRules))
          .read(choice("starts", kStartRules,
                       "number of starts of a solve. given: the solver's n_init; by_size: 10 for at most 10,000 "
                       "training triplets, if the problem is a loss of triplets. By default by_size where neither a "
                       "solver nor n_init is named"),
                &MethodKeys::starts, choice_reader<StartRule>(kStartRules))
          .flag("leaves_saddles", &MethodKeys::leaves_saddles,
                "try an end that the solver calls a minimum for a way down, and go on from there; false: end where the "
                "solver does, to compare what solvers do by themselves")
          .read(key("input", "method",
                    "{ problem, solver }: a first method; the dissimilarities are measured on its maps"),
                &MethodKeys::input, input_of)
          .read(key("datasets", "list of ids of data sets", "the data sets to run the method on; by default all"),
                &MethodKeys::datasets, dataset_names)
          .read(key("zip", "list of lists of keys",
                    "options whose lists are swept together, not as a product: [[\"problem.t\", "
                    "\"solver.learning_rate\"]]"),
                &MethodKeys::zip, reader(zip_of, R"([["problem.t", "solver.learning_rate"]])"))
          .read(
              key("when", "list of conditions", "[[method.when]]: other options of the method for some data sets only"),
              &MethodKeys::when,
              [](const Value& value) { return conditions_of(value, "[[method.when]]", method_when()); });
  return kList;
}

const OptionList<InputKeys>& input() {
  static const auto kList =
      OptionList<InputKeys>()
          .read(key("problem", "problem", "a name, or { name = ..., options } without lists"), &InputKeys::problem,
                reader(named, "problem"))
          .read(key("solver", "solver",
                    "a name, or { name = ..., options } without lists; by default the first that fits"),
                &InputKeys::solver, reader(named, "solver"));
  return kList;
}

const OptionList<ConditionKeys>& when() {
  static const auto kList =
      datasets_of_condition()
          .read(key("problem", "tables of options by problem",
                    "problem.NAME.OPTION: overrides [problem.NAME]; a method's own options override it"),
                &ConditionKeys::problem, reader(tables_by_name, "problem"))
          .read(key("solver", "tables of options by solver",
                    "solver.NAME.OPTION: overrides [solver.NAME]; a method's own options override it"),
                &ConditionKeys::solver, reader(tables_by_name, "solver"));
  return kList;
}

const OptionList<ConditionKeys>& method_when() {
  static const auto kList =
      datasets_of_condition()
          .read(key("problem", "options of the problem", "problem.OPTION: overrides the method's own"),
                &ConditionKeys::problem, reader(options_alone, "problem"))
          .read(key("solver", "options of the solver", "solver.OPTION: overrides the method's own"),
                &ConditionKeys::solver, reader(options_alone, "solver"))
          .read(key("choose", "choices",
                    "candidates to add; for an option that has candidates already, they replace those"),
                &ConditionKeys::choose, [](const Value& value) { return candidates_of(value).lists; });
  return kList;
}

MethodKeys method_of(const Value& entry) {
  MethodKeys out = method().parse(table_of(entry, "A method"), "A method");
  require_at(entry.at, out.command.empty() || (out.problems.empty() && out.solvers.empty() && !out.input),
             words::kCommandAndProblem);
  require_at(entry.at, !out.command.empty() || (out.needs.empty() && out.options.empty()), words::kNeedsWithoutCommand);
  require_at(entry.at, out.command.empty() || !out.needs.empty(), words::kCommandWithoutNeeds);
  if (!out.command.empty()) {
    ValueTable options = table_with({{"command", ValueArray(out.command.begin(), out.command.end())},
                                     {"needs", ValueArray(out.needs.begin(), out.needs.end())}});
    options.merge(out.options);
    out.problems.push_back({std::string(kCommand), std::move(options), entry.at});
  }
  if (out.problems.empty()) refuse_at(entry.at, "This method has no problem. Add, for example, problem = \"ste\".");
  out.at = entry.at;
  return out;
}

ValueTable tables_by_name(const Value& value, std::string_view key) {
  const ValueTable& out = table_of(value, key);
  for (const auto& [name, options] : out)
    require_at(options.at, options.get_if<ValueTable>() != nullptr, words::kOptionsByName, key, name);
  return out;
}

std::vector<ConditionKeys> conditions_of(const Value& value, std::string_view owner,
                                         const OptionList<ConditionKeys>& keys) {
  const auto* list = value.get_if<ValueArray>();
  if (!list) refuse_at(value.at, "{} needs double brackets.", owner);
  std::vector<ConditionKeys> out;
  for (const Value& item : *list) {
    out.push_back(keys.parse(table_of(item, owner), owner));
    if (out.back().datasets.names.empty()) refuse_at(item.at, words::kConditionOfNone, owner);
  }
  return out;
}

}  // namespace alidade::config_keys
