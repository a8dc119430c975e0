// Solves a semidefinite program by a solver of one's choice or by the one that suits it.
// Where the one that suits ends by itself without what was asked for, csdp tries too. Blocks are split first
// (reduced_program.hpp); solution, multipliers and rays are those of the program given.
// For programs that are given as such; problems of maps have their solvers from the catalog.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problems/contract/problem.hpp"
#include "problems/core/value.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "problems/programs/solution.hpp"
#include "solvers/contract/solver.hpp"
#include "solvers/semidefinite/program_choice.hpp"

namespace alidade {

struct SolvedProgram {
  SemidefiniteSolution solution;
  Summary summary;
  std::string solver;
  std::string choice;                          // why this solver; empty if it was named
  std::optional<SemidefiniteErrors> errors{};  // if they were measured already, on split blocks
};

class ProgramSolver {
 public:
  /// `solver`: a name, or "auto", which takes the options of its choice. @throws ConfigError, before any program is read
  ProgramSolver(std::string solver, Table options);
  /// @pre the problem is a BareProgram. @throws ConfigError
  [[nodiscard]] SolvedProgram solve(const Problem& problem, SolveContext& context) const;

 private:
  [[nodiscard]] SolvedProgram solve_as_given(const Problem& problem, std::optional<ProgramChoice> choice,
                                             SolveContext& context) const;

  std::shared_ptr<const Solver> solver_;  // null: auto
  Table options_;
};

}  // namespace alidade
