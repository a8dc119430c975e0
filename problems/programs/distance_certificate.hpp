// Lower bounds on a DistanceProgram's optimum from any multipliers, by weak duality.
// For 0 <= y <= cap and sum_{k of radius g} r_k y_k >= 0 for every g (b_g >= 0 is free to grow):
//   optimum >= T min(0, lambda_min(Q' C(y) Q + R)) - sum_k y_k bound_k,   C(y) = L(w) + kappa (n I - 11') + sum_k y_k
//   A_k
// (problems/semidefinite/certificate.md has the derivation, and why [GR07] Eq. 7 has another sign).
// Where C(0) is positive definite (GNMDS), so is C(t y) for some t < 1, and -t sum_k y_k bound_k is a bound without T.
// Where feasible G may leak from Q M Q', the bound is lowered by what that is worth (cost_of_leak).
// Proven up to rounding: the bound is lowered by n epsilon |C|_inf.
#pragma once

#include <functional>

#include "problems/programs/distance_program.hpp"

namespace alidade {

/// Makes y feasible: clips it to [0, cap], except for equalities. Where the sum over a radius has the wrong sign, the
/// multipliers on the side in excess are scaled down. O(rows).
[[nodiscard]] Vector feasible_multipliers(const DistanceProgram& program, std::span<const ConstraintId> rows,
                                          const Vector& y);

struct DistanceCertificate {
  double lower_bound = 0;
  double least_eigenvalue = 0;  // proven: a lower bound on the eigenvalues of Q' C(y) Q + R on centred vectors
};

/// The bound of multipliers y, first made feasible by feasible_multipliers(); where feasible G may leak from the basis,
/// of y + low, numbers with twice the digits of a double. With a basis or a ridge, and for small n, it needs dense
/// eigenvalues, O(order^3); otherwise the inertia of several sparse LDL' factors. Once it is `asked` to stop, a
/// bound that takes no factor, usually that of multipliers 0.
/// @pre y has one entry per row
[[nodiscard]] DistanceCertificate certify(
    const DistanceProgram& program, std::span<const ConstraintId> rows, const Vector& y, const Vector& low = {},
    const std::function<bool()>& asked = [] { return false; });

/// What is known of a solution beside what is proven of it.
struct DistanceJudgement : SemidefiniteJudgement {
  double objective = 0;         // with the best slacks
  double least_eigenvalue = 0;  // as certify()'s
};
/// What is proven of a solution: violations of all rows at the best b, those above `tolerance` counted, and their
/// price, the bound of its multipliers (zeros if it has none; x.proof may have them with their low parts behind), and
/// the value of a feasible point. Where the program restores x, x becomes that point, and violations and price are its.
/// Computes O(n^2) distances besides certify(). Where the executor asks to stop, x is not restored, or the bound weak.
[[nodiscard]] DistanceJudgement judge(const DistanceProgram& program, SemidefiniteSolution& x, Executor& executor,
                                      double tolerance = 0);

}  // namespace alidade
