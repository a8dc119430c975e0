#include "problems/core/drawn_numbers.hpp"

#include <algorithm>

namespace alidade {

void draw_others(std::size_t count, std::size_t size, std::span<const ObjectId> taken, Rng& rng,
                 std::vector<ObjectId>& out) {
  out.clear();
  const std::size_t pool = size - taken.size();
  for (std::size_t last = pool - count; last < pool; ++last) {
    const auto drawn = static_cast<ObjectId>(rng.below(last + 1));
    const auto at = std::ranges::lower_bound(out, drawn);
    if (at != out.end() && *at == drawn)
      out.push_back(static_cast<ObjectId>(last));  // larger than all before
    else
      out.insert(at, drawn);
  }
  std::size_t skipped = 0;  // of `taken`, which are not in the pool
  for (ObjectId& number : out) {
    while (skipped < taken.size() && taken[skipped] <= number + skipped) ++skipped;
    number += static_cast<ObjectId>(skipped);
  }
}

}  // namespace alidade
