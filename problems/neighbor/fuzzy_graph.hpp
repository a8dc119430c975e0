// The graph of UMAP: fuzzy memberships in the neighbourhoods of objects, joined to symmetric weights of edges.
// [MHM18] McInnes, Healy & Melville 2018, Algorithms 1 to 3 and Definition 9. For the nearest others j of object i:
//   v_j|i = exp(-max(0, d_ij - rho_i) / sigma_i),  rho_i the distance to the nearest one that is apart.
#pragma once

#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/nearest_neighbors.hpp"

namespace alidade::neighbor {

struct FuzzyGraph {
  Index size = 0;
  std::vector<ObjectId> heads, tails;  // edges i -> j, both ways, in the order of heads and then tails
  std::vector<float> weights;          // of edges, in (0, 1]; those of both ways are equal
  Index part_count = 1;                // of connected parts
};

struct FuzzyGraphOptions {
  double local_connectivity = 1;  // number of neighbours with full membership, >= 0
  double mix = 1;                 // 1: union, v + v' - v v'; 0: intersection, v v'; between: a mixture
};

/// Replaces ascending distances of one object, above 0 or all 0, by memberships. `mean`: of all objects' distances.
void to_memberships(Eigen::Ref<Eigen::RowVectorXd> distances, double local_connectivity, double mean);

/// sigma_i solves sum over the others listed of v_j|i = log_2(1 + their number) within 1e-5: the authors' program
/// counts an object among its own neighbours. It is at least 1e-3 of the mean distance in the row, or in all rows for a
/// row without distances. Edges of weight 0 are left out. neighbors: n x k, k >= 1. O(n k 64).
[[nodiscard]] FuzzyGraph fuzzy_graph(const NearestNeighbors& neighbors, const FuzzyGraphOptions& options,
                                     Executor& executor);

/// n x d: eigenvectors 2, ..., d + 1 of D^-1/2 V D^-1/2, largest eigenvalues first: Laplacian eigenmaps of the graph
/// (Belkin & Niyogi 2003), to the accuracy that a start needs. @pre d + 1 < n
[[nodiscard]] Matrix spectral_places(const FuzzyGraph& graph, Index d);

}  // namespace alidade::neighbor
