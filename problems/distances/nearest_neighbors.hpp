// The k nearest neighbours of every row of a feature table, by squared Euclidean distance.
// Exact: a kd-tree in few dimensions, otherwise blocks of rows against blocks of rows. Approximate: HNSW, Malkov &
// Yashunin 2018.
// Results do not depend on threads; ties go to the lower id, so duplicates come in order. Never n x n memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"

namespace alidade {

enum class SearchMethod { automatic, exact, approximate };

/// "auto", "exact" or "approximate". @throws ConfigError
[[nodiscard]] SearchMethod search_method(const std::string& name);

/// Ordered by distance, then id.
template <class Real>
struct Neighbor {
  Real squared_distance;
  ObjectId id;
  friend bool operator<(const Neighbor& a, const Neighbor& b) {
    return std::pair(a.squared_distance, a.id) < std::pair(b.squared_distance, b.id);
  }
};

struct NearestNeighbors {
  RowMajorMatrix<ObjectId> ids;  // n x k, without the row itself
  Matrix squared_distances;      // n x k, in double from the differences, ascending, ties by id
  std::string search;            // "exact, kd-tree", "exact, blocks" or "approximate, hnsw"

  NearestNeighbors(Index n, Index count) : ids(n, count), squared_distances(n, count) {}
  void keep(Index row, std::span<const Neighbor<double>> nearest) {
    for (std::size_t k = 0; k < nearest.size(); ++k) {
      ids(row, static_cast<Index>(k)) = nearest[k].id;
      squared_distances(row, static_cast<Index>(k)) = nearest[k].squared_distance;
    }
  }
};
/// Takes the neighbours of a row, in the order of NearestNeighbors; called once for each, on the threads that search.
using TakeNeighbors = std::function<void(Index row, std::span<const Neighbor<double>> nearest)>;

/// The `count` nearest neighbours of each row of X (n x p). `automatic` is exact unless that costs more than
/// about a minute of one core. Only the approximate search uses `seed`; one thread builds its index.
/// @throws DataError on entries that are not finite, ConfigError unless 1 <= count < n.
/// Exact: O(n^2 p) worst, memory O(n p). Approximate: O(n p log n) expected.
[[nodiscard]] NearestNeighbors nearest_neighbors(const Eigen::Ref<const RowMajorMatrix<float>>& X, Index count,
                                                 SearchMethod method, std::uint64_t seed, Executor& executor);
/// The same, of which nothing is kept; returns how they were searched.
std::string each_nearest(const Eigen::Ref<const RowMajorMatrix<float>>& X, Index count, SearchMethod method,
                         std::uint64_t seed, Executor& executor, const TakeNeighbors& take);

/// The `count` rows of X nearest to x (p numbers), ascending, ties by id; exact, in double. O(n p).
/// @pre 1 <= count <= n
[[nodiscard]] std::vector<Neighbor<double>> nearest_to(const Eigen::Ref<const RowMajorMatrix<float>>& X,
                                                       const Eigen::Ref<const Eigen::RowVectorXf>& x, Index count);

}  // namespace alidade
