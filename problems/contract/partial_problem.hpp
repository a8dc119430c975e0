// Fixes part of a map: the unknowns are some rows of another problem's single block.
// Used to add objects to a finished map: f(free) = inner((fixed, free)); the gradient is that of the free rows.
// The inner problem has one Euclidean block and is smooth, or is a path of such problems.
#pragma once

#include <vector>

#include "problems/contract/problem.hpp"

namespace alidade {

/// `fixed` is a point of the inner problem; its rows outside `free_rows` stay bit for bit. Decoding gives the whole
/// map.
/// An evaluation costs O(rows) more than one of the inner problem.
/// @throws ConfigError if the inner domain is not one Euclidean block or a row does not exist; UnsupportedPair if the
/// inner problem is neither smooth nor staged.
[[nodiscard]] Problem with_fixed_rows(const Problem& inner, Point fixed, std::vector<Index> free_rows);

}  // namespace alidade
