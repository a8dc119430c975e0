// Solvers inside solvers: made from a name or a table { name = "ceres", ... } that an option holds.
// Names and options are those of the catalog, which hands in how to find them.
// For solvers that compose others: continuation, sequence, alternating.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "problems/core/value.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

/// The solver that `given` names; `owner` is the one that asks. @throws ConfigError with the place of what is wrong.
[[nodiscard]] std::unique_ptr<Solver> make_inner_solver(const Value& given, std::string_view owner, SolverLookup known);
/// The same for each of a list of `fewest` or more, the owner's option `solvers`. @throws ConfigError
[[nodiscard]] std::vector<std::unique_ptr<Solver>> make_inner_solvers(const Value& given, std::size_t fewest,
                                                                      std::string_view owner, SolverLookup known);

/// What an inner solver is given: the outer's threads, stop, deadline and log, random numbers of its own, no observer.
[[nodiscard]] SolveContext inner_context(const SolveContext& outer, Rng rng);

/// Its name and every option, as a row shows them.
[[nodiscard]] Table inner_solver_table(const Solver& solver);

}  // namespace alidade
