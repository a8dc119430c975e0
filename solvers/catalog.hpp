// The catalog of solvers: one line each in catalog.cpp, which calls the entry that the solver's own source defines.
// A solver is made from a table of options, checked against its list: see contract/solver_entry.hpp.
// Adding one: a file pair with needed(), an Options struct with list(), its entry, and its line.
#pragma once

#include <string>
#include <string_view>

#include "problems/core/registry.hpp"
#include "problems/problem_entry.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

[[nodiscard]] const Registry<SolverEntry>& solver_catalog();

/// The entry of a solver. `where` begins the message. @throws ConfigError if there is none
[[nodiscard]] const SolverEntry& solver_named(std::string_view name, std::string_view where = {});

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
