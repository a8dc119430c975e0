// Solvers inside solvers, made from an option that holds a name or a table { name = "ceres", ... }.
// Names and options are those of the catalog, which provides the lookup.
// For solvers that compose others: continuation, sequence, alternating.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "problems/core/value.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

/// The solver that `value` names; `owner` is the outer solver. @throws ConfigError naming the place of the fault.
[[nodiscard]] std::unique_ptr<Solver> make_inner_solver(const Value& value, std::string_view owner,
                                                        SolverLookup lookup);
/// As above, for each of a list of at least `fewest`, the owner's option `solvers`. @throws ConfigError
[[nodiscard]] std::vector<std::unique_ptr<Solver>> make_inner_solvers(const Value& value, std::size_t fewest,
                                                                      std::string_view owner, SolverLookup lookup);

/// The context of an inner solver: the outer's threads, stop, deadline and log; its own random numbers; no observer.
[[nodiscard]] SolveContext inner_context(const SolveContext& outer, Rng rng);

/// The solver's name and every option, as rows show them.
[[nodiscard]] ValueTable inner_solver_table(const Solver& solver);

}  // namespace alidade
