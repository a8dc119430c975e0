// Part of a map held fixed: a problem whose unknowns are some rows of another problem's single block.
// For adding objects to a finished map: f(free) = inner((fixed, free)), gradient the free rows' part.
// The inner problem lives on one Euclidean block and is smooth, or is a path of such problems.
#pragma once

#include <vector>

#include "problems/problem.hpp"

namespace alidade {

/// `fixed`: a point of the inner problem, whose rows outside `free_rows` stay. Decoding gives the whole map; the fixed
/// rows keep their bits. O(rows) more than the inner problem an evaluation.
/// @throws ConfigError if the inner domain is not one Euclidean block or a row does not exist; UnsupportedPair if the
/// inner problem is neither smooth nor staged.
[[nodiscard]] Problem with_fixed_rows(const Problem& inner, Point fixed, std::vector<Index> free_rows);

}  // namespace alidade
