// The objects at which measures over all pairs are taken where a map has too many for all of them.
// Which they are follows from the measure and the number of objects alone, so that maps of one data set are
// always measured at the same.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade::metrics {

/// All of n objects up to 5000, above that `count` of them drawn without replacement from the stream `measure` of
/// `seed`; ascending. count <= n. O(n + count log count).
[[nodiscard]] std::vector<Index> anchor_sample(Index n, Index count, std::uint64_t seed, std::string_view measure);

}  // namespace alidade::metrics
