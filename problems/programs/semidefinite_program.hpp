// A linear program over positive semidefinite and diagonal blocks, as data:
//   minimise <C, X>  subject to  <A_r, X> (=, <=, >=) b_r,  X >= 0 block by block;
//   dual: maximise b'y  subject to  Z = C - sum_r y_r A_r >= 0,  y_r <= 0 for rows (<=), y_r >= 0 for rows (>=).
// Matrices are symmetric and sparse: only entries with row <= col are stored, each standing for both. Diagonal
// blocks of a solution are columns, n x 1.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

struct SemidefiniteBlock {
  std::string name;
  Index size = 0;
  bool diagonal = false;  // a block of nonnegative numbers: X holds them as a column, size x 1
};

struct SymmetricEntry {
  Index block = 0;
  Index row = 0;  // row <= col; row == col in diagonal blocks
  Index col = 0;
  double value = 0;
};

enum class Relation { equal, at_most, at_least };

struct SemidefiniteConstraint {
  std::string name;  // empty or unique
  std::vector<SymmetricEntry> entries;
  Relation relation = Relation::equal;
  double bound = 0;
};

/// What is wrong with a constraint whose matrix is 0: it always holds, or never; without a full stop.
[[nodiscard]] std::string complaint_of_zero(const SemidefiniteConstraint& row);

struct SemidefiniteProgram {
  std::vector<SemidefiniteBlock> blocks;
  std::vector<SymmetricEntry> cost;
  std::vector<SemidefiniteConstraint> constraints;
  /// A promise, not a row: in some optimum, the traces of the non-diagonal blocks sum to at most this. With this
  /// bound, or with rows that imply one, any multipliers give a lower bound.
  std::optional<double> trace_bound{};
};

/// Checks what every solver relies on. There is at least one block and none is empty. Entries are in range with
/// row <= col, on the diagonal in diagonal blocks, finite, and given once per matrix. Each row has a finite bound, a
/// nonzero entry, and a unique name or none. A trace bound is finite and positive. O(entries log entries).
/// @throws DataError naming the row and the fault
/// @param zero_rows whether constraints may be without an entry other than 0, for those who leave them out
void require_valid(const SemidefiniteProgram& program, bool zero_rows = false);

/// <A, X> for sparse symmetric A, given by its upper entries, and dense blocks X (columns for diagonal blocks).
[[nodiscard]] double inner_product(const std::vector<SymmetricEntry>& a, const std::vector<Matrix>& x);

/// As above, for blocks some of which are factored; O(entries x columns), without a dense matrix of those.
/// @pre each entry is in range
[[nodiscard]] double inner_product(const std::vector<SymmetricEntry>& a,
                                   const std::vector<SemidefiniteSolution::Block>& x);

/// The largest size of an entry, and the Frobenius norm of A, given by its upper entries.
[[nodiscard]] double largest_entry(const std::vector<SymmetricEntry>& a);
[[nodiscard]] double norm_of(const std::vector<SymmetricEntry>& a);
/// b'y.
[[nodiscard]] double dual_value(const SemidefiniteProgram& program, const Vector& y);
/// y, with 0 for each multiplier of the wrong sign for its inequality.
[[nodiscard]] Vector of_right_sign(const SemidefiniteProgram& program, Vector y);

/// The blocks of x as dense matrices, checked against the program's sizes. @throws DataError
[[nodiscard]] std::vector<Matrix> dense_blocks(const SemidefiniteProgram& program,
                                               const std::vector<SemidefiniteSolution::Block>& blocks);

/// `cost` C - sum_r y_r A_r, block by block. O(entries + sum of n^2).
[[nodiscard]] std::vector<Matrix> dual_slack(const SemidefiniteProgram& program, const Vector& y, double cost = 1);

/// How far (X, y, Z) is from optimal, computed by Alidade: the error measures of the DIMACS challenge (Mittelmann
/// 2003), for the program with one nonnegative slack per inequality. |b|, |C| are the largest entries.
struct SemidefiniteErrors {
  double primal_objective = 0;  // <C, X>
  double dual_objective = 0;    // b'y
  /// [0] ||A(X) - b||_2 / (1 + |b|); inequalities count only if violated
  /// [1] max(0, -lambda_min(X)) / (1 + |b|)
  /// [2] ||sum y_r A_r + Z - C||_F / (1 + |C|)
  /// [3] max(0, -lambda_min(Z), multipliers of the wrong sign) / (1 + |C|)
  /// [4] (<C, X> - b'y) / (1 + |<C, X>| + |b'y|), the relative gap; may be negative
  /// [5] <X, Z> (slacks included) / (1 + |<C, X>| + |b'y|)
  std::array<double, 6> dimacs{};
  Violations violations{};  // absolute; counted where they are more than 1e-9 (1 + |bound|)
  /// The largest of the six in absolute value.
  [[nodiscard]] double worst() const;
  /// The same with [0] and [1] relative to 1 + ||b||_2, [2] and [3] to 1 + ||C||_F: as interior point methods measure
  /// what they converge by. Where b or C has many entries, these are much smaller.
  double worst_by_norms = 0;
};
/// Without dual blocks Z is C - sum y_r A_r. Then large blocks with a factor for X need no dense matrix: [3] is 0 if a
/// Cholesky factor proves that Z is positive semidefinite, and else what the factor of a shift proves.
/// @pre x has blocks, multipliers and dual blocks (or none) of the program's sizes; otherwise DataError. O(sum of n^3).
[[nodiscard]] SemidefiniteErrors errors_of(const SemidefiniteProgram& program, const SemidefiniteSolution& x);
/// Of those, objectives and violations alone, which take no decomposition.
[[nodiscard]] SemidefiniteErrors errors_of_rows(const SemidefiniteProgram& program, const SemidefiniteSolution& x);

/// The program with equalities only: <A, X> <= b becomes <A, X> + s = b, and <A, X> >= b becomes <A, X> - s = b. All
/// s >= 0 form one more diagonal block, the last; there is none if all rows are equalities.
struct EqualityForm {
  std::shared_ptr<const SemidefiniteProgram> program;  // without slacks the one given, which must then outlive this
  std::vector<Index> slack_of;  // row -> entry of the last block, or -1
  Index slack_count = 0;
};
[[nodiscard]] EqualityForm equality_form(const SemidefiniteProgram& program);
/// x of the original program with its slacks, s = max(0, ...), and dual slacks max(0, -+y). Parts that x does not have
/// stay absent.
[[nodiscard]] SemidefiniteSolution with_slacks(const EqualityForm& form, const SemidefiniteProgram& original,
                                               const SemidefiniteSolution& x);
/// Converts a solution of the equality form to one of the original program.
[[nodiscard]] SemidefiniteSolution without_slacks(const EqualityForm& form, SemidefiniteSolution x);

}  // namespace alidade
