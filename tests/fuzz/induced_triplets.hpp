// What holds of every table of attributes that was read: each triplet has one index, and comes back from it.
// Looks at a few indices only, for a table of a kilobyte induces millions of triplets.
// O(1) of them.
#pragma once

#include <algorithm>

#include "problems/evidence/observations.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace alidade::fuzz {

/// @throws Finding if a triplet is none, or is not found again.
inline void claim_bijection(const AttributeTable& table) {
  constexpr std::uint64_t kLooks = 64;
  const std::uint64_t size = table.size(), step = std::max<std::uint64_t>(1, size / kLooks);
  for (std::uint64_t index = 0; index < size; index += step) {
    const Triplet t = table.at(index);
    const auto& codes = table.aspects()[t.aspect].codes;
    claim_that(t.anchor != t.near && codes[t.anchor] == codes[t.near] && codes[t.anchor] != codes[t.far] &&
                   codes[t.anchor] != AttributeTable::kMissing && codes[t.far] != AttributeTable::kMissing,
               "anchor and near share a value that far has not");
    claim_that(table.index_of(t) == index, "a triplet has the index it came from");
  }
}

}  // namespace alidade::fuzz
