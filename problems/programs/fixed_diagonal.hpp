// Semidefinite programs whose constraints fix the diagonal of their one block, X_ii = b_i > 0: max-cut and its kin.
// Or bound it, X_ii <= b_i, where no c_ii is positive: an optimum then has X_ii = b_i, and multipliers at most 0.
// Goemans & Williamson 1995 (max-cut). Any y gives a bound: if C - diag(y) is positive semidefinite, <C, X> >= b'y.
// A Cholesky factor that exists proves that, up to rounding: Rump 2006, "Verification of positive definiteness".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "problems/core/decompositions/front_cholesky.hpp"
#include "problems/core/types.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

struct FixedDiagonal {
  Vector diagonal;                // b, n: X_ii = b_i > 0
  SparseMatrix cost;              // C, n x n, both triangles
  std::vector<Index> constraint;  // i -> the constraint that fixes X_ii; a repeated one counts once
  Vector coefficient;             // of X_ii in that constraint
  std::vector<bool> capped;       // whether that is X_ii <= b_i; empty: none is
  Index constraint_count = 0;

  /// Multipliers of the program's constraints for multipliers y of X_ii = b_i.
  [[nodiscard]] Vector of_program(const Vector& y) const;
};

struct FixedDiagonalForm {
  std::optional<FixedDiagonal> found;
  std::string reason;  // one sentence if the program is of another shape
};
/// @pre require_valid(program). O(entries log entries).
[[nodiscard]] FixedDiagonalForm fixed_diagonal_form(const SemidefiniteProgram& program);

/// Proves lower bounds by a sparse Cholesky factor.
class DiagonalCertificate {
 public:
  /// `bytes`: the most that a factor may take. The program must outlive this; its cost is read here alone.
  DiagonalCertificate(const FixedDiagonal& program, double bytes);

  /// Whether a factor fits; if not, bound() proves nothing.
  [[nodiscard]] bool possible() const { return possible_; }
  /// Additions and multiplications of a factor; some 1e9 to 1e10 take a second.
  [[nodiscard]] double operations() const { return plan_.operations(); }
  /// The strictly lower triangle of C, its diagonal, and the plan of a factor.
  [[nodiscard]] const FrontCholesky::Sparse& below_diagonal() const { return below_; }
  [[nodiscard]] const Vector& on_diagonal() const { return diagonal_; }
  [[nodiscard]] const FrontCholesky& plan() const { return plan_; }
  /// b'y, less an allowance for rounding; empty if C - diag(y) has no Cholesky factor, or if `stop` said so.
  [[nodiscard]] std::optional<double> bound(
      const Vector& y, const std::function<bool()>& stop = [] { return false; });

 private:
  const FixedDiagonal& program_;
  FrontCholesky::Sparse below_;
  Vector diagonal_;
  FrontCholesky plan_;
  bool possible_;
};

}  // namespace alidade
