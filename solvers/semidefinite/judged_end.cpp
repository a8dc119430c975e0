#include "solvers/semidefinite/judged_end.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "problems/contract/problem.hpp"

namespace alidade {
namespace judged_end {

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

}  // namespace judged_end

void judge_end(const Problem& problem, Solution& x, const std::optional<SemidefiniteErrors>& errors,
               const std::optional<ProvenBound>& bound, SolveContext& context, Summary& out, std::string& said) {
  const auto& face = problem.face<SemidefiniteFace>();
  std::optional<double> lower, upper;
  double price = 0;
  if (const auto judged = face.judge(std::get<SemidefiniteSolution>(x), context.executor)) {
    out.violations = judged->violations;
    lower = judged->lower_bound;
    upper = judged->upper_bound;
    price = judged->price;
  } else {
    out.violations =
        errors ? Violations{errors->violated_constraints, errors->largest_violation, errors->sum_of_violations}
               : judged_end::violations_of(face.program(), std::get<SemidefiniteSolution>(x));
    if (bound) lower = bound->value;
  }
  Evaluation evaluation(context.executor);
  out.objective = out.best_objective = problem.objective(x, evaluation);
  if (lower) out.certificate = certificate_of(out.objective, *lower, upper, price, said);
  if (out.certificate)
    said += fmt::format("; proven to within {:.2g} of the objective",
                        out.certificate->proven_to() / (1 + std::abs(out.objective)));
}

}  // namespace alidade
