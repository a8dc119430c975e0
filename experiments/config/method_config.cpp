#include "experiments/config/method_config.hpp"

#include <algorithm>
#include <array>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/config_keys.hpp"
#include "experiments/config/sweeps.hpp"
#include "experiments/config/synonyms.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

using config_keys::check_keys;
using config_keys::table_of;
using config_keys::text_of;

/// Indices into the list of data sets, ascending.
using DatasetIndices = std::vector<std::size_t>;

/// The data sets that `names` refers to: one by its id, else all with that id before a sweep, or with that name.
/// @throws ConfigError if it is none of `among`.
DatasetIndices concerned(const Value& names, const std::vector<DatasetSetup>& datasets, const DatasetIndices& among) {
  DatasetIndices out;
  for (const std::string& name : config_keys::texts_of(names, "A data set")) {
    DatasetIndices indices;
    for (const std::size_t d : among)
      if (datasets[d].id == name) indices.push_back(d);
    if (indices.empty())
      for (const std::size_t d : among)
        if (datasets[d].id.starts_with(name + "[") || datasets[d].name == name) indices.push_back(d);
    if (indices.empty()) {
      std::vector<std::string> ids;
      for (const std::size_t d : among) ids.push_back(datasets[d].id);
      throw ConfigError(
          fmt::format("{}This config has no data set '{}'.{}", names.at.prefix(), name, suggestion(name, ids)));
    }
    out.insert(out.end(), indices.begin(), indices.end());
  }
  std::ranges::sort(out);
  const auto [first, last] = std::ranges::unique(out);
  out.erase(first, last);
  return out;
}

/// Options for some data sets only.
struct Condition {
  DatasetIndices datasets;
  const ValueTable* overrides;
  [[nodiscard]] bool concerns(std::size_t d) const { return std::ranges::binary_search(datasets, d); }
};

std::vector<Condition> conditions_of(const ValueTable& owner, std::string_view what,
                                     const std::vector<OptionInfo>& infos, const std::vector<DatasetSetup>& datasets,
                                     const DatasetIndices& among) {
  const Value* all = owner.find("when");
  if (!all) return {};
  const auto* list = all->get_if<ValueArray>();
  if (!list) throw ConfigError(fmt::format("{}{} needs double brackets.", all->at.prefix(), what));
  std::vector<Condition> out;
  for (const Value& item : *list) {
    const ValueTable& overrides = table_of(item, what);
    check_keys(overrides, what, infos);
    const Value* names = overrides.find("dataset");
    if (!names)
      throw ConfigError(fmt::format("{}{} needs the key dataset: the data sets that it changes options for.",
                                    item.at.prefix(), what));
    out.push_back({concerned(*names, datasets, among), &overrides});
  }
  return out;
}

DatasetIndices all_of(const std::vector<DatasetSetup>& datasets) {
  DatasetIndices out;
  for (std::size_t d = 0; d < datasets.size(); ++d) out.push_back(d);
  return out;
}

std::vector<Condition> conditions_of_all(const ValueTable& config, const std::vector<DatasetSetup>& datasets) {
  return conditions_of(config, "[[when]]", config_keys::when(), datasets, all_of(datasets));
}

/// Sources of a method's options on one data set, or on any if `dataset` is null.
struct Scopes {
  const ValueTable& config;
  const std::vector<Condition>& of_all;
  const std::vector<Condition>& of_method;
  const std::size_t* dataset;

  /// [section.NAME], then its conditions, then the method's own options; later ones override.
  [[nodiscard]] ValueTable with_defaults(std::string_view section, std::string_view name,
                                         const ValueTable& table) const {
    ValueTable out;
    merge_section(config, section, name, out);
    for (const Condition& condition : of_all)
      if (dataset && condition.concerns(*dataset)) merge_section(*condition.overrides, section, name, out);
    out.merge(table);
    return out;
  }
  /// What the method's own conditions add to `key`.
  [[nodiscard]] ValueTable own_overrides(std::string_view key) const {
    ValueTable out;
    for (const Condition& condition : of_method)
      if (const Value* overrides = condition.overrides->find(key); overrides && dataset && condition.concerns(*dataset))
        out.merge(key == "choose" ? flattened(*overrides) : options_alone(*overrides, key));
    return out;
  }
  static ValueTable flattened(const Value& choose);

 private:
  static void merge_section(const ValueTable& from, std::string_view section, std::string_view name, ValueTable& out) {
    if (const Value* all = from.find(section))
      if (const Value* defaults = table_of(*all, section).find(name)) out.merge(table_of(*defaults, name));
  }
  static const ValueTable& options_alone(const Value& overrides, std::string_view key) {
    const ValueTable& out = table_of(overrides, key);
    if (const Value* name = out.find("name"))
      throw ConfigError(
          fmt::format("{0}[[method.when]] can change options of the {1}, not the {1} itself. Leave out name.",
                      name->at.prefix(), key));
    return out;
  }
};

ValueTable flatten_choices(const ValueTable& choose) {
  ValueTable out;
  for (const auto& [key, value] : choose) {
    if (const auto* inner = value.get_if<ValueTable>()) {
      for (const auto& [rest, candidates] : flatten_choices(*inner)) {
        out.set(key + "." + rest, candidates);
      }
    } else {
      Value candidates = value.get_if<ValueArray>() ? value : Value(ValueArray{value});
      candidates.at = value.at;
      require<ConfigError>(!candidates.get_if<ValueArray>()->empty(),
                           "{}choose: '{}' has no candidates. Give a list of values.", value.at.prefix(), key);
      out.set(key, std::move(candidates));
    }
  }
  return out;
}

ValueTable Scopes::flattened(const Value& choose) { return flatten_choices(table_of(choose, "choose")); }

template <class Catalog>
void check_sections(const ValueTable& config, std::string_view section, const Catalog& catalog) {
  const Value* all = config.find(section);
  if (!all) return;
  for (const auto& [name, options] : table_of(*all, section)) {
    if (section == "problem" && name == kAuto) continue;  // checked where a method names it
    require<ConfigError>(
        options.template get_if<ValueTable>() != nullptr,
        "{0}{1} holds tables of options by name, and '{2}' is none. Write [{1}.NAME] above options of one "
        "{1}, or {1} = \"NAME\" in a [[method]].",
        options.at.prefix(), section, name);
    const auto& entry = catalog.at(name, options.at.prefix());
    const SweptPart part{"", entry.options, &table_of(options, name)};
    for (const SweepPoint& point : expand_sweeps({&part, 1}))
      static_cast<void>(resolve_options(entry.options, point.parts.front(), fmt::format("[{}.{}]", section, name)));
  }
}

/// The candidates, each converted to its option's kind.
Value checked_choice(const std::string& path, const Value& candidates, const ProblemEntry& problem,
                     const SolverEntry& solver) {
  const auto dot = path.find('.');
  const std::string root = path.substr(0, dot);
  const auto& infos = root == "problem" ? problem.options : solver.options;
  if ((root != "problem" && root != "solver") || dot == std::string::npos)
    throw ConfigError(
        fmt::format("{}choose: '{}' is not the name of an option. Write problem.OPTION or "
                    "solver.OPTION.",
                    candidates.at.prefix(), path));
  const std::string owner =
      root == "problem" ? fmt::format("problem '{}'", problem.name) : fmt::format("solver '{}'", solver.name);
  const OptionInfo* info = find_option(infos, path.substr(dot + 1));
  if (!info) unknown_option(path.substr(dot + 1), candidates, owner, infos);
  ValueArray out;
  for (const Value& candidate : *candidates.get_if<ValueArray>()) {
    out.push_back(checked_option(*info, candidate, owner));
    if (std::ranges::count(out, out.back()) > 1)
      throw ConfigError(fmt::format("{}choose lists the candidate {} of {} twice. Leave one out.",
                                    candidates.at.prefix(), candidate.to_text(), path));
  }
  return out;
}

/// Checks that the problem's options are consistent, for each candidate of `choices` too. @throws ConfigError
void check_problem(const ProblemEntry& problem, const ValueTable& options, const ValueTable& choices) {
  if (!problem.check) return;
  problem.check(options);
  constexpr std::string_view kRoot = "problem.";
  for (const auto& [path, candidates] : choices) {
    if (!path.starts_with(kRoot)) continue;
    for (const Value& candidate : *candidates.get_if<ValueArray>()) {
      ValueTable chosen = options;
      chosen.set(path.substr(kRoot.size()), candidate);
      problem.check(chosen);
    }
  }
}

/// The value of a key that allows a few words.
const std::string& word_of(const Value& value, std::string_view key) {
  const OptionInfo& info = *find_option(config_keys::method(), key);
  const std::string& word = text_of(value, key);
  if (std::ranges::find(info.choices, word) == info.choices.end())
    throw ConfigError(
        fmt::format("{}{} must be one of {}, not '{}'.", value.at.prefix(), key, join(info.choices, ", "), word));
  return word;
}

ChoiceRule rule_of(const Value& value) {
  const std::string& word = word_of(value, "rule");
  for (const ChoiceRule rule : {ChoiceRule::one_standard_error, ChoiceRule::eigenvalue_share})
    if (word == to_string(rule)) return rule;
  return ChoiceRule::lowest;
}

MatchingRule matching_of(const Value& value) {
  const std::string& word = word_of(value, "matching");
  return word == to_string(MatchingRule::observed) ? MatchingRule::observed : MatchingRule::all;
}

StartRule starts_of(const Value& value) {
  const std::string& word = word_of(value, "starts");
  return word == to_string(StartRule::given) ? StartRule::given : StartRule::by_size;
}

/// The options of a problem, or of "auto".
struct ProblemChoice {
  std::string name;
  std::vector<OptionInfo> options;
  const ProblemEntry* entry = nullptr;  // null for "auto"
};

ProblemChoice problem_of(const std::string& name, const std::string& where) {
  if (name == kAuto) return {name, auto_options(), nullptr};
  const ProblemEntry& entry = problem_catalog().at(name, where);
  return {name, entry.options, &entry};
}

bool is_chosen_dimension(const Value& n_components) {
  const auto* text = n_components.get_if<std::string>();
  return text && (*text == kAuto || *text == kBest);
}

/// n_components = "auto" of an ordinary problem becomes a choice by the one-standard-error rule, "best" one by the
/// lowest error.
void take_components(ValueTable& options, ValueTable& choices, ChoiceRule& rule) {
  const Value* components = options.find("n_components");
  if (!components || !is_chosen_dimension(*components)) return;
  ValueArray candidates;
  for (const std::int64_t d : {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20}) candidates.emplace_back(d);
  choices.set("problem.n_components", std::move(candidates));
  rule = *components == Value(std::string(kAuto)) ? ChoiceRule::one_standard_error : ChoiceRule::lowest;
  options.erase("n_components");
}

void check_components(const ValueTable& options) {
  const Value& components = *options.find("n_components");
  if (is_chosen_dimension(components)) return;
  static const OptionInfo kInfo{"n_components", "whole number", {}, between(1, 1000), {}, ""};
  static_cast<void>(checked_option(kInfo, components, "problem 'auto'"));
}

/// `input = { problem = ..., solver = ... }` of a method: a problem and a solver without choices or sweeps.
std::shared_ptr<const MethodSetup> input_of(const Value& given_value, const Scopes& scopes) {
  const ValueTable& table = table_of(given_value, "input");
  check_keys(table, "input", config_keys::input());
  const Value* problem_given = table.find("problem");
  if (!problem_given)
    throw ConfigError(
        fmt::format("{}input needs a problem. Add, for example, problem = \"disjoint\".", given_value.at.prefix()));
  const auto [problem_name, problem_own] = named(*problem_given, "problem");
  const ProblemEntry& problem = problem_catalog().at(problem_name, problem_given->at.prefix());
  if (std::ranges::find(problem.needs, ObservationKind::dissimilarities) != problem.needs.end())
    throw ConfigError(
        fmt::format("{}input must be a method that needs no input itself, but '{}' "
                    "needs one. Name another problem.",
                    problem_given->at.prefix(), problem_name));
  auto [solver_name, solver_own] = recommended_solver(problem);
  std::string solver_place;
  if (const Value* value = table.find("solver")) {
    NamedTable named_solver = named(*value, "solver");
    solver_name = std::move(named_solver.name);
    solver_own = std::move(named_solver.options);
    solver_place = value->at.prefix();
  }
  require_own_name(solver_name, solver_place);
  const SolverEntry& solver = solver_catalog().at(solver_name, solver_place);
  MethodSetup out{problem_name + " / " + solver_name,
                  problem_name,
                  resolve_options(problem.options, scopes.with_defaults("problem", problem_name, problem_own),
                                  "problem '" + problem_name + "' of input"),
                  solver_name,
                  resolve_options(solver.options, scopes.with_defaults("solver", solver_name, solver_own),
                                  "solver '" + solver_name + "' of input"),
                  {},
                  ChoiceRule::lowest,
                  MatchingRule::observed};
  check_problem(problem, out.problem_options, {});
  static_cast<void>(solver.make(out.solver_options));
  return std::make_shared<const MethodSetup>(std::move(out));
}

ValueTable with_name(const std::string& name, const ValueTable& options) {
  ValueTable table;
  table.set("name", name);
  table.merge(options);
  return table;
}

/// A method before its options are swept: its name and parts.
struct MethodParts {
  std::string problem_name, solver_name, id;
  ProblemChoice problem;
  SolverEntry solver;
  ValueTable problem_given, solver_given;  // options, with lists that sweep
  [[nodiscard]] bool is_auto() const { return problem.entry == nullptr; }
  [[nodiscard]] bool solver_is_auto() const { return is_auto() && solver_name == kAuto; }
};

MethodParts parts_of(const ValueTable& table, const Scopes& scopes) {
  const Value& problem_given = *table.find("problem");
  auto [problem_name, problem_own] = named(problem_given, "problem");
  MethodParts out{problem_name,
                  "",
                  "",
                  problem_of(problem_name, problem_given.at.prefix()),
                  {.name = std::string(kAuto), .summary = "", .reference = ""},
                  {},
                  {}};
  auto [solver_name, solver_own] =
      out.is_auto() ? NamedSolver{std::string(kAuto), {}} : recommended_solver(*out.problem.entry);
  std::string solver_place;
  if (const Value* value = table.find("solver")) {
    auto [name, solver_table] = named(*value, "solver");
    if (name != kAuto) solver_name = name;
    if (name != kAuto || !solver_table.empty()) solver_own = std::move(solver_table);
    solver_place = value->at.prefix();
  }
  out.solver_name = solver_name;
  require_own_name(solver_name, solver_place);
  if (!out.solver_is_auto()) out.solver = solver_catalog().at(solver_name, solver_place);
  out.id = out.solver_is_auto() ? problem_name : problem_name + " / " + solver_name;
  if (const Value* id_value = table.find("id")) out.id = text_of(*id_value, "id");
  out.problem_given = scopes.with_defaults("problem", problem_name, problem_own);
  out.problem_given.merge(scopes.own_overrides("problem"));
  out.solver_given = scopes.with_defaults("solver", solver_name, solver_own);
  out.solver_given.merge(scopes.own_overrides("solver"));
  return out;
}

/// Checks the candidates of `choose`, the method's own and those of its conditions, and adds them to `choices`.
void take_choices(const ValueTable& table, const Scopes& scopes, const MethodParts& method, ValueTable& choices) {
  const auto refuse_auto = [&](const Value& choose) {
    require<ConfigError>(!method.is_auto(), "{}problem 'auto' makes its own choice. Leave out choose.",
                         choose.at.prefix());
  };
  ValueTable candidates_given;
  if (const Value* choose = table.find("choose")) {
    refuse_auto(*choose);
    candidates_given = flatten_choices(table_of(*choose, "choose"));
  }
  for (const auto& [path, candidates] : scopes.own_overrides("choose")) {
    refuse_auto(candidates);
    candidates_given.set(path, candidates);
  }
  for (const auto& [path, candidates] : candidates_given)
    choices.set(path, checked_choice(path, candidates, *method.problem.entry, method.solver));
}

std::shared_ptr<const MethodSetup> input_given(const ValueTable& table, const Scopes& scopes,
                                               const MethodParts& method) {
  const Value* value = table.find("input");
  if (!value) return nullptr;
  const bool needed =
      !method.is_auto() && std::ranges::find(method.problem.entry->needs, ObservationKind::dissimilarities) !=
                               method.problem.entry->needs.end();
  require<ConfigError>(needed, "{}input gives dissimilarities, but '{}' does not need any. Leave input out.",
                       value->at.prefix(), method.problem_name);
  return input_of(*value, scopes);
}

/// Whether the configuration names neither a solver nor a number of starts, and the problem has its own for small data.
bool leaves_starts_open(const ValueTable& table, const MethodParts& method, const ValueTable& choices) {
  if (method.is_auto() || method.problem.entry->starts_on_small_data == 1) return false;
  const Value* solver = table.find("solver");
  if (solver && named(*solver, "solver").name != kAuto) return false;
  return find_option(method.solver.options, "n_init") && !method.solver_given.find("n_init") &&
         !choices.find("solver.n_init");
}

/// The setups of a method in the given scopes, without data sets.
std::vector<MethodSetup> setups_of(const Value& given_value, const Scopes& scopes) {
  const ValueTable& table = table_of(given_value, "A method");
  MethodParts method = parts_of(table, scopes);
  ValueTable choices;
  ChoiceRule rule = ChoiceRule::lowest;
  if (!method.is_auto()) take_components(method.problem_given, choices, rule);
  take_choices(table, scopes, method, choices);
  if (const Value* value = table.find("rule")) rule = rule_of(*value);
  const std::shared_ptr<const MethodSetup> input = input_given(table, scopes, method);
  MatchingRule matching = MatchingRule::observed;
  if (const Value* value = table.find("matching")) matching = matching_of(*value);
  StartRule starts = StartRule::given;
  if (leaves_starts_open(table, method, choices)) starts = StartRule::by_size;
  if (const Value* value = table.find("starts")) starts = starts_of(*value);

  const std::array parts = {SweptPart{"problem", method.problem.options, &method.problem_given},
                            SweptPart{"solver", method.solver.options, &method.solver_given}};
  std::vector<MethodSetup> out;
  for (const SweepPoint& point : expand_sweeps(parts, table.find("zip"))) {
    MethodSetup setup{swept_id(method.id, point.swept),
                      method.problem_name,
                      resolve_options(method.problem.options, point.parts[0],
                                      method.is_auto() ? "problem 'auto' chooses by itself and"
                                                       : "problem '" + method.problem_name + "'"),
                      method.solver_name,
                      resolve_options(method.solver.options, point.parts[1],
                                      method.solver_is_auto() ? "solver 'auto' goes with problem 'auto' and"
                                                              : "solver '" + method.solver_name + "'"),
                      choices,
                      rule,
                      matching,
                      starts,
                      input};
    if (method.is_auto())
      check_components(setup.problem_options);
    else
      check_problem(*method.problem.entry, setup.problem_options, choices);
    if (!method.solver_is_auto())  // contradictory options
      static_cast<void>(method.solver.make(setup.solver_options));
    out.push_back(std::move(setup));
  }
  return out;
}

}  // namespace

NamedTable named(const Value& value, std::string_view what) {
  if (value.get_if<std::string>()) return {text_of(value, what), {}};
  ValueTable options = table_of(value, what);
  const Value* name = options.find("name");
  if (!name) throw ConfigError(fmt::format("{}{} needs a name. Write {{ name = \"...\" }}.", value.at.prefix(), what));
  const std::string text = text_of(*name, "name");
  options.erase("name");
  return {text, std::move(options)};
}

ValueTable input_table(const MethodSetup& input) {
  ValueTable out;
  out.set("problem", with_name(input.problem, input.problem_options));
  out.set("solver", with_name(input.solver, input.solver_options));
  return out;
}

ValueTable method_table(const MethodSetup& setup) {
  ValueTable table;
  table.set("id", setup.id);
  table.set("problem", with_name(setup.problem, setup.problem_options));
  table.set("solver", with_name(setup.solver, setup.solver_options));
  if (!setup.choose.empty()) table.set("choose", setup.choose);
  if (!setup.choose.empty() || setup.rule != ChoiceRule::lowest) table.set("rule", std::string(to_string(setup.rule)));
  if (setup.input) table.set("input", input_table(*setup.input));
  if (setup.matching != MatchingRule::observed) table.set("matching", std::string(to_string(setup.matching)));
  if (setup.starts != StartRule::given) table.set("starts", std::string(to_string(setup.starts)));
  if (!setup.datasets.empty()) table.set("datasets", ValueArray(setup.datasets.begin(), setup.datasets.end()));
  return table;
}

namespace {

/// The problems (or solvers) that a list of them, or a list of names, stands for; { name = [...], options } gives each
/// the same options.
std::vector<Value> alternatives(const Value& value, std::string_view what) {
  const auto refuse_empty = [&](const ValueArray& list, const Value& at) {
    if (list.empty()) throw ConfigError(fmt::format("{}{} is an empty list. Give at least one.", at.at.prefix(), what));
  };
  if (const auto* list = value.get_if<ValueArray>()) {
    refuse_empty(*list, value);
    std::vector<Value> out;
    for (const Value& one : *list) {
      const std::vector<Value> those = alternatives(one, what);
      out.insert(out.end(), those.begin(), those.end());
    }
    return out;
  }
  const auto* table = value.get_if<ValueTable>();
  const Value* name = table ? table->find("name") : nullptr;
  const auto* names = name ? name->get_if<ValueArray>() : nullptr;
  if (!names) return {value};
  refuse_empty(*names, *name);
  std::vector<Value> out;
  for (const Value& one : *names) {
    ValueTable with = *table;
    with.set("name", one);
    out.emplace_back(std::move(with)).at = value.at;
  }
  return out;
}

/// The method's pairs of a problem and a solver, each as a method of its own: more than one where it lists several.
std::vector<Value> pairs_of(const Value& entry) {
  const ValueTable& table = *entry.get_if<ValueTable>();
  const std::vector<Value> problems = alternatives(*table.find("problem"), "problem");
  const Value* solver = table.find("solver");
  const std::vector<Value> solvers = solver ? alternatives(*solver, "solver") : std::vector<Value>{Value()};
  const Value* id = table.find("id");
  std::vector<Value> out;
  for (const Value& problem : problems)
    for (const Value& with : solvers) {
      ValueTable pair = table;
      pair.set("problem", problem);
      if (solver) pair.set("solver", with);
      std::vector<std::string> swept;
      if (problems.size() > 1) swept.push_back("problem=" + named(problem, "problem").name);
      if (solvers.size() > 1) swept.push_back("solver=" + named(with, "solver").name);
      if (id) {
        Value text(swept_id(text_of(*id, "id"), join(swept, ",")));
        text.at = id->at;
        pair.set("id", std::move(text));
      }
      out.emplace_back(std::move(pair)).at = entry.at;
    }
  return out;
}

/// The setups of a method that is one pair.
std::vector<MethodSetup> setups_on(const Value& entry, const ValueTable& config,
                                   const std::vector<DatasetSetup>& datasets) {
  const ValueTable& method = *entry.get_if<ValueTable>();
  const Value* names = method.find("datasets");
  const DatasetIndices indices = names ? concerned(*names, datasets, all_of(datasets)) : all_of(datasets);
  const std::vector<Condition> of_all = conditions_of_all(config, datasets);
  const std::vector<Condition> of_method =
      conditions_of(method, "[[method.when]]", config_keys::method_when(), datasets, indices);

  std::vector<MethodSetup> out;
  if (of_all.empty() && of_method.empty()) {
    out = setups_of(entry, {config, of_all, of_method, nullptr});
    for (MethodSetup& setup : out)
      for (const std::size_t d : indices) setup.datasets.push_back(datasets[d].id);
  } else {
    std::vector<ValueTable> seen;  // entries of `out`, without data sets
    for (const std::size_t d : indices)
      for (MethodSetup& setup : setups_of(entry, {config, of_all, of_method, &d})) {
        ValueTable table = method_table(setup);
        const auto same = static_cast<std::size_t>(std::ranges::find(seen, table) - seen.begin());
        // Setups that one data set has twice stay two, and are refused later.
        if (same < seen.size() && out[same].datasets.back() != datasets[d].id) {
          out[same].datasets.push_back(datasets[d].id);
          continue;
        }
        seen.push_back(std::move(table));
        setup.datasets = {datasets[d].id};
        out.push_back(std::move(setup));
      }
  }
  for (MethodSetup& setup : out)
    if (setup.datasets.size() == datasets.size()) setup.datasets.clear();
  return out;
}

}  // namespace

std::vector<MethodSetup> methods_of(const Value& entry, const ValueTable& config,
                                    const std::vector<DatasetSetup>& datasets) {
  const ValueTable& table = table_of(entry, "A method");
  check_keys(table, "A method", config_keys::method());
  if (!table.find("problem"))
    throw ConfigError(
        fmt::format("{}This method has no problem. Add, for example, problem = \"ste\".", entry.at.prefix()));
  std::vector<MethodSetup> out;
  for (const Value& pair : pairs_of(entry)) {
    auto setups = setups_on(pair, config, datasets);
    out.insert(out.end(), std::make_move_iterator(setups.begin()), std::make_move_iterator(setups.end()));
  }
  return out;
}

void check_defaults(const ValueTable& config, const std::vector<DatasetSetup>& datasets) {
  check_sections(config, "problem", problem_catalog());
  check_sections(config, "solver", solver_catalog());
  for (const Condition& condition : conditions_of_all(config, datasets)) {
    check_sections(*condition.overrides, "problem", problem_catalog());
    check_sections(*condition.overrides, "solver", solver_catalog());
  }
}

}  // namespace alidade
