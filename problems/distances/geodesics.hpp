// The graph of each object's nearest neighbours, and distances along it: they measure distance on a curved surface.
// Tenenbaum, de Silva & Langford 2000 (Isomap), steps 1 and 2; shortest paths by Dijkstra 1959, through Boost.Graph.
// An edge exists if either object is a neighbour of the other. Lengths are distances, not squared, in units of the
// data.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade {

/// What to do with a disconnected graph.
enum class Disconnected {
  /// Join the parts by a minimum spanning tree; the distance of two parts is that of their nearest two objects.
  join,
  /// Place only the largest part; of equal ones, the one with the first object.
  largest,
  error
};
/// "join", "largest" or "error". @throws ConfigError
[[nodiscard]] Disconnected disconnected_rule(const std::string& name);

struct KnnEdge {
  double length = std::numeric_limits<double>::infinity();
  ObjectId low = 0, high = 0;  // low < high
  /// A total order of all edges, without ties.
  friend bool operator<(const KnnEdge& a, const KnnEdge& b) {
    return std::tie(a.length, a.low, a.high) < std::tie(b.length, b.low, b.high);
  }
};

/// Symmetric: each edge is in the lists of both its ends.
struct KnnGraph {
  Index size = 0;                  // n: objects
  Index neighbor_count = 0;        // k, at most n - 1
  std::vector<std::size_t> first;  // n + 1: object i has the edges [first[i], first[i + 1])
  std::vector<ObjectId> target;    // their other ends, ascending for each i
  std::vector<double> length;      // >= 0; 0 for duplicates
  std::vector<Index> placed;       // placed objects, ascending: all of them, or those of the largest part
  Index component_count = 1;       // before joining
  std::vector<std::pair<ObjectId, ObjectId>> joints;  // the edges that joined parts
  std::vector<std::string> notes;                     // about the parts; empty if there is only one
  [[nodiscard]] bool all_placed() const { return static_cast<Index>(placed.size()) == size; }
};

/// The graph of these edges, each given once; of its parts the largest is placed.
[[nodiscard]] KnnGraph graph_of(Index n, const std::vector<KnnEdge>& edges);

/// The `k` nearest neighbours of each object, or all others if there are fewer, by exact search (features: see
/// nearest_neighbors.hpp; a matrix of dissimilarities: O(n^2)); ties go to the lower id. Joining costs
/// at most O(n^2 p) more. Same bits for any number of threads. @throws ConfigError unless k >= 1; DataError if the
/// graph is disconnected and that is an error.
[[nodiscard]] KnnGraph knn_graph(const DissimilarityRows& rows, Index k, Disconnected disconnected, Executor& executor);

/// sources x n: lengths of the shortest paths from each source to every object; NaN to and from objects that are not
/// placed. O(sources (edges + n log n)); sources are shared among the threads. Distances agree with their transpose up
/// to rounding of a sum.
[[nodiscard]] Matrix geodesic_distances(const KnnGraph& graph, std::span<const Index> sources, Executor& executor);
/// n x n, all sources; exactly symmetric.
[[nodiscard]] Matrix geodesic_distances(const KnnGraph& graph, Executor& executor);

}  // namespace alidade
