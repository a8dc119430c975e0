// The command `alidade`, for a program that has methods of its own:
//   int main(int argc, char** argv) { return alidade::main(argc, argv, {.problems = {mine_entry()}}); }
// They can be used wherever those of the catalogs can: in configurations, tables, ablations and reports. plugin.hpp
// does the same for the command that is installed, without a program of one's own.
#pragma once

#include "experiments/command_line/catalogs.hpp"

namespace alidade {

/// Runs the command named by the arguments, and says on standard error what went wrong. Call it first in main(): where
/// the environment does not set the threads of a BLAS, it starts the program again, with one.
/// `additions`: added to the catalogs, in this order; a name that is taken is bad input.
/// Returns the exit status: 0 success, 1 a run failed or a proof does not hold, 2 bad input, 130 interrupted.
[[nodiscard]] int main(int argc, char** argv, Catalogs additions = {});

}  // namespace alidade
