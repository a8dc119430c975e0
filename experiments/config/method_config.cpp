#include "experiments/config/method_keys.hpp"

#include <sentences/config.hpp>

#include <algorithm>
#include <array>
#include <set>

#include "experiments/config/auto_problem.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/config/sweeps.hpp"
#include "experiments/config/synonyms.hpp"
#include "experiments/external/command_method.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/options.hpp"
#include "problems/core/sorted_lists.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

/// Indices into the list of data sets, ascending.
using DatasetIndices = std::vector<std::size_t>;

/// The data sets that `names` refers to: one by its id, else all with that id before a sweep, or with that name.
/// @throws ConfigError if it is none of `among`.
DatasetIndices concerned(const DatasetNames& those, const std::vector<DatasetSetup>& datasets,
                         const DatasetIndices& among) {
  DatasetIndices out;
  for (const std::string& name : those.names) {
    DatasetIndices indices;
    for (const std::size_t d : among)
      if (datasets[d].id == name) indices.push_back(d);
    if (indices.empty())
      for (const std::size_t d : among)
        if (datasets[d].id.starts_with(name + "[") || datasets[d].name == name) indices.push_back(d);
    if (indices.empty()) {
      const auto ids = mapped<std::string>(among, [&](const std::size_t d) { return datasets[d].id; });
      refuse_at(those.at, "This config has no data set '{}'.{}", name, suggestion(name, ids));
    }
    out.insert(out.end(), indices.begin(), indices.end());
  }
  sort_distinct(out);
  return out;
}

/// Options for some data sets only.
struct Condition {
  DatasetIndices datasets;
  const ConditionKeys* overrides;
  [[nodiscard]] bool concerns(std::size_t d) const { return std::ranges::binary_search(datasets, d); }
};

std::vector<Condition> conditions_of(const std::vector<ConditionKeys>& all, const std::vector<DatasetSetup>& datasets,
                                     const DatasetIndices& among) {
  std::vector<Condition> out;
  for (const ConditionKeys& one : all) out.push_back({concerned(one.datasets, datasets, among), &one});
  return out;
}

DatasetIndices all_of(const std::vector<DatasetSetup>& datasets) {
  DatasetIndices out;
  for (std::size_t d = 0; d < datasets.size(); ++d) out.push_back(d);
  return out;
}

/// Options of a problem or solver: where they stand in MethodDefaults and in ConditionKeys.
struct Section {
  ValueTable MethodDefaults::*of_all;
  ValueTable ConditionKeys::*of_some;
};
constexpr Section kProblem{&MethodDefaults::problem, &ConditionKeys::problem};
constexpr Section kSolver{&MethodDefaults::solver, &ConditionKeys::solver};

/// Sources of a method's options on one data set, or on any if `dataset` is null.
struct Scopes {
  const MethodDefaults& defaults;
  const std::vector<Condition>& of_all;
  const std::vector<Condition>& of_method;
  const std::size_t* dataset;

  [[nodiscard]] bool holds(const Condition& condition) const { return dataset && condition.concerns(*dataset); }
  /// [section.NAME], then its conditions, then the method's own options; later ones override.
  [[nodiscard]] ValueTable with_defaults(Section section, const std::string& name, const ValueTable& table) const {
    ValueTable out;
    const auto merge = [&](const ValueTable& by_name) {
      if (const Value* options = by_name.find(name)) out.merge(*options->get_if<ValueTable>());
    };
    merge(defaults.*section.of_all);
    for (const Condition& condition : of_all)
      if (holds(condition)) merge(condition.overrides->*section.of_some);
    out.merge(table);
    return out;
  }
  /// What the method's own conditions add.
  [[nodiscard]] ValueTable own_overrides(ValueTable ConditionKeys::*part) const {
    ValueTable out;
    for (const Condition& condition : of_method)
      if (holds(condition)) out.merge(condition.overrides->*part);
    return out;
  }
};

template <class Catalog>
void check_section(const ValueTable& by_name, std::string_view section, const Catalog& catalog) {
  for (const auto& [name, options] : by_name) {
    if (section == "problem" && name == kAuto) continue;  // checked where a method names it
    const auto& entry = catalog.at(name, options.at.prefix());
    const SweptPart part{"", entry.options, options.template get_if<ValueTable>()};
    for (const SweepPoint& point : expand_sweeps({&part, 1}))
      static_cast<void>(resolve_options(entry.options, point.parts.front(), fmt::format("[{}.{}]", section, name)));
  }
}

/// The options of a problem, or of "auto".
struct ProblemChoice {
  std::string name;
  std::vector<OptionInfo> options;
  const ProblemEntry* entry = nullptr;  // null for "auto"
};

/// The candidates, each converted to its option's kind.
Value checked_choice(const std::string& path, const Value& candidates, const ProblemChoice& problem,
                     const SolverEntry& solver) {
  const auto dot = path.find('.');
  const std::string root = path.substr(0, dot);
  const auto& infos = root == "problem" ? problem.options : solver.options;
  if ((root != "problem" && root != "solver") || dot == std::string::npos)
    refuse_at(candidates.at, "choose: '{}' is not the name of an option. Write problem.OPTION or solver.OPTION.", path);
  const std::string owner =
      root == "problem" ? fmt::format("problem '{}'", problem.name) : fmt::format("solver '{}'", solver.name);
  const OptionInfo* info = find_option(infos, path.substr(dot + 1));
  if (!info) unknown_option(path.substr(dot + 1), candidates, owner, infos);
  ValueArray out;
  std::set<std::string> seen;
  for (const Value& candidate : *candidates.get_if<ValueArray>()) {
    out.push_back(checked_option(*info, candidate, owner));
    if (!seen.insert(out.back().to_text()).second)
      refuse_at(candidates.at, "choose lists the candidate {} of {} twice. Leave one out.", candidate.to_text(), path);
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

/// The solver of a method that names `given`, or none if it is null: by default `recommended`.
NamedSolver solver_of(NamedSolver recommended, const NamedTable* given) {
  const std::string place = given ? given->at.prefix() : "";
  if (given && given->name != kAuto) recommended.name = given->name;
  if (given && (given->name != kAuto || !given->options.empty())) recommended.options = given->options;
  require_own_name(recommended.name, place);
  if (recommended.name != kAuto) static_cast<void>(solver_catalog().at(recommended.name, place));
  return recommended;
}

/// The method that makes a method's input.
std::shared_ptr<const MethodSetup> input_of(const InputKeys& input, const Scopes& scopes) {
  const auto& [problem_name, problem_own, problem_at] = input.problem;
  const ProblemEntry& problem = problem_catalog().at(problem_name, problem_at.prefix());
  if (std::ranges::find(problem.needs, ObservationKind::dissimilarities) != problem.needs.end())
    refuse_at(problem_at, words::kInputNeedsInput, problem_name);
  const auto [solver_name, solver_own] =
      solver_of(recommended_solver(problem), input.solver ? &*input.solver : nullptr);
  const SolverEntry& solver = solver_catalog().at(solver_name);
  const ValueTable problem_given = scopes.with_defaults(kProblem, problem_name, problem_own);
  const ValueTable solver_given = scopes.with_defaults(kSolver, solver_name, solver_own);
  MethodSetup out{problem_name + " / " + solver_name,
                  problem_name,
                  resolve_options(problem.options, problem_given, "problem '" + problem_name + "' of input"),
                  solver_name,
                  resolve_options(solver.options, solver_given, "solver '" + solver_name + "' of input"),
                  {},
                  ChoiceRule::lowest,
                  MatchingRule::observed};
  check_problem(problem, out.problem_options, {});
  static_cast<void>(solver.make(out.solver_options));
  return std::make_shared<const MethodSetup>(std::move(out));
}

/// Adds an option that its problem does not list, of the kind of its value or of the values that it takes.
void declare(const std::string& name, const Value& value, std::vector<OptionInfo>& infos) {
  if (find_option(infos, name)) return;
  const ValueArray one{value};
  const auto* list = value.get_if<ValueArray>();
  const ValueArray& values = list ? *list : one;
  const auto all = [&](auto is) { return std::ranges::all_of(values, is); };
  const char* const kind = all([](const Value& v) { return v.get_if<bool>() != nullptr; })           ? "true/false"
                           : all([](const Value& v) { return v.get_if<std::int64_t>() != nullptr; }) ? "whole number"
                           : all([](const Value& v) { return v.number().has_value(); })              ? "number"
                                                                                                     : "text";
  infos.push_back({name, kind, {}, {}, {}, ""});
}

/// One problem and one solver of a method.
struct MethodPair {
  const MethodKeys& keys;
  const NamedTable& problem;
  const NamedTable* solver;  // null: not given
  std::string id;            // "": by default
};

/// A method before its options are swept: its name and parts.
struct MethodParts {
  std::string problem_name, solver_name, id;
  ProblemChoice problem;
  SolverEntry solver;
  ValueTable problem_given, solver_given;  // options, with lists that sweep
  [[nodiscard]] bool is_auto() const { return problem.entry == nullptr; }
  [[nodiscard]] bool solver_is_auto() const { return is_auto() && solver_name == kAuto; }
};

MethodParts parts_of(const MethodPair& pair, const Scopes& scopes) {
  const auto& [problem_name, problem_own, problem_at] = pair.problem;
  MethodParts out{problem_name,
                  "",
                  "",
                  problem_of(problem_name, problem_at.prefix()),
                  {.name = std::string(kAuto), .summary = "", .reference = ""},
                  {},
                  {}};
  out.problem_given = scopes.with_defaults(kProblem, problem_name, problem_own);
  out.problem_given.merge(scopes.own_overrides(&ConditionKeys::problem));
  const auto [solver_name, solver_own] =
      solver_of(out.is_auto() ? NamedSolver{std::string(kAuto), {}}
                              : recommended_solver(*out.problem.entry, out.problem_given),
                pair.solver);
  out.solver_name = solver_name;
  if (!out.solver_is_auto()) out.solver = solver_catalog().at(solver_name);
  if (out.problem.entry && out.problem.entry->open_options)
    for (const auto& [name, value] : out.problem_given) declare(name, value, out.problem.options);
  out.solver_given = scopes.with_defaults(kSolver, solver_name, solver_own);
  out.solver_given.merge(scopes.own_overrides(&ConditionKeys::solver));
  out.id = !pair.id.empty()           ? pair.id
           : problem_name == kCommand ? name_of_command(out.problem_given)
           : out.solver_is_auto()     ? problem_name
                                      : problem_name + " / " + solver_name;
  return out;
}

/// Checks the candidates of `choose`, the method's own and those of its conditions, and adds them to `choices`.
void take_choices(const MethodKeys& keys, const Scopes& scopes, MethodParts& method, ValueTable& choices) {
  const auto refuse_auto = [&](const TextPosition& at) {
    require_at(at, !method.is_auto(), "problem 'auto' makes its own choice. Leave out choose.");
  };
  if (keys.choose) refuse_auto(keys.choose->at);
  ValueTable lists = keys.choose.value_or(Candidates{}).lists;
  for (const auto& [path, candidates] : scopes.own_overrides(&ConditionKeys::choose)) {
    refuse_auto(candidates.at);
    lists.set(path, candidates);
  }
  std::size_t combinations = 1;
  for (const auto& [path, candidates] : lists) {
    const std::size_t length = candidates.get_if<ValueArray>()->size();
    require_at(candidates.at, length <= kMostCombinations / combinations, words::kTooManyCandidates, kMostCombinations,
               path);
    combinations *= std::max<std::size_t>(length, 1);
    if (method.problem.entry->open_options && path.starts_with("problem."))
      declare(path.substr(path.find('.') + 1), candidates, method.problem.options);
    choices.set(path, checked_choice(path, candidates, method.problem, method.solver));
  }
}

std::shared_ptr<const MethodSetup> input_given(const MethodKeys& keys, const Scopes& scopes,
                                               const MethodParts& method) {
  if (!keys.input) return nullptr;
  const bool needed =
      !method.is_auto() && std::ranges::find(method.problem.entry->needs, ObservationKind::dissimilarities) !=
                               method.problem.entry->needs.end();
  require_at(keys.input->at, needed, words::kInputUnneeded, method.problem_name);
  return input_of(*keys.input, scopes);
}

/// Whether the configuration names neither a solver nor a number of starts, and the problem has its own for small data.
bool leaves_starts_open(const MethodPair& pair, const MethodParts& method, const ValueTable& choices) {
  if (method.is_auto() || method.problem.entry->starts_on_small_data == 1) return false;
  if (pair.solver && pair.solver->name != kAuto) return false;
  return find_option(method.solver.options, "n_init") && !method.solver_given.find("n_init") &&
         !choices.find("solver.n_init");
}

/// The setups of a method in the given scopes, without data sets.
std::vector<MethodSetup> setups_of(const MethodPair& pair, const Scopes& scopes) {
  const MethodKeys& keys = pair.keys;
  MethodParts method = parts_of(pair, scopes);
  ValueTable choices;
  ChoiceRule rule = ChoiceRule::lowest;
  if (!method.is_auto()) take_components(method.problem_given, choices, rule);
  take_choices(keys, scopes, method, choices);
  rule = keys.rule.value_or(rule);
  const std::shared_ptr<const MethodSetup> input = input_given(keys, scopes, method);
  const MatchingRule matching = keys.matching.value_or(MatchingRule::observed);
  const bool open = leaves_starts_open(pair, method, choices);
  const StartRule starts = keys.starts.value_or(open ? StartRule::by_size : StartRule::given);

  const std::array parts = {SweptPart{"problem", method.problem.options, &method.problem_given},
                            SweptPart{"solver", method.solver.options, &method.solver_given}};
  std::vector<MethodSetup> out;
  for (const SweepPoint& point : expand_sweeps(parts, keys.zip)) {
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
                      keys.leaves_saddles,
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

/// Each problem of the method with each of its solvers.
std::vector<MethodPair> pairs_of(const MethodKeys& keys) {
  auto solvers = mapped<const NamedTable*>(keys.solvers, [&](const NamedTable& solver) { return &solver; });
  if (solvers.empty()) solvers.push_back(nullptr);
  std::vector<MethodPair> out;
  for (const NamedTable& problem : keys.problems)
    for (const NamedTable* solver : solvers) {
      std::vector<std::string> swept;
      if (keys.problems.size() > 1) swept.push_back("problem=" + problem.name);
      if (solvers.size() > 1) swept.push_back("solver=" + solver->name);
      out.push_back({keys, problem, solver, keys.id.empty() ? "" : swept_id(keys.id, join(swept, ","))});
    }
  return out;
}

/// The setups of a method that is one pair.
std::vector<MethodSetup> setups_on(const MethodPair& pair, const MethodDefaults& defaults,
                                   const std::vector<DatasetSetup>& datasets) {
  const auto& names = pair.keys.datasets;
  const DatasetIndices indices = names ? concerned(*names, datasets, all_of(datasets)) : all_of(datasets);
  const std::vector<Condition> of_all = conditions_of(defaults.when, datasets, all_of(datasets));
  const std::vector<Condition> of_method = conditions_of(pair.keys.when, datasets, indices);

  std::vector<MethodSetup> out;
  if (of_all.empty() && of_method.empty()) {
    out = setups_of(pair, {defaults, of_all, of_method, nullptr});
    for (MethodSetup& setup : out)
      for (const std::size_t d : indices) setup.datasets.push_back(datasets[d].id);
  } else {
    for (const std::size_t d : indices)
      for (MethodSetup& setup : setups_of(pair, {defaults, of_all, of_method, &d})) {
        const auto same =
            std::ranges::find_if(out, [&](const MethodSetup& other) { return same_method(setup, other); });
        // Setups that one data set has twice stay two, and are refused later.
        if (same != out.end() && same->datasets.back() != datasets[d].id) {
          same->datasets.push_back(datasets[d].id);
        } else {
          setup.datasets = {datasets[d].id};
          out.push_back(std::move(setup));
        }
      }
  }
  for (MethodSetup& setup : out)
    if (setup.datasets.size() == datasets.size()) setup.datasets.clear();
  return out;
}

}  // namespace

std::vector<MethodSetup> methods_of(const MethodKeys& keys, const MethodDefaults& defaults,
                                    const std::vector<DatasetSetup>& datasets) {
  std::vector<MethodSetup> out;
  for (const MethodPair& pair : pairs_of(keys))
    std::ranges::move(setups_on(pair, defaults, datasets), std::back_inserter(out));
  return out;
}

void check_defaults(const MethodDefaults& defaults, const std::vector<DatasetSetup>& datasets) {
  check_section(defaults.problem, "problem", problem_catalog());
  check_section(defaults.solver, "solver", solver_catalog());
  for (const Condition& condition : conditions_of(defaults.when, datasets, all_of(datasets))) {
    check_section(condition.overrides->problem, "problem", problem_catalog());
    check_section(condition.overrides->solver, "solver", solver_catalog());
  }
}

}  // namespace alidade
