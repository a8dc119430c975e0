// Proofs that the rows of a program bound the trace of X, and the lower bounds that follow from them.
// If A'(w) - I is positive semidefinite, tr X <= b'w for every feasible X, and w lifts any multipliers into the dual
// feasible set: Jansson, Chaykin & Keil 2007, "Rigorous error bounds for the optimal value in SDP".
// Only where such a w is found; a program whose trace is not bounded by its rows has none.
#pragma once

#include <optional>
#include <vector>

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

/// Constraints that bound diagonal entries and traces by themselves, and the multipliers that do it. A row with
/// diagonal entries v_i >= 0 alone and <A, X> <= b (or = b), b >= 0, gives X_ii <= b / v_i for X >= 0. With y0 = 1 /
/// v_i in such rows, A'(y0) >= I on a block or >= e_i e_i', and b'y0 is the bound: y - t y0 raises the eigenvalues of C
/// - A'(y) by t and costs t b'y0. This is a row and its coefficient of the entry that it bounds, at most b /
/// coefficient.
struct BoundingRow {
  Index row = -1;  // -1: none
  double coefficient = 1;
};

struct TraceRows {
  /// Per block and entry of its diagonal: the row with the least bound.
  std::vector<std::vector<BoundingRow>> entries;
  /// Per block: the row with the least bound on the trace among those with all its diagonal entries; the coefficient is
  /// their least.
  std::vector<BoundingRow> trace;
};

/// O(entries). @pre require_valid(program)
[[nodiscard]] TraceRows trace_rows(const SemidefiniteProgram& program);

/// Adds t y0 to y, for y0 of one entry of a diagonal, or of the trace of a block. Sums over entries are taken where no
/// row has the whole trace, or where their sum is less. @pre the bound is finite
void add_entry_multipliers(const TraceRows& rows, std::size_t block, Index entry, double t, Vector& y);
void add_trace_multipliers(const TraceRows& rows, std::size_t block, bool by_entries, double t, Vector& y);

}  // namespace alidade
