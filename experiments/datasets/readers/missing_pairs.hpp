// Pairs without a value (NaN) in a symmetric table of distances: objects are left out, or the pairs are estimated.
// Both rules are the user's to choose; nothing is done without one.
// The table has one value for each pair, or both directions of it, which may differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::datasets {

/// Off the diagonal, each pair once.
[[nodiscard]] Index missing_pairs(const Matrix& values);

/// Objects to keep, ascending, so that no pair of them is missing: the object with the most missing pairs is left out,
/// the later of equal ones, again and again. O(n^2)
[[nodiscard]] std::vector<Index> objects_with_all_pairs(const Matrix& values);

/// Gives each missing pair the length of the shortest path through known pairs, the largest distance that the triangle
/// inequality allows. Where it is known, `values` is >= 0; its two
/// directions are both known or both missing, and their mean counts. O(n^3) at worst.
/// @throws DataError, beginning with `file`, if known pairs do not link all objects
void take_shortest_paths(Matrix& values, const std::vector<std::string>& objects, const std::string& file);

}  // namespace alidade::datasets
