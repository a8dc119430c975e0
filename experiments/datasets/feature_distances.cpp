#include "experiments/datasets/feature_distances.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "problems/core/vector_math.hpp"

namespace alidade::datasets {
namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // no vector ever crosses a call: everything is inlined

constexpr Index kLanes = 16;
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float))));

// One vector of 64 bytes is one, two or four registers; the lanes and so the sums are the same.
[[gnu::always_inline]] inline float squared_distance_lanes(const float* a, const float* b,
                                                           Index p) {
  Lanes sum{};
  const auto add = [&](std::size_t bytes) {
    Lanes x{}, y{};
    std::memcpy(&x, a, bytes);
    std::memcpy(&y, b, bytes);
    const Lanes difference = x - y;
    sum += difference * difference;
  };
  for (; p >= kLanes; p -= kLanes, a += kLanes, b += kLanes) add(sizeof(Lanes));
  if (p > 0) add(static_cast<std::size_t>(p) * sizeof(float));
  float total = 0;
  for (Index lane = 0; lane < kLanes; ++lane) total += sum[lane];
  return total;
}

/// Distances of rows [begin, end) to each of `count` anchors; out: count x stride.
struct Tile {
  const float* points;
  Index p, begin, end;
  const Index* anchors;
  std::size_t count;
  float* out;
  std::size_t stride;
};

[[gnu::always_inline]] inline void fill_lanes(const Tile& t) {
  for (std::size_t a = 0; a < t.count; ++a)
    for (Index j = t.begin; j < t.end; ++j)
      t.out[a * t.stride + static_cast<std::size_t>(j)] =
          squared_distance_lanes(t.points + t.anchors[a] * t.p, t.points + j * t.p, t.p);
}

void fill_baseline(const Tile& t) { fill_lanes(t); }
#if defined(__x86_64__)
// Without FMA, whose single rounding would give other bits.
__attribute__((target("avx2"))) void fill_avx2(const Tile& t) { fill_lanes(t); }
#endif

void fill(const Tile& t) {
#if defined(__x86_64__)
  if (best_instruction_set() != InstructionSet::baseline) return fill_avx2(t);
#endif
  fill_baseline(t);
}

#pragma GCC diagnostic pop

}  // namespace

float squared_distance(const float* a, const float* b, Index p) {
  return squared_distance_lanes(a, b, p);
}

void for_each_distance_row(const FeatureMatrix& points, std::span<const Index> anchors,
                           const std::function<void(std::size_t, std::span<const float>)>& use) {
  const Index n = points.rows(), p = points.cols();
  constexpr std::size_t kAnchors = 16;      // rows of distances held at a time
  constexpr Index kTileBytes = 256 * 1024;  // of points that stay in the second-level cache
  const Index tile =
      std::max<Index>(1, kTileBytes / (static_cast<Index>(sizeof(float)) * std::max<Index>(p, 1)));
  const auto stride = static_cast<std::size_t>(n);
  std::vector<float> rows(kAnchors * stride);
  for (std::size_t first = 0; first < anchors.size(); first += kAnchors) {
    const std::size_t count = std::min(kAnchors, anchors.size() - first);
    for (Index begin = 0; begin < n; begin += tile)
      fill({points.data(), p, begin, std::min(begin + tile, n), anchors.data() + first, count,
            rows.data(), stride});
    for (std::size_t a = 0; a < count; ++a)
      use(first + a, std::span<const float>(rows.data() + a * stride, stride));
  }
}

}  // namespace alidade::datasets
