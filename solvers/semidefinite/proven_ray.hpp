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

struct RayVerdict {
  Termination termination = Termination::likely_infeasible;
  std::string message;
};

/// `infeasible` or `unbounded` if the ray proves it (bound_proof.hpp, feasible_point.hpp); `ray` is then the one that
/// does. Otherwise `likely_infeasible` or `likely_unbounded`, with what the ray does show. A dozen Cholesky factors of
/// each block. @pre the ray has multipliers or blocks of the program's sizes
[[nodiscard]] RayVerdict verdict_of_ray(const SemidefiniteProgram& program, SemidefiniteSolution::Ray& ray);

/// A ray that ends a solve.
struct EndingRay {
  SemidefiniteSolution::Ray ray;
  RayVerdict verdict;
};
/// Nothing if the ray neither proves what it shows nor, being `clear`, makes it likely.
[[nodiscard]] std::optional<EndingRay> ending_ray(const SemidefiniteProgram& program, SemidefiniteSolution::Ray ray,
                                                  bool clear);

}  // namespace alidade
