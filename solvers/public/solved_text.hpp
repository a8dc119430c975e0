// What solve() found as text, to keep it on disk, go on from it, or show it later:
//   out << alidade::to_text(found);
//   const Solved again = alidade::solved_of(problem, text, "found.txt");
//   solve(problem, "ceres", {.start = again.solution});
// Of points; sdp::start_of reads solutions of semidefinite programs. The text is a table as options have them:
//   { schema = 1, blocks = { Y = { rows = 2, cols = 1, values = [0.5, -0.5] } }, termination = "converged", ... }
#pragma once

#include <string>
#include <string_view>

#include "problems/contract/problem.hpp"
#include "solvers/public/solve.hpp"

namespace alidade {

/// Solution and summary with its trace and certificate, every number in full. O(unknowns + records)
/// @throws ConfigError if the solution is no point
[[nodiscard]] std::string to_text(const Solved& solved);

/// Reads it back, bit for bit. `file` names the text in messages.
/// @throws DataError if it is no such text, or one of a problem with other blocks
[[nodiscard]] Solved solved_of(const Problem& problem, std::string_view text, const std::string& file);

}  // namespace alidade
