// Maximum variance unfolding as a program over squared distances ([WS04] Weinberger & Saul 2004):
//   min - tr G  s.t.  d2_ij = D_ij (or d2_ij <= D_ij) for pairs of neighbours;  tr G = sum_{i<j} d2_ij / n for centred
//   points.
// The pairs must connect all objects. Then no distance exceeds the shortest path, and tr G <= T = sum_{i<j} path_ij^2 /
// n.
#pragma once

#include "problems/core/executor.hpp"
#include "problems/distances/geodesics.hpp"
#include "problems/programs/distance_program.hpp"

namespace alidade::semidefinite {

struct NeighborPair {
  ObjectId i = 0, j = 0;        // i < j
  double squared_distance = 0;  // D
};

/// Row k: the difference of the basis's rows of pair k. pairs x r
[[nodiscard]] Matrix across_pairs(const Matrix& basis, const std::vector<NeighborPair>& pairs);

/// Their graph, as long as it may be in parts.
[[nodiscard]] KnnGraph neighbor_graph(Index n, const std::vector<NeighborPair>& pairs);

/// An upper bound on the sum of squared norms of points that sum to zero and whose neighbours are no farther than D.
/// For n <= 2000 from all shortest paths; otherwise the least sum_i path_ic^2 of 64 objects c, about twice as large; of
/// one where the executor asks to stop.
/// @pre the pairs connect all objects. O(n (n + pairs) log n), or with 64 instead of the first n.
[[nodiscard]] double unfolding_bound(Index n, const std::vector<NeighborPair>& pairs, Executor& executor);

/// The solutions of equalities, where these fix parts of G that are singular (rigid_clusters.hpp): G = Q M Q'.
struct UnfoldingFace {
  Matrix basis{};                       // Q: n x r, orthonormal columns that sum to zero; 0 x 0: all centred G
  double leak = 0;                      // of the bound on tr G: what may be outside the face
  std::vector<NeighborPair> implied{};  // on the face, their distances follow from those of the other pairs
};

class UnfoldingProgram final : public DistanceProgram {
 public:
  /// Row k is pair k, in order. Implied pairs are no rows, but what violates them counts as a violation.
  /// @pre pairs are different and connect all objects, with the implied ones; a face is of equalities
  UnfoldingProgram(Index n, std::vector<NeighborPair> pairs, bool equality, double trace_bound,
                   UnfoldingFace face = {});

  [[nodiscard]] std::uint64_t row_count() const override { return pairs_.size(); }
  [[nodiscard]] DistanceConstraint row(ConstraintId id) const override;
  [[nodiscard]] std::string constraint_name(ConstraintId id) const override;
  [[nodiscard]] std::vector<ConstraintId> all_constraints() const override;
  /// For each object, the pairs with its nearest neighbours.
  [[nodiscard]] std::vector<ConstraintId> first_constraints(Index per_side, Rng& rng) const override;
  /// Takes the pairs of each object with later ones. O(pairs p).
  Violations separate(const SquaredDistances& d2, Index budget, double tolerance, std::vector<ConstraintId>& out,
                      Executor& executor) const override;
  /// Inequalities: G shrunk until the rows hold, by least D / (least D + violation). Equalities: empty unless they hold
  /// up to rounding, 1e-12 of the largest D.
  [[nodiscard]] std::optional<double> repaired_value(double value, double violation, double trace) const override;
  /// Equalities: Newton steps of least length from the points of x, on the face. A step factors a matrix of one row a
  /// pair, sparse without a face.
  [[nodiscard]] std::optional<SemidefiniteSolution> restored(const SemidefiniteSolution& x,
                                                             const Executor& executor) const override;

 private:
  std::vector<NeighborPair> pairs_;  // by i, then j
  std::vector<NeighborPair> implied_;
  std::vector<std::size_t> first_;  // n + 1
  bool equality_;
  double least_ = 0, largest_ = 0;  // D
};

}  // namespace alidade::semidefinite
