// The catalog of solvers: one line each in catalog.cpp.
// A solver is made from a table of options, checked against its list.
// Adding one: a file pair with needed(), an Options struct with list(), and its line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "problems/catalog.hpp"
#include "problems/core/options.hpp"
#include "problems/core/registry.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

struct SolverEntry {
  std::string name;
  std::string summary;
  std::string reference;
  CapabilitySet needs;
  std::vector<OptionInfo> options;
  std::function<std::unique_ptr<Solver>(const Table&)> make;  // @throws ConfigError
};

[[nodiscard]] const Registry<SolverEntry>& solver_catalog();

/// The solver that is tried first on a problem that offers this: the first of the preferred ones that fits without an
/// adapter, else the first of the catalog that fits. "" if none does.
[[nodiscard]] std::string default_solver(CapabilitySet offers);

/// A solver by name with the options that are not at their defaults.
struct NamedSolver {
  std::string name;
  Table options;
};
/// The solver that the catalog recommends for a problem, else the default_solver() of what it offers.
[[nodiscard]] NamedSolver recommended_solver(const ProblemEntry& problem);

}  // namespace alidade
