#include <fmt/core.h>

#include "experiments/commands/commands.hpp"
#include "experiments/commands/completion.hpp"
#include "experiments/commands/man_page.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/manifest.hpp"
#include "problems/asking/sampler.hpp"
#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"

namespace alidade::commands {

int completion(const CommandDescription& command, const std::string& shell) {
  CatalogNames names{problem_catalog().names(),         solver_catalog().names(),
                     asking::sampler_catalog().names(), datasets::dataset_catalog().names(),
                     metrics::metric_catalog().names(), datasets::data_catalog().names()};
  names.problems.emplace_back("auto");
  names.solvers.emplace_back("auto");
  fmt::print("{}", completion_script(command, shell, names));
  return 0;
}

int man(const CommandDescription& command) {
  fmt::print("{}", man_page(command, version()));
  return 0;
}

}  // namespace alidade::commands
