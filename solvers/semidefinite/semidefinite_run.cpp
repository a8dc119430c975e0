#include "solvers/semidefinite/semidefinite_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {
namespace semidefinite_run {

/// As errors_of() counts them, but without decompositions.
Violations violations_of(const SemidefiniteProgram& program, const SemidefiniteSolution& x) {
  constexpr double kViolated = 1e-9;
  Violations out;
  for (const SemidefiniteConstraint& row : program.constraints) {
    const double over = inner_product(row.entries, x.blocks) - row.bound;
    const double violation = row.relation == Relation::equal     ? std::abs(over)
                             : row.relation == Relation::at_most ? std::max(0.0, over)
                                                                 : std::max(0.0, -over);
    if (!(violation <= kViolated * (1 + std::abs(row.bound)))) ++out.count;
    out.max = std::max(out.max, violation);
    out.sum += violation;
  }
  return out;
}

}  // namespace semidefinite_run

SemidefiniteRun::SemidefiniteRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context)
    : problem_(require_fit(solver, problem, x, summary_.via)),
      face_(&problem_.face<SemidefiniteFace>()),
      x_(x),
      context_(context),
      evaluation_(context.executor),
      recorder_(context, summary_.counts) {
  require_valid(program());
  require<DataError>(!program().constraints.empty(),
                     "Solver '{}' needs at least one constraint: without one the optimum is 0 or minus infinity.",
                     solver.name());
  require<DataError>(std::holds_alternative<SemidefiniteSolution>(x),
                     "Solver '{}' needs a SemidefiniteSolution to start from.", solver.name());
  summary_.counts.starts = 1;
}

void SemidefiniteRun::begin() {
  begin_unrecorded();
  if (x().blocks.empty())
    recorder_.record(0, summary_.objective, kUnknown, nullptr);
  else
    recorder_.record(0, summary_.objective, [this] { return x_; });
}

void SemidefiniteRun::begin_unrecorded() {
  if (!x().blocks.empty()) summary_.initial_objective = problem_.objective(x_, evaluation_);
  summary_.objective = summary_.initial_objective;
}

void SemidefiniteRun::record(Index iteration, double objective, const std::function<SemidefiniteSolution()>& solution) {
  recorded_ = iteration;
  recorder_.record(iteration, face_->scale() * objective, [&] { return Solution(face_->of_problem(solution())); });
}

Summary SemidefiniteRun::not_begun(Termination interrupted) {
  return finish(interrupted, fmt::format("{} before the first iteration", to_string(interrupted)));
}

Summary SemidefiniteRun::infeasible(Termination termination, SemidefiniteSolution::Ray ray, std::string message) {
  x().ray = std::move(ray);
  return finish(termination, std::move(message));
}

void SemidefiniteRun::take(SemidefiniteSolution found) {
  x_ = face_->of_problem(std::move(found));
  summary_.objective = problem_.objective(x_, evaluation_);
}

void SemidefiniteRun::judge(SemidefiniteSolution found, const std::optional<SemidefiniteErrors>& errors,
                            const std::function<std::optional<double>()>& prove, std::string& message) {
  message += errors ? fmt::format("; largest of the six errors {:.2g}, relative gap {:.2g}", errors->worst(),
                                  errors->dimacs[4])
                    : "; blocks are so large that errors and bounds were not computed after the end";
  const Violations violations =
      errors ? Violations{errors->violated_constraints, errors->largest_violation, errors->sum_of_violations}
             : semidefinite_run::violations_of(program(), found);
  x_ = face_->of_problem(std::move(found));
  std::optional<double> lower, upper;
  double price = 0;
  if (const auto judged = face_->judge(x(), context_.executor)) {
    summary_.violations = judged->violations;
    lower = judged->lower_bound;
    upper = judged->upper_bound;
    price = judged->price;
  } else {
    summary_.violations = violations;
    if (const auto proven = prove()) lower = face_->scale() * *proven;
  }
  summary_.objective = problem_.objective(x_, evaluation_);
  if (lower) summary_.certificate = certificate_of(summary_.objective, *lower, upper, price, message);
  if (summary_.certificate)
    message += fmt::format("; proven to within {:.2g} of the objective",
                           summary_.certificate->proven_to() / (1 + std::abs(summary_.objective)));
}

void SemidefiniteRun::record_end() {
  if (recorded_ != summary_.counts.iterations)
    recorder_.record(summary_.counts.iterations, summary_.objective, [this] { return x_; });
}

Summary SemidefiniteRun::finish(Termination termination, std::string message) {
  summary_.termination = termination;
  summary_.message = std::move(message);
  summary_.best_objective = summary_.objective;
  recorder_.finish(summary_);
  return std::move(summary_);
}

}  // namespace alidade
