// Distinct numbers, drawn uniformly from those that are not taken.
// R. Floyd's sample (Bentley & Floyd 1987): one draw for each number, whatever the size of the pool.
// The result is ascending, so that the same numbers are the same bits.
#pragma once

#include <span>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/core/random.hpp"

namespace alidade {

/// Writes `count` distinct numbers below `size`, none of them in `taken` (ascending and distinct), ascending.
/// @pre count <= size - taken.size(). O(count^2 + taken)
void draw_others(std::size_t count, std::size_t size, std::span<const ObjectId> taken, Rng& rng,
                 std::vector<ObjectId>& out);

}  // namespace alidade
