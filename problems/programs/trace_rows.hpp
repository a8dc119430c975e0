// Constraints that bound diagonal entries and traces of X by themselves, and the multipliers that do it.
// A row with diagonal entries v_i >= 0 alone and <A, X> <= b (or = b), b >= 0, gives X_ii <= b / v_i for X >= 0.
// With y0 = 1 / v_i in such rows, A'(y0) >= I on a block or >= e_i e_i', and b'y0 is the bound: y - t y0 raises the
// eigenvalues of C - A'(y) by t and costs t b'y0.
#pragma once

#include <vector>

#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

/// A row and its coefficient of the entry that it bounds, at most b / coefficient.
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
