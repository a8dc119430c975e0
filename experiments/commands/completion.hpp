// Completion of the command line in bash and zsh: a script for the shell, with the names of all catalogs.
// bash: `source <(alidade completion bash)`; zsh: `alidade completion zsh > DIR/_alidade` for a DIR of $fpath.
// Scripts know the catalogs of the program that wrote them.
#pragma once

#include <string>
#include <string_view>

#include "experiments/commands/command.hpp"

namespace alidade::commands {

/// `shell`: "bash" or "zsh". Whatever no record names completes to files.
[[nodiscard]] std::string completion_script(const Command& program, std::string_view shell);

}  // namespace alidade::commands
