// A method that is a command of the user's, in any language: a problem, of which Alidade knows only the evidence and
// the shape of the map, and the solver that runs the command in a folder (task_folder.hpp).
// Neither is in a list: a [[method]] of a configuration says `command` instead of a problem and a solver.
// Same seed, same bits, as far as the command keeps to the seed and the number of threads that it is given.
#pragma once

#include <string>
#include <string_view>

#include "problems/core/value.hpp"

namespace alidade {

/// The name of the problem and of its solver.
inline constexpr std::string_view kCommand = "command";

/// From now on the catalogs find both, and sdp_command.hpp. Any number of calls.
void offer_commands();

/// A name for a method by the command: that of its first file, or of the program.
[[nodiscard]] std::string name_of_command(const ValueTable& options);

}  // namespace alidade
