// One [[method]] of a configuration as the setups that it means, and which data sets `when` and `datasets` speak of.
// Lists sweep; conditions may give a method other options on other data sets, as setups of one id that share no data
// set. Data sets have been read before: conditions name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/setup.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// The setups that `entry` means in `config`, whose [problem.NAME], [solver.NAME] and [[when]] count too. Setups that
/// are the same on several data sets are one. @throws ConfigError with the place of what is wrong.
[[nodiscard]] std::vector<MethodSetup> methods_of(const Value& entry, const Table& config,
                                                  const std::vector<DatasetSetup>& datasets);

/// That [problem.NAME], [solver.NAME] and [[when]] name what there is and give it options that it takes, whether or not
/// a method uses them. @throws ConfigError
void check_defaults(const Table& config, const std::vector<DatasetSetup>& datasets);

/// As in a configuration, with all options: interprets to itself.
[[nodiscard]] Table method_table(const MethodSetup& method);
/// `input` of a method, the same way.
[[nodiscard]] Table input_table(const MethodSetup& input);

/// "ete" or { name = "ete", ... } as name and options. @throws ConfigError
struct NamedTable {
  std::string name;
  Table options;
};
[[nodiscard]] NamedTable named(const Value& value, std::string_view what);

}  // namespace alidade
