// Completion of the command line in bash and zsh: a script that a shell reads, with the names of all catalogs in it.
// bash: `source <(alidade completion bash)`; zsh: `alidade completion zsh > DIR/_alidade` for a DIR of $fpath.
// Scripts are made when asked for; they know the catalogs of the program that wrote them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/commands/command_tree.hpp"

namespace alidade {

/// What may stand where a name is expected.
struct CatalogNames {
  std::vector<std::string> problems, solvers, datasets, metrics;
  std::vector<std::string> data;        // what `alidade data` knows: datasets and more
  std::vector<std::string> commands{};  // filled in from the command line itself
};

/// `shell`: "bash" or "zsh". Everything else than options and names completes to files. @throws ConfigError
[[nodiscard]] std::string completion_script(const CommandDescription& command, std::string_view shell,
                                            const CatalogNames& names);

}  // namespace alidade
