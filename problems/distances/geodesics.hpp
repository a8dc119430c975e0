// The graph of each object's nearest neighbours, and distances along it: how far apart objects are on a curved sheet.
// Tenenbaum, de Silva & Langford 2000 (Isomap), steps 1 and 2; shortest paths by Dijkstra 1959, through Boost.Graph.
// Neighbours of one object only are neighbours of both; lengths are distances, not squared, in the units of the data.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade::neighbor {

/// What is done where the graph falls into parts between which there is no way.
enum class Disconnected {
  /// Parts are joined by a minimum spanning tree of them; two parts are as far apart as their nearest two objects.
  join,
  /// Only the largest part is placed; of equal ones the one with the first object.
  largest,
  error
};
/// "join", "largest" or "error". @throws ConfigError
[[nodiscard]] Disconnected disconnected(const std::string& name);

/// Symmetric: each edge stands in the lists of both its ends.
struct KnnGraph {
  Index size = 0;                  // n: objects
  Index neighbor_count = 0;        // k, at most n - 1
  std::vector<std::size_t> first;  // n + 1: object i has the edges [first[i], first[i + 1])
  std::vector<ObjectId> target;    // their other ends, ascending for each i
  std::vector<double> length;      // >= 0; of duplicates 0
  std::vector<Index> placed;       // objects that take part, ascending: all of them, or those of the largest part
  Index component_count = 1;       // before anything was joined
  std::vector<std::pair<ObjectId, ObjectId>> joints;  // the edges that joined parts
  std::vector<std::string> notes;                     // what there is to say about parts; empty where there is one
  [[nodiscard]] bool all_placed() const { return static_cast<Index>(placed.size()) == size; }
};

/// The `k` nearest neighbours of each object, or all others if there are fewer: by exact search (features: see
/// nearest_neighbors.hpp; a matrix of dissimilarities: O(n^2)), ties to the lower id. Joining costs
/// O(n^2 p log(parts)) more. Same bits for any number of threads. @throws ConfigError unless k >= 1; DataError where
/// parts are an error.
[[nodiscard]] KnnGraph knn_graph(const DissimilarityRows& rows, Index k, Disconnected disconnected, Executor& executor);

/// sources x n: lengths of the shortest ways from each source to every object; NaN to and from objects that are not
/// placed. O(sources (edges + n log n)); sources are shared among the threads. Distances agree with their transpose up
/// to the rounding of a sum.
[[nodiscard]] Matrix geodesic_distances(const KnnGraph& graph, std::span<const Index> sources, Executor& executor);
/// n x n, all sources; exactly symmetric.
[[nodiscard]] Matrix geodesic_distances(const KnnGraph& graph, Executor& executor);

}  // namespace alidade::neighbor
