// Pairs of near points with their squared distances, for tests of unfolding.
// By i, then j, as a problem makes them from features.
// Ties are broken by the number of the object.
#pragma once

#include "problems/core/sorted_lists.hpp"
#include "problems/semidefinite/unfolding_program.hpp"

namespace alidade::testing {

/// Each object with its k nearest.
inline std::vector<semidefinite::NeighborPair> nearest_pairs(const Matrix& points, Index k) {
  std::vector<semidefinite::NeighborPair> out;
  for (Index i = 0; i < points.rows(); ++i) {
    std::vector<std::pair<double, Index>> others;
    for (Index j = 0; j < points.rows(); ++j)
      if (j != i) others.emplace_back((points.row(i) - points.row(j)).squaredNorm(), j);
    std::ranges::sort(others);
    for (Index l = 0; l < k; ++l) {
      const auto [d2, j] = others[subscript(l)];
      out.push_back({static_cast<ObjectId>(std::min(i, j)), static_cast<ObjectId>(std::max(i, j)), d2});
    }
  }
  sort_distinct(out, [](const auto& pair) { return std::pair(pair.i, pair.j); });
  return out;
}

}  // namespace alidade::testing
