// Options that a command passes on by name, given as `--option NAME=VALUE`.
// What they mean, their catalog entry decides; here they are only taken apart.
// Messages show one example.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade::commands {

/// `example`: "tolerance=1e-7". @throws ConfigError unless each is NAME=VALUE, and on a name given twice
[[nodiscard]] ValueTable named_options(const std::vector<std::string>& options, std::string_view example);

}  // namespace alidade::commands
