#include "experiments/run/program_solve.hpp"

#include <fmt/core.h>

#include <utility>
#include <variant>

#include "problems/faces/semidefinite.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "solvers/catalog.hpp"
#include "solvers/semidefinite/csdp.hpp"
#include "solvers/semidefinite/program_choice.hpp"

namespace alidade {
namespace {

/// The solver for the program, and why; csdp if the options are not those of what would suit better.
ProgramChoice chosen_solver(const SemidefiniteProgram& program, const Table& options) {
  double limit = CsdpOptions().memory_gb;
  if (const Value* given = options.find("memory_gb")) limit = given->number().value_or(limit);
  ProgramChoice out = choose_solver(program, limit);
  const auto& known = solver_catalog().at(out.solver).options;
  for (const auto& [name, value] : options)
    if (!find_option(known, name))
      return {"csdp", fmt::format("'{}' is no option of {}, which would suit the program", name, out.solver), false};
  return out;
}

/// Of the options those that mean the same for csdp.
Table for_csdp(const Table& options) {
  Table out;
  for (const char* name : {"tolerance", "memory_gb"})
    if (const Value* value = options.find(name)) out.set(name, *value);
  return out;
}

/// Whether a solve ended by itself without what was asked for.
bool unfinished(const Summary& summary) {
  return summary.termination == Termination::stalled || summary.termination == Termination::reduced_accuracy ||
         summary.termination == Termination::max_iter || summary.termination == Termination::backend_failure;
}

}  // namespace

ProgramSolver::ProgramSolver(std::string solver, Table options) : options_(std::move(options)) {
  if (solver != "auto") solver_ = solver_catalog().at(solver).make(options_);
}

SolvedProgram ProgramSolver::solve(const Problem& problem, SolveContext& context) const {
  std::shared_ptr<const Solver> solver = solver_;
  std::optional<ProgramChoice> choice;
  if (!solver) {
    choice = chosen_solver(problem.face<SemidefiniteFace>().program(), options_);
    solver = solver_catalog().at(choice->solver).make(options_);
  }
  Solution x = SemidefiniteSolution{};
  Summary summary = solver->solve(problem, x, context);
  if (choice && choice->fall_back && unfinished(summary)) {
    choice->reason += fmt::format("; {} ended with {} after {:.2g} s, so csdp", choice->solver,
                                  to_string(summary.termination), summary.solve_seconds);
    const auto csdp = solver_catalog().at("csdp").make(for_csdp(options_));
    Solution again = SemidefiniteSolution{};
    Summary second = csdp->solve(problem, again, context);
    if (second.usable() || !summary.usable()) {
      x = std::move(again);
      summary = std::move(second);
      return {std::get<SemidefiniteSolution>(std::move(x)), std::move(summary), "csdp", choice->reason};
    }
    choice->reason += fmt::format(", which ended with {}", to_string(second.termination));
  }
  return {std::get<SemidefiniteSolution>(std::move(x)), std::move(summary), std::string(solver->name()),
          choice ? choice->reason : ""};
}

}  // namespace alidade
