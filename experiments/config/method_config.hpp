// Turns one [[method]] of a configuration into setups, and resolves the data sets that `when` and `datasets` name.
// Lists sweep. Conditions may give a method other options on other data sets: setups with the same id that share no
// data set.
// Read data sets first: conditions name them.
#pragma once

#include <vector>

#include "experiments/config/method_keys.hpp"
#include "experiments/config/setup.hpp"

namespace alidade {

/// The setups of a method; `defaults` apply too. Setups that are equal on several data sets are merged.
/// @throws ConfigError with the place of the mistake.
[[nodiscard]] std::vector<MethodSetup> methods_of(const MethodKeys& keys, const MethodDefaults& defaults,
                                                  const std::vector<DatasetSetup>& datasets);

/// Checks that [problem.NAME], [solver.NAME] and [[when]] use known names and options, even if no method uses them.
/// @throws ConfigError
void check_defaults(const MethodDefaults& defaults, const std::vector<DatasetSetup>& datasets);

}  // namespace alidade
