// Solvers inside solvers, made from an option that holds a name or a table { name = "ceres", ... }.
// Names and options are those of the catalog, which provides the lookup.
// For solvers that compose others: continuation, sequence, alternating.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/value.hpp"
#include "problems/faces/blocks.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

/// The solver that `value` names; `owner` is the outer solver. @throws ConfigError naming the place of the fault.
[[nodiscard]] std::unique_ptr<Solver> make_inner_solver(const Value& value, std::string_view owner,
                                                        SolverLookup lookup);
/// As above; the option becomes the solver's whole table, as rows show it.
[[nodiscard]] std::unique_ptr<Solver> take_inner_solver(Value& option, std::string_view owner, SolverLookup lookup);
/// As make_inner_solver(), for each of a list of at least `fewest`, the owner's option `solvers`. @throws ConfigError
[[nodiscard]] std::vector<std::unique_ptr<Solver>> make_inner_solvers(const Value& value, std::size_t fewest,
                                                                      std::string_view owner, SolverLookup lookup);

/// The context of an inner solver: the outer's threads, stop, deadline and log; its own random numbers; no observer.
[[nodiscard]] SolveContext inner_context(const SolveContext& outer, Rng rng);

/// How the solve of one block ended.
struct BlockEnd {
  Summary summary;
  bool moved = false;         // whether its end was set: it is usable, or lower than the block's start
  std::string trouble;        // why it is not usable, with the number of the block; empty if it is
  std::exception_ptr thrown;  // what its problem threw
};
/// Solves block b with the others fixed, and sets it in x.
[[nodiscard]] BlockEnd solve_block(const Solver& inner, const BlocksFace& blocks, Index b, Solution& x,
                                   const SolveContext& context, Rng rng, Counts& counts);

/// The solver's name and every option, as rows show them.
[[nodiscard]] ValueTable inner_solver_table(const Solver& solver);

}  // namespace alidade
