#include "experiments/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "experiments/choice.hpp"
#include "experiments/config.hpp"
#include "experiments/datasets/catalog.hpp"
#include "experiments/matching.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/random.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

constexpr std::int64_t kConfigSchema = 1;

struct TopLevel {
  Index schema = kConfigSchema;
  std::string name;
  Index seed = 0;
  Index repeats = 1;
  Value timeout, memory;
  static const OptionList<TopLevel>& list() {
    static const auto kList =
        OptionList<TopLevel>()
            .integer("schema", &TopLevel::schema, between(1, kConfigSchema), "format of this file")
            .text("name", &TopLevel::name, {}, "names the experiment and its results folder")
            .integer("seed", &TopLevel::seed, between(0, 9e15), "root of all random streams")
            .integer("repeats", &TopLevel::repeats, between(1, 1e6), "repeats with fresh data, split and start")
            .nested("timeout", &TopLevel::timeout, "duration", "of a run: \"120s\", \"5min\"")
            .nested("memory", &TopLevel::memory, "size", "of a run: \"2GB\"");
    return kList;
  }
};

const OptionList<SplitRule>& split_list() {
  static const auto kList =
      OptionList<SplitRule>()
          .real("holdout", &SplitRule::holdout, half_open(0, 1), "fraction of triplets held out")
          .integer("folds", &SplitRule::folds, between(0, 1000),
                   "cross-validation instead of holdout when >= 2")
          .real("objects", &SplitRule::objects, at_least(0),
                "objects held out from everything, as a fraction below 1 or a number of them; 0: "
                "none")
          .real("validation", &SplitRule::validation, {0, 1, true, true},
                "fraction of the training triplets that `choose` judges on");
  return kList;
}

const OptionList<UncertaintyRule>& uncertainty_list() {
  static const auto kList = OptionList<UncertaintyRule>().integer(
      "bootstrap", &UncertaintyRule::bootstrap, between(0, 10'000),
      "replicates of a bootstrap of the training answers; 0: none");
  return kList;
}

struct Schedule {
  std::string kind = TraceRule{}.kind;
  Index points = TraceRule{}.points;
  static const OptionList<Schedule>& list() {
    static const auto kList =
        OptionList<Schedule>()
            .text("kind", &Schedule::kind, {"log", "linear", "none"}, "when metrics are taken during a solve")
            .integer("points", &Schedule::points, between(1, 100'000), "about how many");
    return kList;
  }
};

const Table& table_of(const Value& value, std::string_view what) {
  const auto* table = value.get_if<Table>();
  if (!table)
    throw ConfigError(fmt::format("{}{} must be a table, not {}.", value.at.prefix(), what, value.kind()));
  return *table;
}

const std::string& text_of(const Value& value, std::string_view what) {
  const auto* text = value.get_if<std::string>();
  if (!text || text->empty())
    throw ConfigError(fmt::format("{}{} must be text, not {}.", value.at.prefix(), what, value.to_text()));
  return *text;
}

/// "ete" or { name = "ete", ... } as name and options.
std::pair<std::string, Table> named(const Value& value, std::string_view what) {
  if (value.get_if<std::string>()) return {text_of(value, what), {}};
  Table options = table_of(value, what);
  const Value* name = options.find("name");
  if (!name)
    throw ConfigError(fmt::format("{}{} needs a name, such as {{ name = \"...\" }}.", value.at.prefix(), what));
  const std::string text = text_of(*name, "name");
  options.erase("name");
  return {text, std::move(options)};
}

std::vector<std::string> metric_names(const Value& value) {
  const auto* list = value.get_if<Array>();
  if (!list)
    throw ConfigError(fmt::format("{}metrics must be a list, such as [\"heldout_error\"].", value.at.prefix()));
  std::vector<std::string> out;
  for (const Value& item : *list)
    out.push_back(metrics::metric_catalog().at(text_of(item, "A metric"), item.at.prefix()).name);
  return out;
}

/// [section.NAME] defaults with the method's own options on top.
Table with_defaults(const Table& config, std::string_view section, std::string_view name, const Table& own) {
  Table out;
  if (const Value* all = config.find(section))
    if (const Value* defaults = table_of(*all, section).find(name)) out = table_of(*defaults, name);
  out.merge(own);
  return out;
}

std::string with_suffix(const std::string& id, const std::string& swept) {
  return swept.empty() ? id : id + "[" + swept + "]";
}

template <class Catalog>
void check_sections(const Table& config, std::string_view section, const Catalog& catalog) {
  const Value* all = config.find(section);
  if (!all) return;
  for (const auto& [name, options] : table_of(*all, section)) {
    if (section == "problem" && name == kAuto) continue;  // checked where a method names it
    const auto& entry = catalog.at(name, options.at.prefix());
    std::vector<std::string> swept;
    for (const Table& one : expand_sweeps(entry.options, table_of(options, name), swept))
      static_cast<void>(resolve_options(entry.options, one, fmt::format("[{}.{}]", section, name)));
  }
}

/// The candidates, each in the kind of its option.
Value checked_choice(const std::string& path, const Value& candidates, const ProblemEntry& problem,
                     const SolverEntry& solver) {
  const auto dot = path.find('.');
  const std::string root = path.substr(0, dot);
  const auto& infos = root == "problem" ? problem.options : solver.options;
  if ((root != "problem" && root != "solver") || dot == std::string::npos)
    throw ConfigError(fmt::format("{}choose names options as problem.OPTION or solver.OPTION, not '{}'.",
                                  candidates.at.prefix(), path));
  const std::string owner = root == "problem" ? fmt::format("problem '{}'", problem.name)
                                              : fmt::format("solver '{}'", solver.name);
  const OptionInfo* info = find_option(infos, path.substr(dot + 1));
  if (!info) unknown_option(path.substr(dot + 1), candidates, owner, infos);
  Array out;
  for (const Value& candidate : *candidates.get_if<Array>()) {
    out.push_back(checked_option(*info, candidate, owner));
    if (std::ranges::count(out, out.back()) > 1)
      throw ConfigError(fmt::format("{}choose names the candidate {} of {} twice.", candidates.at.prefix(),
                                    candidate.to_text(), path));
  }
  return out;
}

/// That the problem's options suit each other, with each candidate of `choices` too. @throws ConfigError
void check_problem(const ProblemEntry& problem, const Table& options, const Table& choices) {
  if (!problem.check) return;
  problem.check(options);
  constexpr std::string_view kRoot = "problem.";
  for (const auto& [path, candidates] : choices) {
    if (!path.starts_with(kRoot)) continue;
    for (const Value& candidate : *candidates.get_if<Array>()) {
      Table chosen = options;
      chosen.set(path.substr(kRoot.size()), candidate);
      problem.check(chosen);
    }
  }
}

/// Adds a setup under an id of its own; `given` is where it was written.
template <class Setup>
void add_setup(std::vector<Setup>& setups, Setup setup, std::string_view what, const Value& given) {
  if (std::ranges::find(setups, setup.id, &Setup::id) != setups.end())
    throw ConfigError(fmt::format("{}Two {}s are called '{}'; give one of them another id, or list each value once.",
                                  given.at.prefix(), what, setup.id));
  setups.push_back(std::move(setup));
}

/// "points[n=100,train_noise=0.1]" -> "points[n=100]"
std::string without_noise(std::string id) {
  const auto begin = id.find("train_noise=");
  if (begin == std::string::npos) return id;
  auto end = id.find_first_of(",]", begin);
  if (end == std::string::npos) return id;
  const bool last = id[end] == ']';
  const bool first = begin > 0 && id[begin - 1] == '[';
  if (first && last) return id.substr(0, begin - 1) + id.substr(end + 1);
  return last ? id.substr(0, begin - 1) + id.substr(end) : id.substr(0, begin) + id.substr(end + 1);
}

void add_datasets(const Value& given_value, Experiment& out) {
  const Table& given = table_of(given_value, "A dataset");
  auto [name, options] = named(given_value, "A dataset");
  std::string id = name;
  if (const Value* own = options.find("id")) {
    id = text_of(*own, "id");
    options.erase("id");
  }
  const auto& entry = datasets::dataset_catalog().at(name, given.find("name")->at.prefix());
  std::vector<std::string> swept;
  const std::vector<Table> variants = expand_sweeps(entry.options, options, swept);
  for (std::size_t v = 0; v < variants.size(); ++v)
    add_setup(out.datasets,
              {with_suffix(id, swept[v]), name,
               resolve_options(entry.options, variants[v], "dataset '" + name + "'"),
               without_noise(with_suffix(id, swept[v]))},
              "dataset", given_value);
}

ChoiceRule rule_of(const Value& value) {
  const std::string& name = text_of(value, "rule");
  if (name == "lowest") return ChoiceRule::lowest;
  if (name == "one_standard_error") return ChoiceRule::one_standard_error;
  throw ConfigError(fmt::format("{}rule must be one of lowest, one_standard_error, not '{}'.", value.at.prefix(), name));
}

MatchingRule matching_of(const Value& value) {
  const std::string& name = text_of(value, "matching");
  for (const MatchingRule rule : {MatchingRule::observed, MatchingRule::all})
    if (name == to_string(rule)) return rule;
  throw ConfigError(fmt::format("{}matching is one of observed, all, not '{}'.", value.at.prefix(), name));
}

std::string_view to_string(ChoiceRule rule) {
  return rule == ChoiceRule::lowest ? "lowest" : "one_standard_error";
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

/// n_components = "auto" of an ordinary problem is a choice by the rule of one standard error.
void take_components(Table& options, Table& choices, ChoiceRule& rule) {
  const Value* given = options.find("n_components");
  const auto* text = given ? given->get_if<std::string>() : nullptr;
  if (!text || *text != kAuto) return;
  Array candidates;
  for (std::int64_t d = 1; d <= 8; ++d) candidates.emplace_back(d);
  choices.set("problem.n_components", std::move(candidates));
  rule = ChoiceRule::one_standard_error;
  options.erase("n_components");
}

void check_components(const Table& options) {
  const Value& given = *options.find("n_components");
  if (const auto* text = given.get_if<std::string>(); text && *text == kAuto) return;
  static const OptionInfo kInfo{"n_components", "whole number", {}, between(1, 1000), {}, ""};
  static_cast<void>(checked_option(kInfo, given, "problem 'auto'"));
}

/// `input = { problem = ..., solver = ... }` of a method: a problem and a solver without choices or sweeps.
std::shared_ptr<const MethodSetup> input_of(const Value& given_value, const Table& config) {
  const Table& given = table_of(given_value, "input");
  const std::vector<OptionInfo> known = {{"problem", "problem", {}, {}, {}, ""}, {"solver", "solver", {}, {}, {}, ""}};
  for (const auto& [key, value] : given)
    if (!find_option(known, key)) unknown_option(key, value, "input", known);
  const Value* problem_given = given.find("problem");
  if (!problem_given) throw ConfigError(fmt::format("{}input needs a problem.", given_value.at.prefix()));
  const auto [problem_name, problem_own] = named(*problem_given, "problem");
  const ProblemEntry& problem = problem_catalog().at(problem_name, problem_given->at.prefix());
  if (std::ranges::find(problem.needs, ObservationKind::dissimilarities) != problem.needs.end())
    throw ConfigError(fmt::format("{}input is a method that needs no input itself, as '{}' does.",
                                  problem_given->at.prefix(), problem_name));
  auto [solver_name, solver_own] = recommended_solver(problem);
  std::string solver_place;
  if (const Value* value = given.find("solver")) {
    std::tie(solver_name, solver_own) = named(*value, "solver");
    solver_place = value->at.prefix();
  }
  const SolverEntry& solver = solver_catalog().at(solver_name, solver_place);
  MethodSetup out{problem_name + " / " + solver_name,
                  problem_name,
                  resolve_options(problem.options, with_defaults(config, "problem", problem_name, problem_own),
                                  "problem '" + problem_name + "' of input"),
                  solver_name,
                  resolve_options(solver.options, with_defaults(config, "solver", solver_name, solver_own),
                                  "solver '" + solver_name + "' of input"),
                  {},
                  ChoiceRule::lowest,
                  MatchingRule::observed};
  check_problem(problem, out.problem_options, {});
  static_cast<void>(solver.make(out.solver_options));
  return std::make_shared<const MethodSetup>(std::move(out));
}

Table with_name(const std::string& name, const Table& options) {
  Table table;
  table.set("name", name);
  table.merge(options);
  return table;
}

Table input_table(const MethodSetup& input) {
  Table out;
  out.set("problem", with_name(input.problem, input.problem_options));
  out.set("solver", with_name(input.solver, input.solver_options));
  return out;
}

void add_methods(const Value& given_value, const Table& config, Experiment& out) {
  const Table& given = table_of(given_value, "A method");
  const std::vector<OptionInfo> known = {
      {"id", "text", {}, {}, {}, ""},         {"problem", "problem", {}, {}, {}, ""},
      {"solver", "solver", {}, {}, {}, ""},   {"choose", "choices", {}, {}, {}, ""},
      {"rule", "text", {}, {}, {}, ""},       {"matching", "text", {}, {}, {}, ""},
      {"input", "method", {}, {}, {}, ""}};
  for (const auto& [key, value] : given)
    if (!find_option(known, key)) unknown_option(key, value, "A method", known);
  if (!given.find("problem"))
    throw ConfigError(fmt::format("{}A method needs a problem.", given_value.at.prefix()));
  const auto [problem_name, problem_own] = named(*given.find("problem"), "problem");
  const ProblemChoice problem = problem_of(problem_name, given.find("problem")->at.prefix());
  const bool is_auto = problem.entry == nullptr;
  auto [solver_name, solver_own] =
      is_auto ? NamedSolver{std::string(kAuto), {}} : recommended_solver(*problem.entry);
  std::string solver_place;
  if (const Value* value = given.find("solver")) {
    auto [name, own] = named(*value, "solver");
    if (name != kAuto) solver_name = name;
    if (name != kAuto || !own.empty()) solver_own = std::move(own);
    solver_place = value->at.prefix();
  }
  const bool solver_is_auto = is_auto && solver_name == kAuto;
  static const SolverEntry kNoSolver{std::string(kAuto), "", "", {}, {}, nullptr};
  const SolverEntry& solver = solver_is_auto ? kNoSolver : solver_catalog().at(solver_name, solver_place);
  std::string id = is_auto ? (solver_is_auto ? problem_name : problem_name + " / " + solver_name)
                           : problem_name + " / " + solver_name;
  if (const Value* own = given.find("id")) id = text_of(*own, "id");
  Table problem_given = with_defaults(config, "problem", problem_name, problem_own);
  Table choices;
  ChoiceRule rule = ChoiceRule::lowest;
  if (!is_auto) take_components(problem_given, choices, rule);
  if (const Value* choose = given.find("choose")) {
    if (is_auto)
      throw ConfigError(fmt::format("{}problem 'auto' chooses by itself; leave out choose.", choose->at.prefix()));
    for (const auto& [path, candidates] : flatten_choices(table_of(*choose, "choose")))
      choices.set(path, checked_choice(path, candidates, *problem.entry, solver));
  }
  if (const Value* value = given.find("rule")) rule = rule_of(*value);
  std::shared_ptr<const MethodSetup> input;
  if (const Value* value = given.find("input")) {
    if (is_auto || std::ranges::find(problem.entry->needs, ObservationKind::dissimilarities) == problem.entry->needs.end())
      throw ConfigError(fmt::format("{}input gives dissimilarities, which '{}' does not need; leave it out.",
                                    value->at.prefix(), problem_name));
    input = input_of(*value, config);
  }
  MatchingRule matching = MatchingRule::observed;
  if (const Value* value = given.find("matching")) matching = matching_of(*value);

  std::vector<std::string> problem_swept, solver_swept;
  const auto problems = expand_sweeps(problem.options, problem_given, problem_swept);
  const auto solvers =
      expand_sweeps(solver.options, with_defaults(config, "solver", solver_name, solver_own), solver_swept);
  for (std::size_t p = 0; p < problems.size(); ++p)
    for (std::size_t s = 0; s < solvers.size(); ++s) {
      const std::string comma = problem_swept[p].empty() || solver_swept[s].empty() ? "" : ",";
      MethodSetup setup{with_suffix(id, problem_swept[p] + comma + solver_swept[s]),
                        problem_name,
                        resolve_options(problem.options, problems[p],
                                        is_auto ? "problem 'auto' chooses by itself and"
                                                : "problem '" + problem_name + "'"),
                        solver_name,
                        resolve_options(solver.options, solvers[s],
                                        solver_is_auto ? "solver 'auto' goes with problem 'auto' and"
                                                       : "solver '" + solver_name + "'"),
                        choices,
                        rule,
                        matching,
                        input};
      if (is_auto)
        check_components(setup.problem_options);
      else
        check_problem(*problem.entry, setup.problem_options, choices);
      if (!solver_is_auto) static_cast<void>(solver.make(setup.solver_options));  // options that contradict each other
      add_setup(out.methods, std::move(setup), "method", given_value);
    }
}

void read_evaluation(const Table& evaluate, Experiment& out) {
  const std::vector<OptionInfo> known = {{"metrics", "list", {}, {}, {}, ""},
                                         {"schedule", "schedule", {}, {}, {}, ""},
                                         {"trace_metrics", "list", {}, {}, {}, ""}};
  for (const auto& [key, value] : evaluate)
    if (!find_option(known, key)) unknown_option(key, value, "[evaluate]", known);
  if (const Value* names = evaluate.find("metrics")) out.metrics = metric_names(*names);
  if (const Value* names = evaluate.find("trace_metrics")) out.trace.metrics = metric_names(*names);
  if (const Value* schedule = evaluate.find("schedule")) {
    const auto rule = Schedule::list().parse(table_of(*schedule, "schedule"), "schedule");
    out.trace.kind = rule.kind;
    out.trace.points = rule.points;
  }
}

Array to_array(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

Table schedule_table(const TraceRule& rule) {
  Table out;
  out.set("kind", rule.kind);
  out.set("points", static_cast<std::int64_t>(rule.points));
  return out;
}

}  // namespace

std::vector<Table> expand_sweeps(const std::vector<OptionInfo>& infos, const Table& given,
                                 std::vector<std::string>& swept) {
  std::vector<Table> out = {Table{}};
  swept = {""};
  for (const auto& [key, value] : given) {
    const auto* list = value.get_if<Array>();
    const OptionInfo* info = find_option(infos, key);
    if (!list || (info && info->kind.starts_with("list"))) {
      for (Table& table : out) table.set(key, value);
      continue;
    }
    if (list->empty())
      throw ConfigError(fmt::format("{}'{}' sweeps over an empty list.", value.at.prefix(), key));
    std::vector<Table> next;
    std::vector<std::string> next_swept;
    for (std::size_t i = 0; i < out.size(); ++i)
      for (const Value& item : *list) {
        next.push_back(out[i]);
        next.back().set(key, item);
        const auto* text = item.get_if<std::string>();
        next_swept.push_back(swept[i] + (swept[i].empty() ? "" : ",") + key + "=" +
                             (text ? *text : item.to_text()));
      }
    out = std::move(next);
    swept = std::move(next_swept);
  }
  return out;
}

Table flatten_choices(const Table& choose) {
  Table out;
  for (const auto& [key, value] : choose) {
    if (const auto* inner = value.get_if<Table>()) {
      for (const auto& [rest, candidates] : flatten_choices(*inner)) {
        out.set(key + "." + rest, candidates);
      }
    } else {
      Value candidates = value.get_if<Array>() ? value : Value(Array{value});
      candidates.at = value.at;
      require<ConfigError>(!candidates.get_if<Array>()->empty(), "{}choose: '{}' has no candidates.",
                           value.at.prefix(), key);
      out.set(key, std::move(candidates));
    }
  }
  return out;
}

Experiment interpret(const Table& config) {
  Experiment out;
  Table top;
  for (const auto& [key, value] : config) {
    const bool section = key == "dataset" || key == "method" || key == "problem" || key == "solver" ||
                         key == "evaluate" || key == "split" || key == "uncertainty";
    if (section) continue;
    auto infos = TopLevel::list().infos();
    if (!find_option(infos, key)) {
      for (const char* known : {"dataset", "method", "problem", "solver", "evaluate", "split", "uncertainty"})
        infos.push_back({known, "", {}, {}, {}, ""});
      unknown_option(key, value, "The configuration", infos);
    }
    top.set(key, value);
  }
  const auto head = TopLevel::list().parse(top, "The configuration");
  require<ConfigError>(!head.name.empty(), "The configuration needs a name, such as name = \"my_experiment\".");
  if (head.name.find('/') != std::string::npos || head.name == "." || head.name == "..")
    throw ConfigError(fmt::format("{}The name '{}' can not be that of a folder; leave out '/'.",
                                  config.find("name")->at.prefix(), head.name));
  out.name = head.name;
  out.seed = static_cast<std::uint64_t>(head.seed);
  out.repeats = head.repeats;
  if (!head.timeout.is_null()) out.timeout_seconds = seconds_of(head.timeout);
  if (!head.memory.is_null()) out.memory_bytes = bytes_of(head.memory);

  if (const Value* split = config.find("split")) {
    out.split = split_list().parse(table_of(*split, "split"), "[split]");
    if (out.split.objects >= 1 && out.split.objects != std::floor(out.split.objects))
      throw ConfigError(
          fmt::format("{}[split]: objects must be a fraction below 1 or a whole number, not {}.",
                      split->get_if<Table>()->find("objects")->at.prefix(), out.split.objects));
    if (out.split.folds == 1)
      throw ConfigError(fmt::format("{}[split]: folds must be 0 (none) or at least 2.",
                                    split->get_if<Table>()->find("folds")->at.prefix()));
  }
  if (const Value* uncertainty = config.find("uncertainty")) {
    out.uncertainty = uncertainty_list().parse(table_of(*uncertainty, "uncertainty"), "[uncertainty]");
    if (out.uncertainty.bootstrap == 1)
      throw ConfigError(fmt::format("{}[uncertainty]: bootstrap must be 0 (none) or at least 2.",
                                    uncertainty->get_if<Table>()->find("bootstrap")->at.prefix()));
  }
  out.metrics = metrics::metric_catalog().names();
  if (const Value* evaluate = config.find("evaluate"))
    read_evaluation(table_of(*evaluate, "evaluate"), out);

  check_sections(config, "problem", problem_catalog());
  check_sections(config, "solver", solver_catalog());
  for (const char* section : {"dataset", "method"}) {
    const Value* all = config.find(section);
    const auto* list = all ? all->get_if<Array>() : nullptr;
    if (!list || list->empty())
      throw ConfigError(fmt::format("{}The configuration needs at least one [[{}]]{}.",
                                    all ? all->at.prefix() : "", section,
                                    all && all->get_if<Table>() ? ", in double brackets" : ""));
    for (const Value& item : *list) {
      if (section == std::string_view("dataset"))
        add_datasets(item, out);
      else
        add_methods(item, config, out);
    }
  }
  for (const DatasetSetup& setup : out.datasets)
    require<ConfigError>(
        out.split.folds == 0 || number_of(*setup.options.find("observed_fraction")) == 1,
        "Dataset '{}' hides objects from aspects (observed_fraction) and holds nothing else out; "
        "leave out folds of [split], or observed_fraction.",
        setup.id);
  return out;
}

Table resolved_config(const Experiment& e) {
  Table out;
  out.set("schema", kConfigSchema);
  out.set("name", e.name);
  out.set("seed", static_cast<std::int64_t>(e.seed));
  out.set("repeats", static_cast<std::int64_t>(e.repeats));
  if (e.timeout_seconds) out.set("timeout", *e.timeout_seconds);
  if (e.memory_bytes) out.set("memory", static_cast<std::int64_t>(*e.memory_bytes));
  out.set("split", split_list().resolve(e.split));
  out.set("uncertainty", uncertainty_list().resolve(e.uncertainty));
  Table evaluate;
  evaluate.set("metrics", to_array(e.metrics));
  evaluate.set("trace_metrics", to_array(e.trace.metrics));
  evaluate.set("schedule", schedule_table(e.trace));
  out.set("evaluate", std::move(evaluate));
  Array datasets, methods;
  for (const DatasetSetup& setup : e.datasets) {
    Table table;
    table.set("id", setup.id);
    table.set("name", setup.name);
    for (const auto& [key, value] : setup.options)
      if (key != "name") table.set(key, value);
    datasets.emplace_back(std::move(table));
  }
  for (const MethodSetup& setup : e.methods) {
    Table table;
    table.set("id", setup.id);
    table.set("problem", with_name(setup.problem, setup.problem_options));
    table.set("solver", with_name(setup.solver, setup.solver_options));
    if (!setup.choose.empty()) {
      table.set("choose", setup.choose);
      table.set("rule", std::string(to_string(setup.rule)));
    }
    if (setup.input) table.set("input", input_table(*setup.input));
    if (setup.matching != MatchingRule::observed) table.set("matching", std::string(to_string(setup.matching)));
    methods.emplace_back(std::move(table));
  }
  out.set("dataset", std::move(datasets));
  out.set("method", std::move(methods));
  return out;
}

namespace {

/// Options of similarity decide nothing where none is made.
Table without_unused_similarity(Table options) {
  if (const Value* similarity = options.find("similarity");
      similarity && *similarity == Value("none"))
    for (const char* name : {"similarity", "k", "symmetry"}) options.erase(name);
  return options;
}

}  // namespace

std::vector<PlannedRun> plan(const Experiment& e) {
  std::vector<PlannedRun> out;
  const Index folds = std::max<Index>(e.split.folds, 1);
  for (Index repeat = 0; repeat < e.repeats; ++repeat)
    for (std::size_t d = 0; d < e.datasets.size(); ++d)
      for (Index fold = 0; fold < folds; ++fold)
        for (std::size_t m = 0; m < e.methods.size(); ++m) {
          PlannedRun run{"", out.size(), d, m, repeat, std::nullopt};
          if (e.split.folds > 0) run.fold = fold;
          Table identity;
          identity.set("dataset", e.datasets[d].name);
          identity.set("dataset_options", without_unused_similarity(e.datasets[d].options));
          identity.set("problem", e.methods[m].problem);
          identity.set("problem_options", e.methods[m].problem_options);
          identity.set("solver", e.methods[m].solver);
          identity.set("solver_options", e.methods[m].solver_options);
          identity.set("choose", e.methods[m].choose);
          if (e.methods[m].rule != ChoiceRule::lowest) identity.set("rule", std::string(to_string(e.methods[m].rule)));
          if (e.methods[m].matching != MatchingRule::observed)
            identity.set("matching", std::string(to_string(e.methods[m].matching)));
          if (e.methods[m].input) identity.set("input", input_table(*e.methods[m].input));
          Table split = split_list().resolve(e.split);
          if (e.split.objects == 0) split.erase("objects");
          identity.set("split", std::move(split));
          if (e.uncertainty.bootstrap > 0) identity.set("uncertainty", uncertainty_list().resolve(e.uncertainty));
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
