// Proofs that the rows of a program bound the trace of X, and the lower bounds that follow from them.
// If A'(w) - I is positive semidefinite, tr X <= b'w for every feasible X, and w lifts any multipliers into the dual
// feasible set: Jansson, Chaykin & Keil 2007, "Rigorous error bounds for the optimal value in SDP".
// Only where such a w is found; a program whose trace is not bounded by its rows has none.
#pragma once

#include <optional>

#include "problems/programs/bound_proof.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

struct TraceProof {
  Vector multipliers;  // w, of the right sign for each inequality
  double bound = 0;    // b'w: the sum of all traces and of all nonnegative variables is at most this
  bool exact = false;  // A'(w) = I: the sum of the traces is b'w, up to rounding
};
/// w by least squares, min ||A'(w) - I||, scaled. O(iterations x entries), and O(sum of n^3) if A'(w) is not I.
/// Empty if A'(w) is not positive definite, or if a block of more than 1,500 rows would have to be decomposed.
/// @pre require_valid(program)
[[nodiscard]] std::optional<TraceProof> trace_proof(const SemidefiniteProgram& program);

/// Whether no block is so large that its eigenvalues take minutes: 1,500 rows or fewer, but for diagonal ones.
[[nodiscard]] bool decomposes(const SemidefiniteProgram& program);

/// proven_bound() of y - s w for about the smallest s >= 0 with which a Cholesky factor of at most `memory_gb` proves
/// that the dual slack is positive semidefinite; of y itself where there is no w, or a better one by other means than
/// w. Empty if nothing is proven. Multipliers of a wrong sign count as 0. `least`: about the least eigenvalue of the
/// dual slack of those, if it is known; it is computed otherwise, O(sum of n^3), if decomposes(program).
[[nodiscard]] std::optional<ProvenBound> lifted_bound(const SemidefiniteProgram& program, const Vector& y,
                                                      const std::optional<TraceProof>& trace,
                                                      std::optional<double> least = {}, double memory_gb = 4);

/// The least eigenvalue of a block, or the least entry of a diagonal one, which is a column.
[[nodiscard]] double least_eigenvalue(const Matrix& block, bool diagonal);

}  // namespace alidade
