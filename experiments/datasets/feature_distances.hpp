// Squared Euclidean distances of some objects to all, a block of anchors at a time, never n x n.
// Each is a sum of squared differences (not the Gram form, which cancels) in 16 float lanes, added in one order:
// the same bits on every x86-64 processor, relative error about (p / 16 + 4) * 6e-8.
// For neighbours of a data set read once; a solver's own searches are problems/'s.
#pragma once

#include <functional>
#include <span>

#include "problems/core/types.hpp"

namespace alidade::datasets {

/// Calls `use(a, row)` for a = 0, 1, ...: row[j] is the squared distance of points anchors[a] and j, row[anchors[a]]
/// is 0. points: n x p. O(anchors n p) time, O(n) memory; the row is good during the call only.
void for_each_distance_row(const FeatureMatrix& points, std::span<const Index> anchors,
                           const std::function<void(std::size_t, std::span<const float>)>& use);

/// One of them, with the same bits. a, b: p numbers.
[[nodiscard]] float squared_distance(const float* a, const float* b, Index p);

}  // namespace alidade::datasets
