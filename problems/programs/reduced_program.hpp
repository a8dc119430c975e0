// An equivalent semidefinite program of smaller blocks: each block split where no entry joins its rows.
// Rows i and j of a block belong together if the cost or a constraint has an entry there; other entries of X may be 0
// without changing anything (Grone, Johnson, Sa & Wolkowicz 1984, the case of a graph without edges between parts).
// A part of one row is a nonnegative number. The multipliers are those of the program given, bit by bit.
#pragma once

#include <vector>

#include "problems/programs/semidefinite_program.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

class ReducedProgram {
 public:
  enum class Slacks {
    keep,
    drop  // an equation whose slack is a number of its own, without cost, becomes an inequality
  };
  /// @pre require_valid(program), which must outlive this. O(entries log entries).
  ReducedProgram(const SemidefiniteProgram& program, Slacks slacks);

  /// Whether anything is smaller; otherwise there is no program().
  [[nodiscard]] bool smaller() const { return smaller_; }
  [[nodiscard]] const SemidefiniteProgram& program() const { return reduced_; }
  /// The solution of the program given, or its ray, that one of program() stands for. Z is recomputed if there is one.
  [[nodiscard]] SemidefiniteSolution expanded(SemidefiniteSolution x) const;

 private:
  struct Place {
    Index block = -1;  // -1: X is 0 there, or a slack
    Index row = 0;
  };
  struct Slack {
    Index constraint = 0;
    Index block = 0;  // of the program given
    Index row = 0;
    double coefficient = 0;
  };
  [[nodiscard]] std::vector<SemidefiniteSolution::Block> expanded(
      const std::vector<SemidefiniteSolution::Block>& blocks, bool homogeneous) const;

  const SemidefiniteProgram& original_;
  SemidefiniteProgram reduced_;
  std::vector<std::vector<Place>> places_;  // of the rows of the blocks given
  std::vector<Slack> slacks_;
  bool smaller_ = false;
};

}  // namespace alidade
