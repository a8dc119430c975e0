// What a [[method]] of a configuration says, and the defaults of all methods: read once, typed.
// Names are not looked up yet, and lists of options still sweep; method_config.cpp makes setups of it.
// Every part keeps its place, for messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/setup.hpp"
#include "experiments/config/sweeps.hpp"
#include "problems/core/options.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// "ete" or { name = "ete", ... }.
struct NamedTable {
  std::string name;
  ValueTable options;
  TextPosition at{};
};

/// Ids or names of data sets, as written.
struct DatasetNames {
  std::vector<std::string> names;
  TextPosition at{};
};

/// Lists of candidates by "problem.OPTION" or "solver.OPTION".
struct Candidates {
  ValueTable lists;
  TextPosition at{};
};

/// One [[when]] or [[method.when]]: what changes on some data sets.
struct ConditionKeys {
  DatasetNames datasets;
  /// Options; of [[when]] by the name of their problem or solver.
  ValueTable problem, solver;
  ValueTable choose{};  // lists of candidates to add, as in Candidates
};

/// [problem.NAME], [solver.NAME] and [[when]].
struct MethodDefaults {
  ValueTable problem, solver;  // tables of options by name
  std::vector<ConditionKeys> when;
};

/// `input` of a method: a problem and a solver without choices or sweeps.
struct InputKeys {
  NamedTable problem;
  std::optional<NamedTable> solver{};
  TextPosition at{};
};

struct MethodKeys {
  TextPosition at{};
  std::string id;                    // "": by default
  std::vector<NamedTable> problems;  // more than one: each with each solver
  std::vector<NamedTable> solvers;   // none: not given
  std::optional<Candidates> choose;
  std::optional<ChoiceRule> rule;
  std::optional<MatchingRule> matching;
  std::optional<StartRule> starts;
  bool leaves_saddles = true;
  std::optional<InputKeys> input;
  std::optional<DatasetNames> datasets;
  std::vector<ZippedOptions> zip;
  std::vector<ConditionKeys> when;
  /// A command in place of problem and solver; its options are in `problems` once it is read.
  std::vector<std::string> command, needs;
  ValueTable options;
};

namespace config_keys {

/// The keys of [[method]], a method's `input`, [[when]] and [[method.when]], in this order.
[[nodiscard]] const OptionList<MethodKeys>& method();
[[nodiscard]] const OptionList<InputKeys>& input();
[[nodiscard]] const OptionList<ConditionKeys>& when();
[[nodiscard]] const OptionList<ConditionKeys>& method_when();

/// One [[method]]. @throws ConfigError
[[nodiscard]] MethodKeys method_of(const Value& entry);
/// The tables of [problem] or [solver], as `key` says. @throws ConfigError if it holds anything else
[[nodiscard]] ValueTable tables_by_name(const Value& value, std::string_view key);
/// All [[when]], or all [[method.when]], as `keys` and `owner` say. @throws ConfigError
[[nodiscard]] std::vector<ConditionKeys> conditions_of(const Value& value, std::string_view owner,
                                                       const OptionList<ConditionKeys>& keys);

}  // namespace config_keys
// method_config.cpp: setups of these keys. Lists sweep. Conditions may give a method other options on other data sets:
// setups with the same id that share no data set. Read data sets first: conditions name them.
/// The setups of a method; `defaults` apply too. Setups that are equal on several data sets are merged.
/// @throws ConfigError with the place of the mistake.
[[nodiscard]] std::vector<MethodSetup> methods_of(const MethodKeys& keys, const MethodDefaults& defaults,
                                                  const std::vector<DatasetSetup>& datasets);

/// Checks that [problem.NAME], [solver.NAME] and [[when]] use known names and options, even if no method uses them.
/// @throws ConfigError
void check_defaults(const MethodDefaults& defaults, const std::vector<DatasetSetup>& datasets);

}  // namespace alidade
