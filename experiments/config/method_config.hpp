// Turns one [[method]] of a configuration into setups, and resolves the data sets that `when` and `datasets` name.
// Lists sweep. Conditions may give a method other options on other data sets: setups with the same id that share no
// data set.
// Read data sets first: conditions name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/setup.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// The setups of `entry` in `config`; [problem.NAME], [solver.NAME] and [[when]] of `config` apply too. Setups that are
/// equal on several data sets are merged. @throws ConfigError with the place of the mistake.
[[nodiscard]] std::vector<MethodSetup> methods_of(const Value& entry, const ValueTable& config,
                                                  const std::vector<DatasetSetup>& datasets);

/// Checks that [problem.NAME], [solver.NAME] and [[when]] use known names and options, even if no method uses them.
/// @throws ConfigError
void check_defaults(const ValueTable& config, const std::vector<DatasetSetup>& datasets);

/// The method as in a configuration, with all options; interprets to itself.
[[nodiscard]] ValueTable method_table(const MethodSetup& method);
/// A method's `input`, in the same form.
[[nodiscard]] ValueTable input_table(const MethodSetup& input);

/// Parses "ete" or { name = "ete", ... } into name and options. @throws ConfigError
struct NamedTable {
  std::string name;
  ValueTable options;
};
[[nodiscard]] NamedTable named(const Value& value, std::string_view what);

}  // namespace alidade
