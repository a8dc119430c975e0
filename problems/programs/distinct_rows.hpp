// A semidefinite program without the constraints that say nothing of their own: 0 = 0, and repeated ones.
// Multiples of a constraint are known by their quotients: all but the tightest are left out. Solvers lose their digits
// on constraints that depend on each other.
// The program's bounds are the same: a constraint that is left out has the multiplier 0.
#pragma once

#include <optional>
#include <vector>

#include "problems/programs/semidefinite_program.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

class DistinctRows {
 public:
  /// O(entries log entries). @pre require_valid(program), but constraints may be 0
  explicit DistinctRows(const SemidefiniteProgram& program);

  /// Whether any constraint is left out.
  [[nodiscard]] bool fewer() const { return kept_.size() < count_; }
  /// The program given without them.
  [[nodiscard]] SemidefiniteProgram program(const SemidefiniteProgram& given) const;
  /// Multipliers by which one constraint, or two multiples of one, contradict each other: b'y > 0 and A'(y) = 0, up to
  /// the rounding of the quotients.
  [[nodiscard]] const std::optional<Vector>& contradiction() const { return contradiction_; }
  /// The solution of the program given, or its ray, that one of program() stands for.
  [[nodiscard]] SemidefiniteSolution expanded(SemidefiniteSolution x) const;

 private:
  std::size_t count_;              // constraints given
  std::vector<std::size_t> kept_;  // constraints of program() -> of the program given
  std::optional<Vector> contradiction_;
};

}  // namespace alidade
