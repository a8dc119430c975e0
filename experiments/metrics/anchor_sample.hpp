// The objects at which measures over all pairs are evaluated when a map has too many objects for all of them.
// They depend only on the measure and the number of objects.
// So all maps of one data set are measured at the same objects.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade::metrics {

/// All of n objects if n <= 5000; else `count` of them, drawn without replacement from the stream `measure` of `seed`.
/// Ascending. count <= n. O(n + count log count).
[[nodiscard]] std::vector<Index> anchor_sample(Index n, Index count, std::uint64_t seed, std::string_view measure);

}  // namespace alidade::metrics
