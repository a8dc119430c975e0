// A semidefinite program in units in which the tolerances of solvers mean something, whatever those it is given in.
// Solvers stop by errors relative to 1 + the norms of C and b: of a bound of 1e-9, anything is within 1e-8.
// Min <C, X>, <A_r, X> = b_r is min <C / c, X'>, <A_r / a, X'> = b_r / (a s) with X = s X'. Units are powers of 4,
// which change no digit, and 1 where numbers are ordinary. All constraints have one: solvers know what each needs.
#pragma once

#include "problems/programs/semidefinite_program.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

class ProgramUnits {
 public:
  /// O(entries). @pre require_valid(given), but constraints may be 0
  explicit ProgramUnits(const SemidefiniteProgram& given);

  /// Whether all units are 1.
  [[nodiscard]] bool ordinary() const { return cost_ == 1 && rows_ == 1 && solution_ == 1; }
  /// The program given in these units.
  [[nodiscard]] SemidefiniteProgram program(SemidefiniteProgram given) const;
  /// An objective or a bound of the program given is this times that of program().
  [[nodiscard]] double of_objective() const { return cost_ * solution_; }
  /// The solution of program() that one of the program given is, such as a start.
  [[nodiscard]] SemidefiniteSolution of_program(SemidefiniteSolution given) const;
  /// The solution of the program given, or its ray, that one of program() is.
  [[nodiscard]] SemidefiniteSolution of_given(SemidefiniteSolution x) const;

 private:
  double cost_ = 1, rows_ = 1, solution_ = 1;  // c, a and s
};

}  // namespace alidade
