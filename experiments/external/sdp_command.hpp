// Semidefinite programs by a command of the user's, such as CSDP's own program: it gets a file in SDPA's format and
// leaves a solution (solution_file.hpp), whose errors and bound Alidade measures and proves itself.
// No list shows it: solver = { name = "sdp_command", command = "csdp" }.
#pragma once

#include "solvers/contract/solver_entry.hpp"

namespace alidade {

[[nodiscard]] SolverEntry sdp_command_entry();

}  // namespace alidade
