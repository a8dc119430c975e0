// A method that is a command of the user's, in any language: a problem, of which Alidade knows only the evidence and
// the shape of the map, and the solver that runs the command in a folder (task_folder.hpp).
// Neither is in a list: a [[method]] of a configuration says `command` instead of a problem and a solver.
// Same seed, same bits, as far as the command keeps to the seed and the number of threads that it is given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/core/value.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

/// The name of the problem and of its solver.
inline constexpr std::string_view kCommand = "command";

/// From now on the catalogs find both, and sdp_command. Any number of calls.
void offer_commands();

/// A name for a method by the command: that of its first file, or of the program.
[[nodiscard]] std::string name_of_command(const ValueTable& options);

// Semidefinite programs by a command of the user's, such as CSDP's own program: it gets a file in SDPA's format and
// leaves a solution (solution_file.hpp), whose errors and bound Alidade measures and proves itself.
// No list shows it: solver = { name = "sdp_command", command = "csdp" }.
[[nodiscard]] SolverEntry sdp_command_entry();

// Ready methods that are commands: scripts for programs that many people use, which the program holds.
// Their texts are files of experiments/adapters/, whose first lines say what each is.
// Example: `alidade list adapters rtsne.R` prints one.
struct Adapter {
  std::string name;     // of its file
  std::string summary;  // its first line
};

[[nodiscard]] const std::vector<Adapter>& adapters();

}  // namespace alidade
