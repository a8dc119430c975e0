// The size of a semidefinite program in words, for the commands that read one.
// Counts constraints, semidefinite blocks and nonnegative variables.
// One line, without its end.
#pragma once

#include <string>

#include "problems/programs/semidefinite_program.hpp"

namespace alidade::commands {

/// "6 constraints; 1 semidefinite blocks, the largest 5 x 5; 0 nonnegative variables"
[[nodiscard]] std::string program_shape(const SemidefiniteProgram& program);

}  // namespace alidade::commands
