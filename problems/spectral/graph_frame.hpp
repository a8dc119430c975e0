// What methods of a sparse matrix of neighbours begin with: the graph, the neighbours of each placed object, the
// matrix. Locally linear embedding, its Hessian variant and Laplacian eigenmaps share it.
// Placed objects are numbered in the order of their ids; those numbers are the rows of the matrix.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/distances/geodesics.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::spectral {

using MatrixEntries = std::vector<Eigen::Triplet<double, Index>>;

/// Numbers of objects among the placed ones; -1 elsewhere.
[[nodiscard]] std::vector<Index> numbers_of(const neighbor::KnnGraph& graph);

/// @throws DataError unless d + 2 objects are placed, not all of them at one place
void require_enough(const neighbor::KnnGraph& graph, Index d, std::string_view problem);

/// n x n; entries at the same place are added.
[[nodiscard]] SparseMatrix sparse_of(Index n, const MatrixEntries& entries);

struct FeatureNeighbors {
  neighbor::KnnGraph graph;
  std::vector<Index> number;  // numbers_of(graph)
  /// Of each placed object, by number: the ids of its nearest neighbours, and of the other ends of edges that join
  /// parts at it.
  std::vector<std::vector<Index>> others;
};
/// `disconnected`: "join", "largest" or "error". @throws DataError without features, or as require_enough and
/// DissimilarityRows; ConfigError
[[nodiscard]] FeatureNeighbors feature_neighbors(const Observations& observations, Index k, Index d,
                                                 const std::string& disconnected, std::string_view problem,
                                                 Executor& executor);

}  // namespace alidade::spectral
