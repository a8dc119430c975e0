#include "experiments/metrics/anchor_sample.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "problems/core/random.hpp"

namespace alidade::metrics {

std::vector<Index> anchor_sample(Index n, Index count, std::uint64_t seed, std::string_view measure) {
  constexpr Index kMostWithoutDraw = 5000;
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  if (n <= kMostWithoutDraw) return out;
  const auto kept = static_cast<std::size_t>(count);
  Rng rng = Rng::stream(seed, measure, n);
  for (std::size_t i = 0; i < kept; ++i)
    std::swap(out[i], out[i + static_cast<std::size_t>(rng.below(out.size() - i))]);
  out.resize(kept);
  std::ranges::sort(out);
  return out;
}

}  // namespace alidade::metrics
