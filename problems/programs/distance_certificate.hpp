// Lower bounds on a DistanceProgram's optimum from any multipliers, by weak duality.
// For 0 <= y <= cap and sum_{k of radius g} r_k y_k >= 0 for every g (b_g >= 0 is free to grow):
//   optimum >= T min(0, lambda_min(Q' C(y) Q + R)) - sum_k y_k bound_k,   C(y) = L(w) + kappa (n I - 11') + sum_k y_k
//   A_k
// (the derivation, and why [GR07] Eq. 7 has another sign, stand in problems/semidefinite/certificate.md).
// Where C(0) is positive definite (GNMDS), so is C(t y) for some t < 1, and -t sum_k y_k bound_k is a bound without T.
// Proven up to rounding: n epsilon |C|_inf is given away.
#pragma once

#include <optional>

#include "problems/programs/distance_program.hpp"

namespace alidade {

/// y made feasible: clipped to [0, cap], equalities left alone; where a radius has too much on the side that pulls it
/// up, those multipliers are scaled down. O(rows).
[[nodiscard]] Vector feasible_multipliers(const DistanceProgram& program, std::span<const RowId> rows, const Vector& y);

struct DistanceCertificate {
  double lower_bound = 0;
  double least_eigenvalue = 0;  // proven: none of Q' C(y) Q + R on centred vectors is below it
  Matrix directions;            // order x k, k >= 1: bottom eigenvectors, unit columns, the lowest first
};

struct CertificateOptions {
  Index directions = 1;
  bool dense = false;  // whatever the size
};

/// The bound of multipliers y, which feasible_multipliers() makes feasible first. Dense eigenvalues with a basis or a
/// ridge and for small n, O(order^3); else the inertia of a sparse LDL' factor, some of which it takes.
/// @pre y has one entry a row
[[nodiscard]] DistanceCertificate certify(const DistanceProgram& program, std::span<const RowId> rows, const Vector& y,
                                          const CertificateOptions& options = {});

/// What is proven of a solution: violations of all rows at the best b, the bound of its multipliers (of none, where it
/// has none), and the value of the program's repaired point. O(n^2) distances beside certify().
[[nodiscard]] SemidefiniteJudgement judge(const DistanceProgram& program, const SemidefiniteSolution& x,
                                          Executor& executor);

}  // namespace alidade
