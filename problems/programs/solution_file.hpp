// Solutions of semidefinite programs as text, in the format of CSDP and SDPA: one line with y, then the entries of Z
// ("1 block row column value") and of X ("2 ...") on and above the diagonal. Borchers, "CSDP User's Guide", section 4.
// Alidade's own addition: "3 block row column value" for V with X = VV' in that block, which has no lines "2 ..." then.
// The file's y is minus the multipliers here, and its Z = sum y_k F_k - F_0; see sdpa_file.hpp for the signs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/programs/semidefinite_program.hpp"

namespace alidade {

/// With the signs of SemidefiniteProgram.
struct SolutionText {
  enum class Kind {
    solution,
    infeasible,  // y proves that no X is feasible: b'y > 0 and Z = -A'(y) >= 0
    no_bound     // X proves that no y gives a bound: A(X) = 0 and <C, X> < 0
  };
  Kind kind = Kind::solution;
  Vector multipliers;                    // one per constraint
  std::vector<SymmetricEntry> dual{};    // of Z, not 0
  std::vector<SymmetricEntry> primal{};  // of X in blocks without a factor, not 0
  std::vector<SymmetricEntry> factor{};  // of V in the others, not 0; `col` is V's column, and may be below `row`
  bool proven = true;                    // false: of a ray that shows it up to rounding
};

/// Parses a solution of `program`; `file` names the text in messages. A ray is told by its first line, a remark:
///     * ray: y proves that the program is infeasible
///     * ray: X shows that no y proves a bound
///     * likely infeasible: y shows it up to rounding, without a proof
///     * likely unbounded: X shows it up to rounding, without a proof
/// Other remarks at the beginning are passed over.
/// @throws DataError naming file and line: another number of multipliers, not a number, out of range, given twice, a
/// factor of a diagonal block or beside entries of X
[[nodiscard]] SolutionText parse_solution(std::string_view text, const std::string& file,
                                          const SemidefiniteProgram& program);

/// The text; parse_solution() reads it back bit for bit, except for the sign of 0.
[[nodiscard]] std::string to_text(const SolutionText& solution);

/// The nonzero entries of blocks, on and above the diagonal.
[[nodiscard]] std::vector<SymmetricEntry> entries_of(const SemidefiniteProgram& program,
                                                     const std::vector<Matrix>& blocks);

/// The nonzero entries of X, factors multiplied out: O(n^2 p) for each; nothing if they are more than 10^8 (3.2 GB).
[[nodiscard]] std::optional<std::vector<SymmetricEntry>> entries_of_x(const SolutionText& solution);

/// A solution whose Z is that of y. A factor of up to n/2 columns stays one: for max-cut with n = 7,000, 5.6 MB of text
/// instead of 832 MB. @pre x has blocks of the program's sizes, or none
[[nodiscard]] SolutionText solution_text(const SemidefiniteProgram& program, const Vector& y,
                                         const std::vector<SemidefiniteSolution::Block>& x);

/// A ray, with Z = -A'(y) or with y = 0, that is called one if it proves what it shows. @pre the ray has multipliers or
/// blocks of the program's sizes
[[nodiscard]] SolutionText ray_text(const SemidefiniteProgram& program, const SemidefiniteSolution::Ray& ray);

}  // namespace alidade
