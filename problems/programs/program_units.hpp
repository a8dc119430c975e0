// A semidefinite program in units in which the tolerances of solvers mean something, whatever those it is given in.
// Solvers stop by errors relative to 1 + the norms of C and b: of a bound of 1e-9, anything is within 1e-8.
// Min <C, X>, <A_r, X> = b_r is min <C / c, X'>, <A_r / a_r, X'> = b_r / (a_r s) with X = s X'. Units are powers of 2
// or 4, which change no digit, and 1 where numbers are ordinary.
#pragma once

#include "problems/programs/semidefinite_program.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

class ProgramUnits {
 public:
  /// By the largest numbers of C and of each row, and the largest |b_r| / a_r, which is the size of X.
  /// O(entries). @pre require_valid(given), but constraints may be 0
  explicit ProgramUnits(const SemidefiniteProgram& given);
  /// By norms, which become 1/2 or more and less than 1, but for those of 0; X stays. For solvers whose own tests are
  /// not scale-free. All are 1 unless a norm is below 1e-6 or above 1e7, or `always`.
  static ProgramUnits by_norms(const SemidefiniteProgram& given, bool always = false);

  /// Whether all units are 1.
  [[nodiscard]] bool ordinary() const { return cost_ == 1 && solution_ == 1 && (rows_.array() == 1).all(); }
  /// The program given in these units.
  [[nodiscard]] SemidefiniteProgram program(SemidefiniteProgram given) const;
  /// An objective or a bound of the program given is this times that of program().
  [[nodiscard]] double of_objective() const { return cost_ * solution_; }
  /// The solution of program() that one of the program given is, such as a start.
  [[nodiscard]] SemidefiniteSolution of_program(SemidefiniteSolution given) const;
  /// The solution of the program given, or its ray, that one of program() is.
  [[nodiscard]] SemidefiniteSolution of_given(SemidefiniteSolution x) const;

 private:
  ProgramUnits() = default;
  double cost_ = 1, solution_ = 1;  // c and s
  Vector rows_{};                   // a
};

}  // namespace alidade
