// What the end of a solve of a semidefinite program is worth: violations, objective, certificate, and words for them.
// By the problem's own judgement where it has one, otherwise by the program's measures and the bound that is proven.
// For solvers that leave X and y and know their errors (`admm`, `burer_monteiro`).
#pragma once

#include <optional>
#include <string>

#include "problems/faces/semidefinite.hpp"
#include "problems/programs/lower_bound.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// Fills violations, objective and certificate of `out` and adds to `said` what is proven. `x` may become a feasible
/// solution near it. @pre x holds a solution of the problem, as SemidefiniteFace::of_problem() returned it
/// @param errors those of x, if they were measured
void judge_end(const Problem& problem, Solution& x, const std::optional<SemidefiniteErrors>& errors,
               const std::optional<ProvenBound>& bound, SolveContext& context, Summary& out, std::string& said);

}  // namespace alidade
