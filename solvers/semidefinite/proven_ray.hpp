// Whether a ray proves that a program has no optimum, with all rounding counted, or only makes it likely.
// Every solver that finds rays asks here, so that `infeasible` and `unbounded` are said of what is proven.
// Rays of solvers are rounded ones: where they prove nothing as they are, a rounder ray nearby may.
#pragma once

#include <optional>
#include <string>

#include "problems/programs/semidefinite_program.hpp"
#include "problems/programs/solution.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// A ray that ends a solve: `infeasible` or `unbounded` if it proves it (bound_proof.hpp, feasible_point.hpp), being
/// the ray given or a rounder one; otherwise `likely_infeasible` or `likely_unbounded`, with what the ray does show.
struct EndingRay {
  SemidefiniteSolution::Ray ray;
  Termination termination = Termination::likely_infeasible;
  std::string message;
};
/// Nothing if the ray neither proves what it shows nor, being `clear`, makes it likely. A dozen Cholesky factors of
/// each block. @pre the ray has multipliers or blocks of the program's sizes
[[nodiscard]] std::optional<EndingRay> ending_ray(const SemidefiniteProgram& program, SemidefiniteSolution::Ray ray,
                                                  bool clear);

}  // namespace alidade
