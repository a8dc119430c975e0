// Which solver suits a semidefinite program: csdp, unless size, rows and shape speak for another one.
// Thresholds come from runs on SDPLIB (experiments/RESULTS.md, "Semidefinite programs of SDPLIB").
// It looks at the program alone and solves nothing.
#pragma once

#include <string>
#include <vector>

#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

struct ProgramChoice {
  std::string solver;                    // of the catalog
  std::string reason;                    // one clause: "3028 constraints on ..."
  std::vector<std::string> fallbacks{};  // solvers to try one after another if it does not finish
};
/// `memory_gb`: what a solver may take. @pre require_valid(program). O(entries), and a trace_proof() where there are
/// many constraints.
[[nodiscard]] ProgramChoice choose_solver(const SemidefiniteProgram& program, double memory_gb);

}  // namespace alidade
