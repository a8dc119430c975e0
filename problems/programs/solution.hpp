// What a solver leaves behind, and what it may start from: not always a point.
// A problem says which alternative it starts with and decodes it into an Embedding.
// Values are owned; copying a solution is a deep copy.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/spaces/point.hpp"

namespace alidade {

/// Primal blocks, dense (G) or factored (U with G = U U^T), and the multipliers of the constraints.
struct SemidefiniteSolution {
  struct Block {
    bool factored = false;
    Matrix values;  // G: n x n (n x 1 where the program's block is diagonal), or U: n x p
    /// G itself, n x n.
    [[nodiscard]] Matrix dense() const;
  };
  std::vector<Block> blocks;
  Vector multipliers{};  // y, one per constraint; empty if unknown
  /// Z, block by block and dense (a column n x 1 where the block is diagonal); empty if unknown.
  std::vector<Matrix> dual_blocks{};
  /// Which rows the multipliers belong to, where a problem has more than were solved with; empty: all, in their order.
  std::vector<std::uint64_t> rows{};
};

/// By how much constraints are not met.
struct Violations {
  Index count = 0;
  double max = 0;
  double sum = 0;
};

/// What a problem proves of a solution of its own, beyond what the solver's program says.
struct SemidefiniteJudgement {
  Violations violations;
  double lower_bound = 0;               // on the problem's optimum, from the multipliers
  std::optional<double> upper_bound{};  // of a feasible point near the solution, where one is known
};

/// Eigenpairs: vectors are columns, n x k; values in the order the problem asked for.
struct EigenSolution {
  Matrix vectors;
  Vector values;
};

/// row i -> column column_of[i] (-1: unmatched), with dual potentials that certify it.
struct AssignmentSolution {
  std::vector<Index> column_of;
  Vector row_potential;
  Vector column_potential;
};

using Solution = std::variant<Point, SemidefiniteSolution, EigenSolution, AssignmentSolution>;

}  // namespace alidade
