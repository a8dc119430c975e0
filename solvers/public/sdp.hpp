// A semidefinite program of one's own: solved by the solver that suits it or by one of your choice, and judged.
//   const auto found = alidade::sdp::solve(program, {.options = {{"tolerance", 1e-7}}, .time_limit = 60});
// No X has a cost below found.proven_bound, all rounding counted; found.errors: how far X, y and Z are from optimal.
// semidefinite_program.hpp says what a program is, and problems/programs/README.md which number has which sign.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/problem.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/value.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "problems/programs/solution.hpp"
#include "solvers/contract/solver.hpp"
#include "solvers/public/solve.hpp"

namespace alidade {

/// Which solver suits a program: csdp, unless size, rows and shape speak for another one.
struct ProgramChoice {
  std::string solver;                    // of the catalog
  std::string reason;                    // one clause: "3028 constraints on ..."
  std::vector<std::string> fallbacks{};  // solvers to try one after another if it does not finish
};
/// It looks at the program alone and solves nothing. `memory_gb`: what a solver may take. @pre require_valid(program).
/// O(entries), and a trace_proof() where there are many constraints.
[[nodiscard]] ProgramChoice choose_solver(const SemidefiniteProgram& program, double memory_gb);

struct SolvedProgram {
  SemidefiniteSolution solution;
  Summary summary;
  std::string solver;                          // "none" where constraints contradict each other as they stand
  std::string choice;                          // why this solver; empty if it was named
  std::optional<SemidefiniteErrors> errors{};  // if they were measured already, on split blocks
};

/// Where the solver that suits ends by itself without what was asked for, csdp tries too. Numbers of extreme size get
/// other units first (program_units.hpp). Repeated constraints are left out, and those that contradict each other end
/// the solve (distinct_rows.hpp); blocks are split (reduced_program.hpp); solution, multipliers and rays are those of
/// the program given.
class ProgramSolver {
 public:
  /// `solver`: a name, or "auto", which takes the options of its choice. @throws ConfigError, before any program is
  /// read
  ProgramSolver(std::string solver, ValueTable options);
  /// From `start`, if it has blocks, without splitting them first. @pre the problem is a SdpProblem
  /// @throws ConfigError
  [[nodiscard]] SolvedProgram solve(const Problem& problem, SolveContext& context,
                                    const SemidefiniteSolution& start = {}) const;

 private:
  [[nodiscard]] SolvedProgram solve_as_given(const Problem& problem, std::optional<ProgramChoice> choice,
                                             SolveContext& context, const SemidefiniteSolution& start) const;

  std::shared_ptr<const Solver> solver_;  // null: auto
  ValueTable options_;
};

namespace sdp {

struct Options {
  std::string solver = "auto";  // "auto", or one of `alidade list solvers` that needs `semidefinite`
  OptionValues options{};       // of the solver
  int threads = 1;
  std::optional<double> time_limit{};  // seconds
  std::stop_token stop{};
  bool may_fork = false;  // SolveContext::may_fork
  /// X, y and Z to start from, such as the solution of a program that differs a little; csdp, admm and others use it.
  SemidefiniteSolution start{};
};
/// What to start from, of the text of a solution as `alidade sdp -o` and CSDP write it: dense blocks. `file` is its
/// name in messages. @throws DataError if it is no solution of the program, or a ray
[[nodiscard]] SemidefiniteSolution start_of(const SemidefiniteProgram& program, std::string_view text,
                                            const std::string& file);

struct Solved {
  SolvedProgram program;
  /// Nothing without X and y, as after `infeasible`: then program.solution.ray may hold what shows it.
  std::optional<SemidefiniteErrors> errors;
  /// prove_bound() of the multipliers; nothing if they prove none.
  std::optional<double> proven_bound;
};
/// What Alidade itself finds of a solution, whatever its solver said.
[[nodiscard]] Solved judged(const SemidefiniteProgram& program, SolvedProgram solved);

/// One solve at a time by csdp in a process: others wait for it. How it ended: program.summary.
/// @throws DataError unless require_valid(program, true); ConfigError on the solver's name or options, if the program
/// exceeds its memory_gb, and if this build lacks it (see available())
[[nodiscard]] Solved solve(const SemidefiniteProgram& program, const Options& options = {});

}  // namespace sdp
}  // namespace alidade
