// Proves that a feasible point lies near an X that violates equations a little, and so an upper bound on the optimum.
// Jansson, Chaykin & Keil 2007, "Rigorous error bounds for the optimal value in semidefinite programming": their idea
// in its simplest form. With r = A(X) - b and w = (AA')^-1 r, X - A'(w) meets the equations, and its distance to X is
// sqrt(r'w) <= |r| / sqrt(mu), where AA' >= mu I. If X >= delta I for this distance, X - A'(w) is feasible.
#pragma once

#include <optional>
#include <vector>

#include "problems/programs/bound_proof.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

struct FeasiblePoint {
  double distance = 0;     // of X from it, in the Frobenius norm, rounded up; 0: X itself
  double upper_bound = 0;  // on the optimum: its <C, X>, rounded up
};

/// Empty if that is not proven: for a singular X, equations that depend on each other or take too long to compare, and
/// programs with inequalities that X violates. O(sum over places of X of the square of the constraints there, and a
/// Cholesky factor of AA' and of each block). @pre as of check_primal
[[nodiscard]] std::optional<FeasiblePoint> feasible_point_near(const SemidefiniteProgram& program,
                                                               const std::vector<SymmetricEntry>& x,
                                                               const BoundProofOptions& options = {});

/// Whether no multipliers give a bound: near X there is an X' >= 0 with <A_r, X'> = 0 (<= 0, >= 0) for all rows and
/// <C, X'> < 0. If a feasible point exists, the objective then has no lower bound.
[[nodiscard]] bool proves_no_bound(SemidefiniteProgram program, const std::vector<SymmetricEntry>& x,
                                   const BoundProofOptions& options = {});

}  // namespace alidade
