// The catalog of solvers. catalog.cpp has one line for each: the name of the entry that the solver's source defines.
// A solver is made from a table of options, which is checked against the option list (contract/solver_entry.hpp).
// To add one: a file with needed(), an Options struct with list(), its entry, and its line.
#pragma once

#include <string>
#include <string_view>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/registry.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

[[nodiscard]] const Registry<SolverEntry>& solver_catalog();
/// Adds a solver of one's own; see Registry::add().
void add_solver(SolverEntry entry);
/// Adds one that no list shows; see Registry::add_unlisted().
void add_unlisted_solver(SolverEntry entry);

/// The entry of a solver. `where` begins the message. @throws ConfigError if there is none
[[nodiscard]] const SolverEntry& solver_named(std::string_view name, std::string_view where = {});

/// The default solver of a problem with these capabilities: the first preferred solver that fits without an adapter,
/// otherwise the first in the catalog that fits; "" if none does.
[[nodiscard]] std::string default_solver(CapabilitySet offers);

/// A solver by name, with the options that differ from their defaults.
struct NamedSolver {
  std::string name;
  ValueTable options;
};
/// The solver that the problem's catalog entry recommends, otherwise the default_solver() of its capabilities. `given`:
/// the problem's options that differ from their defaults; where they name the problem of separate blocks, each block is
/// solved as that problem would be.
[[nodiscard]] NamedSolver recommended_solver(const ProblemEntry& problem, const ValueTable& given = {});

}  // namespace alidade
