// Completion of the command line in bash and zsh: a script for the shell, with the names of all catalogs.
// bash: `source <(alidade completion bash)`; zsh: `alidade completion zsh > DIR/_alidade` for a DIR of $fpath.
// Scripts know the catalogs of the program that wrote them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/commands/command_tree.hpp"

namespace alidade {

/// Names to complete to.
struct CatalogNames {
  std::vector<std::string> problems, solvers, samplers, datasets, metrics;
  std::vector<std::string> data;        // what `alidade data` knows: datasets and more
  std::vector<std::string> commands{};  // taken from the command line's description
};

/// `shell`: "bash" or "zsh". Everything except options and names completes to files. @throws ConfigError
[[nodiscard]] std::string completion_script(const CommandDescription& command, std::string_view shell,
                                            const CatalogNames& names);

}  // namespace alidade
