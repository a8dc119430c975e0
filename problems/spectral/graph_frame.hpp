// The first step of methods with a sparse matrix of neighbours: the graph, each object's neighbours, and the matrix.
// Shared by locally linear embedding, its Hessian variant and Laplacian eigenmaps.
// Placed objects are numbered in the order of their ids; those numbers are the rows of the matrix.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/distances/geodesics.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::spectral {

/// What maps along a graph of neighbours have in common. The list is of `disconnected` alone: each problem has its own
/// words and bounds for the others.
struct NeighborGraphOptions {
  Index n_components = 2;
  Index n_neighbors = 10;
  std::string disconnected = "join";
  [[nodiscard]] static const OptionList<NeighborGraphOptions>& list();
};

using MatrixEntries = std::vector<Eigen::Triplet<double, Index>>;

/// The number of each placed object; -1 for the others.
[[nodiscard]] std::vector<Index> numbers_of(const KnnGraph& graph);

/// @throws DataError unless at least d + 2 objects are placed and not all coincide
void require_enough(const KnnGraph& graph, Index d, std::string_view problem);

/// The features by which a projector finds the neighbours of new objects; null without features, if they need double,
/// or if not all objects are placed.
[[nodiscard]] std::shared_ptr<const FeatureMatrix> projected_features(const Observations& observations,
                                                                      const KnnGraph& graph);

/// n x n; entries at the same place are added.
[[nodiscard]] SparseMatrix sparse_of(Index n, const MatrixEntries& entries);

struct FeatureNeighbors {
  KnnGraph graph;
  std::vector<Index> number;  // numbers_of(graph)
  /// For each placed object, by number: the ids of its nearest neighbours and of the other ends of its joining edges.
  std::vector<std::vector<Index>> others;
};
/// `disconnected`: "join", "largest" or "error". @throws DataError without features, or as require_enough and
/// DissimilarityRows; ConfigError
[[nodiscard]] FeatureNeighbors feature_neighbors(const Observations& observations, Index k, Index d,
                                                 const std::string& disconnected, std::string_view problem,
                                                 Executor& executor);

}  // namespace alidade::spectral
