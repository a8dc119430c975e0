// Problems, solvers, metrics and data sets of one's own, to stand beside those that the catalogs list.
// A program hands them to alidade::main() (command_line.hpp), a plug-in to ALIDADE_PLUGIN() (plugin.hpp).
// An entry is what the catalogs hold: name, options, what it needs, and how to make it.
#pragma once

#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/contract/problem_entry.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct Catalogs {
  std::vector<ProblemEntry> problems{};
  std::vector<SolverEntry> solvers{};
  std::vector<metrics::MetricEntry> metrics{};
  std::vector<datasets::DatasetEntry> datasets{};
};

}  // namespace alidade
