#include "experiments/datasets/feature_distances.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "problems/core/vector_math.hpp"

namespace alidade::datasets {
namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // no vector ever crosses a call: everything is inlined

constexpr int kLanes = 16;

// The lanes are held in registers of `bytes`; their sums and the order in which those are added do not depend on it.
template <int bytes>
[[gnu::always_inline]] inline float squared_distance_lanes(const float* a, const float* b,
                                                           Index p) {
  using Register = typename VectorOf<float, bytes>::type;
  constexpr int kWidth = bytes / static_cast<int>(sizeof(float));
  constexpr int kRegisters = kLanes / kWidth;
  Register sums[kRegisters] = {};
  const auto add = [&](const float* x, const float* y) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int r = 0; r < kRegisters; ++r) {
      Register u, v;
      std::memcpy(&u, x + r * kWidth, sizeof u);
      std::memcpy(&v, y + r * kWidth, sizeof v);
      const Register difference = u - v;
      sums[r] += difference * difference;
    }
  };
  for (; p >= kLanes; p -= kLanes, a += kLanes, b += kLanes) add(a, b);
  if (p > 0) {
    float x[kLanes] = {}, y[kLanes] = {};
    std::memcpy(x, a, static_cast<std::size_t>(p) * sizeof(float));
    std::memcpy(y, b, static_cast<std::size_t>(p) * sizeof(float));
    add(x, y);
  }
  float lanes[kLanes];
  std::memcpy(lanes, sums, sizeof lanes);
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  return lanes[0];
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

template <int bytes>
[[gnu::always_inline]] inline void fill_lanes(const Tile& t) {
  for (std::size_t a = 0; a < t.count; ++a)
    for (Index j = t.begin; j < t.end; ++j)
      t.out[a * t.stride + static_cast<std::size_t>(j)] =
          squared_distance_lanes<bytes>(t.points + t.anchors[a] * t.p, t.points + j * t.p, t.p);
}

void fill_baseline(const Tile& t) { fill_lanes<16>(t); }
#if defined(__x86_64__)
// Without FMA, whose single rounding would give other bits.
__attribute__((target("avx2"))) void fill_avx2(const Tile& t) { fill_lanes<32>(t); }
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
  return squared_distance_lanes<16>(a, b, p);
}

void for_each_distance_row(const FeatureMatrix& points, std::span<const Index> anchors,
                           const std::function<void(std::size_t, std::span<const float>)>& use) {
  const Index n = points.rows();
  // Rows filled up with zeros to whole lanes give the same sums, without a rest to care for.
  const Index p = (points.cols() + kLanes - 1) / kLanes * kLanes;
  FeatureMatrix filled;
  if (p != points.cols()) {
    filled = FeatureMatrix::Zero(n, p);
    filled.leftCols(points.cols()) = points;
  }
  const float* rows_of_points = p == points.cols() ? points.data() : filled.data();
  constexpr std::size_t kAnchors = 16;      // rows of distances held at a time
  constexpr Index kTileBytes = 256 * 1024;  // of points that stay in the second-level cache
  const Index tile =
      std::max<Index>(1, kTileBytes / (static_cast<Index>(sizeof(float)) * std::max<Index>(p, 1)));
  const auto stride = static_cast<std::size_t>(n);
  std::vector<float> rows(kAnchors * stride);
  for (std::size_t first = 0; first < anchors.size(); first += kAnchors) {
    const std::size_t count = std::min(kAnchors, anchors.size() - first);
    for (Index begin = 0; begin < n; begin += tile)
      fill({rows_of_points, p, begin, std::min(begin + tile, n), anchors.data() + first, count,
            rows.data(), stride});
    for (std::size_t a = 0; a < count; ++a)
      use(first + a, std::span<const float>(rows.data() + a * stride, stride));
  }
}

}  // namespace alidade::datasets
