// Names that other programs use for what Alidade names otherwise: options of a command line, solvers.
// Messages about unknown names give ours.
// Plain data; O(length of the lists).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace alidade {

/// "--n-components" for "--dim". Nothing if no other name is known, or the option is not among `options`.
[[nodiscard]] std::optional<std::string> option_synonym(std::string_view option, std::span<const std::string> options);

/// "ceres with direction = \"lbfgs\"" for "lbfgs". Nothing if no other name is known.
[[nodiscard]] std::optional<std::string> solver_synonym(std::string_view solver);

/// @throws ConfigError naming our solver, if `solver` is another program's name of it; `place` begins the message
void require_own_name(std::string_view solver, std::string_view place = "");

}  // namespace alidade
