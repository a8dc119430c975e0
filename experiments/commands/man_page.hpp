// The manual page alidade(1), in man(7): all commands with their options, exit status, environment.
// `alidade man | man -l -` shows it.
// It is made from the command line's description, so it is always current.
#pragma once

#include <string>
#include <string_view>

#include "experiments/commands/command.hpp"

namespace alidade::commands {

[[nodiscard]] std::string man_page(const Command& command, std::string_view version);

}  // namespace alidade::commands
