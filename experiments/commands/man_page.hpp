// The manual page alidade(1), in the language of man(7): all commands with their options, exit status, environment.
// `alidade man | man -l -` shows it.
// Made of the command line's description, so it is never behind it.
#pragma once

#include <string>
#include <string_view>

#include "experiments/commands/command_tree.hpp"

namespace alidade {

[[nodiscard]] std::string man_page(const CommandDescription& command, std::string_view version);

}  // namespace alidade
