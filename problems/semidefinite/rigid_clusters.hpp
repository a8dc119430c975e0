// Clusters of objects that can not bend: the squared distances of pairs fix all others among them, in any dimension.
// A Gram matrix with these distances is singular on each cluster, so all of them lie on a face of the cone, found as in
// [KW10] Krislock & Wolkowicz 2010. Only points in few dimensions, next to their number of neighbours, have clusters.
#pragma once

#include <optional>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/precise_matrix.hpp"
#include "problems/semidefinite/unfolding_program.hpp"

namespace alidade::semidefinite {

/// Rigid clusters take dense n x n matrices, so they are for at most so many points.
inline constexpr Index kMostClusteredObjects = 2000;

/// Coordinates of `features` (objects x any number) in the least number of dimensions that holds them all, centred;
/// 0 columns if that is more than `most`. Distances are the same up to rounding. O(features most).
[[nodiscard]] Matrix flat_coordinates(const Eigen::Ref<const Matrix>& features, Index most);

/// Clusters of more than q + 1 objects each, of points in q dimensions, by their first object; each ascending. Each
/// grows from q + 1 neighbours of one another by objects with known distances to q + 1 members, which must not lie in a
/// hyperplane. Not all that exist: nothing is lost by one that is not found.
/// @pre points in 1 dimension or more, at most kMostClusteredObjects
[[nodiscard]] std::vector<std::vector<ObjectId>> rigid_clusters(const Matrix& points,
                                                                const std::vector<NeighborPair>& pairs,
                                                                const Executor& executor = Executor());

/// Which of the rows a_k are independent as a_k a_k', ascending: products of those of length 1 that the others leave
/// less than `dependent` of are not. Empty where there are more than interior points take. O(rows^3)
[[nodiscard]] std::optional<std::vector<Index>> independent_rows(const Eigen::MatrixXd& a, double dependent,
                                                                 const Executor& executor = Executor());
/// Moves out all pairs but those, ascending.
[[nodiscard]] std::vector<NeighborPair> taken_others(std::vector<NeighborPair>& pairs, const std::vector<Index>& kept);

/// The basis of the face of the clusters of `features`, objects x any number, from whose rows the pairs have their
/// distances, and why it is one.
struct RigidBasis {
  Matrix basis{};           // n x r; 0 x 0 without clusters
  PreciseMatrix ruled_out;  // n x k: every G with the distances has these in its null space; the first is constant
  Eigen::MatrixXd inverse;  // n x k: the pseudo-inverse of their transpose
  double leak = 0;          // how far rounding leaves them from it: the trace of G in their span, as part of the whole
};
/// O(n^3). These end by WorkStopped where the executor asks.
[[nodiscard]] RigidBasis rigid_basis(const Eigen::Ref<const Matrix>& features, const std::vector<NeighborPair>& pairs,
                                     const Executor& executor = Executor());

}  // namespace alidade::semidefinite
