// The result of a solver, and what it can start from; not always a point.
// A problem chooses the alternative of its start, and decodes it into an Embedding.
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
    Matrix values;  // G: n x n (n x 1 if the program's block is diagonal), or U: n x p
    /// G itself, n x n.
    [[nodiscard]] Matrix dense() const;
    /// V with G = V V' and orthogonal columns, longest first; the largest entry of each is positive. O(n p^2), of a
    /// dense G O(n^3), which drops eigenvalues below 1e-12 of the largest.
    [[nodiscard]] Eigen::MatrixXd principal_axes() const;
  };
  std::vector<Block> blocks;
  Vector multipliers{};  // y, one per constraint; empty if unknown
  /// Z, dense and block by block (a column n x 1 for a diagonal block); empty if unknown.
  std::vector<Matrix> dual_blocks{};
  /// The rows of the multipliers, if only some of the problem's rows were used; empty: all, in order.
  std::vector<std::uint64_t> rows{};
  /// Multipliers that prove the bound of the certificate by themselves; empty: `multipliers` do, or none is known. They
  /// may be more interior than `multipliers`, which are those to start from.
  Vector proof{};
  /// What shows that a program has no optimum. With multipliers y: b'y > 0 and -sum y_r A_r >= 0, so no X is feasible.
  /// With blocks X >= 0: A(X) = 0 and <C, X> < 0, so no y gives a lower bound. Each up to rounding.
  struct Ray {
    Vector multipliers;  // without initializers: clang 16 has none for them yet where std::optional<Ray> asks
    std::vector<Block> blocks;
  };
  std::optional<Ray> ray{};
};

/// By how much constraints are violated.
struct Violations {
  Index count = 0;
  double max = 0;
  double sum = 0;
};

/// What a problem proves about its own solution, beyond the solver's program.
struct SemidefiniteJudgement {
  Violations violations;
  double lower_bound = 0;               // on the problem's optimum, from the multipliers
  std::optional<double> upper_bound{};  // of a feasible point near the solution, if one is known
  /// By how much the solution's violations may have lowered its objective: the sum of |multiplier| x violation. Exact
  /// for optimal multipliers and small violations, otherwise an estimate.
  double price = 0;
};

/// Eigenpairs: vectors are columns, n x k; values are in the requested order.
struct EigenSolution {
  Matrix vectors;
  Vector values;
};

/// Row i is matched to column column_of[i] (-1: unmatched), with dual potentials that certify it.
struct AssignmentSolution {
  std::vector<Index> column_of;
  Vector row_potential;
  Vector column_potential;
};

using Solution = std::variant<Point, SemidefiniteSolution, EigenSolution, AssignmentSolution>;

}  // namespace alidade
