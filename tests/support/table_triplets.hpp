// The triplets of an attribute table by their definition, for tests of those who know them without enumerating.
// [LL19] section 3: anchor and near have one value of the aspect, far has another; nobody lacks one.
// O(aspects n^3).
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade::testing {

/// Aspect, anchor, near, far.
using TripletKey = std::tuple<std::uint32_t, ObjectId, ObjectId, ObjectId>;

/// Every triplet of a table by its definition: three loops.
[[nodiscard]] inline std::set<TripletKey> triplets_by_definition(const std::vector<AttributeTable::Aspect>& aspects,
                                                                 ObjectId n) {
  std::set<TripletKey> out;
  for (std::uint32_t t = 0; t < aspects.size(); ++t) {
    const auto& codes = aspects[t].codes;
    for (ObjectId anchor = 0; anchor < n; ++anchor)
      for (ObjectId near = 0; near < n; ++near)
        for (ObjectId far = 0; far < n; ++far)
          if (anchor != near && codes[anchor] != AttributeTable::kMissing && codes[anchor] == codes[near] &&
              codes[far] != AttributeTable::kMissing && codes[far] != codes[anchor])
            out.insert({t, anchor, near, far});
  }
  return out;
}

}  // namespace alidade::testing
