#include "problems/distances/distance_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "problems/core/wide_call.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade {
namespace {

constexpr std::size_t kFeaturesAtOnce = 256;  // a tile of points then fits the second-level cache

/// Adds the part of features [begin, end) to the distances of kQueries rows and one panel.
template <int bytes, int kQueries>
[[gnu::always_inline]] inline void add_panel(const float* const* queries, const float* panel, std::size_t begin,
                                             std::size_t end, float* out) {
  using V = Vec<float, bytes>;
  constexpr int kVectors = static_cast<int>(kPanel) / kLanes<V>;
  V sum[kQueries][kVectors];
#pragma GCC unroll 16
  for (int q = 0; q < kQueries; ++q)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      sum[q][v] = load<V>(out + static_cast<std::size_t>(q) * kTilePoints + static_cast<std::size_t>(v * kLanes<V>));
  for (std::size_t c = begin; c < end; ++c) {
    V point[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) point[v] = load<V>(panel + c * kPanel + static_cast<std::size_t>(v * kLanes<V>));
#pragma GCC unroll 16
    for (int q = 0; q < kQueries; ++q) {
      const float number = queries[q][c];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const V difference = number - point[v];
        sum[q][v] += difference * difference;
      }
    }
  }
#pragma GCC unroll 16
  for (int q = 0; q < kQueries; ++q)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      store<V>(out + static_cast<std::size_t>(q) * kTilePoints + static_cast<std::size_t>(v * kLanes<V>), sum[q][v]);
}

struct Tile {
  const float* queries;
  std::size_t query_count;
  const PackedPoints* points;
  std::size_t first_panel, panel_count;
  float* out;
};

template <int bytes, int kQueries>
[[gnu::always_inline]] inline void add_tile(const Tile& tile) {
  const std::size_t p = tile.points->features();
  for (std::size_t begin = 0; begin < p; begin += kFeaturesAtOnce) {
    const std::size_t end = std::min(begin + kFeaturesAtOnce, p);
    for (std::size_t q = 0; q < tile.query_count; q += kQueries) {
      const std::size_t left = tile.query_count - q;
      const float* rows[kQueries];
      for (std::size_t r = 0; r < kQueries; ++r) rows[r] = tile.queries + (q + r) * p;
      for (std::size_t k = 0; k < tile.panel_count; ++k) {
        const float* panel = tile.points->panel(tile.first_panel + k);
        float* out = tile.out + q * kTilePoints + k * kPanel;
        if (left >= kQueries) {
          add_panel<bytes, kQueries>(rows, panel, begin, end, out);
        } else {
          for (std::size_t r = 0; r < left; ++r)
            add_panel<bytes, 1>(rows + r, panel, begin, end, out + r * kTilePoints);
        }
      }
    }
  }
}

template <class V>
[[gnu::always_inline]] inline V lesser(const V& a, const V& b) {
  return a < b ? a : b;
}

template <class V>
[[gnu::always_inline]] inline float least_lane(const V& v) {
  if constexpr (kLanes<V> == 4) {
    return std::min(std::min(v[0], v[1]), std::min(v[2], v[3]));
  } else {
    return least_lane(lesser(low_half(v), high_half(v)));
  }
}

template <int bytes>
[[gnu::always_inline]] inline void least_of_stretches(const float* numbers, std::size_t stretches, float* least) {
  using V = Vec<float, bytes>;
  for (std::size_t s = 0; s < stretches; ++s, numbers += kStretch) {
    auto lowest = load<V>(numbers);
    for (std::size_t i = kLanes<V>; i < kStretch; i += kLanes<V>) lowest = lesser(lowest, load<V>(numbers + i));
    least[s] = least_lane(lowest);
  }
}

// ---- rows of distances

/// out[k] = distance of x and row k of kRows rows of p numbers. Several at once hide the time that a sum takes; each
/// has its own lanes, so that the bits are those of one alone.
// One vector of 64 bytes is one, two or four registers; the lanes and so the sums are the same.
template <Index kRows>
[[gnu::always_inline]] inline void distances_in_lanes(const float* x, const float* y, Index p, float* out) {
  using V = Vec<float, 64>;
  V sum[kRows] = {};
  const auto add = [&](Index c, std::size_t bytes) {
    V from{};
    std::memcpy(&from, x + c, bytes);
#pragma GCC unroll 4
    for (Index k = 0; k < kRows; ++k) {
      V to{};
      std::memcpy(&to, y + k * p + c, bytes);
      const V difference = from - to;
      sum[k] += difference * difference;
    }
  };
  Index c = 0;
  for (; c + kLanes<V> <= p; c += kLanes<V>) add(c, sizeof(V));
  if (c < p) add(c, static_cast<std::size_t>(p - c) * sizeof(float));
  float total[kRows] = {};
#pragma GCC unroll 16
  for (int lane = 0; lane < kLanes<V>; ++lane)
#pragma GCC unroll 4
    for (Index k = 0; k < kRows; ++k) total[k] += sum[k][lane];
  std::copy_n(total, kRows, out);
}

/// Distances of rows [begin, end) to every anchor; out: anchors x stride.
struct RowTile {
  const float* points;
  Index p, begin, end;
  std::span<const Index> anchors;
  float* out;
  std::size_t stride;
};

[[gnu::always_inline]] inline void fill_lanes(const RowTile& t) {
  constexpr Index kAtOnce = 4;
  for (std::size_t a = 0; a < t.anchors.size(); ++a) {
    const float* anchor = t.points + t.anchors[a] * t.p;
    float* out = t.out + a * t.stride;
    Index j = t.begin;
    for (; j + kAtOnce <= t.end; j += kAtOnce) distances_in_lanes<kAtOnce>(anchor, t.points + j * t.p, t.p, out + j);
    for (; j < t.end; ++j) distances_in_lanes<1>(anchor, t.points + j * t.p, t.p, out + j);
  }
}

[[gnu::always_inline]] inline float distance_in_lanes(const float* x, const float* y, Index p) {
  float out = 0;
  distances_in_lanes<1>(x, y, p, &out);
  return out;
}

}  // namespace

PackedPoints::PackedPoints(const Eigen::Ref<const RowMajorMatrix<float>>& X, float scale)
    : size_(static_cast<std::size_t>(X.rows())),
      features_(static_cast<std::size_t>(X.cols())),
      numbers_((size_ + kPanel - 1) / kPanel * kPanel * features_, 0.0F) {
  for (std::size_t i = 0; i < size_; ++i) {
    float* to = numbers_.data() + i / kPanel * kPanel * features_ + i % kPanel;
    for (std::size_t c = 0; c < features_; ++c)
      to[c * kPanel] = scale * X(static_cast<Index>(i), static_cast<Index>(c));
  }
}

void tile_distances(const float* queries, std::size_t query_count, const PackedPoints& points, std::size_t first,
                    float* out, InstructionSet instructions) {
  const std::size_t panels = (points.size() + kPanel - 1) / kPanel;
  const std::size_t first_panel = first / kPanel;
  const Tile tile{queries, query_count, &points, first_panel, std::min(kTilePoints / kPanel, panels - first_panel),
                  out};
  std::fill_n(out, query_count * kTilePoints, 0.0F);
  // Rows of a tile by what registers there are for their sums.
  call_in_lanes(
      instructions, [&](auto bytes)
                        __attribute__((always_inline)) { add_tile<bytes, bytes == 64 ? 12 : bytes / 8>(tile); });
}

void least_distances(const float* tile, std::size_t query_count, float* least, InstructionSet instructions) {
  const std::size_t stretches = query_count * kStretches;
  call_in_lanes(
      instructions, [&](auto bytes)
                        __attribute__((always_inline)) { least_of_stretches<bytes>(tile, stretches, least); });
}

void for_each_distance_row(const FeatureMatrix& X, std::span<const Index> anchors,
                           const std::function<void(std::size_t, std::span<const float>)>& use,
                           InstructionSet instructions) {
  const Index n = X.rows(), p = X.cols();
  constexpr std::size_t kAnchors = 16;      // rows of distances held at a time
  constexpr Index kTileBytes = 256 * 1024;  // of points that stay in the second-level cache
  const Index tile = std::max<Index>(1, kTileBytes / (static_cast<Index>(sizeof(float)) * std::max<Index>(p, 1)));
  const auto stride = static_cast<std::size_t>(n);
  std::vector<float> rows(kAnchors * stride);
  for (std::size_t first = 0; first < anchors.size(); first += kAnchors) {
    const auto some = anchors.subspan(first, std::min(kAnchors, anchors.size() - first));
    for (Index begin = 0; begin < n; begin += tile) {
      const RowTile part{X.data(), p, begin, std::min(begin + tile, n), some, rows.data(), stride};
      call_wide(
          [&]() __attribute__((always_inline)) { fill_lanes(part); }, instructions);
    }
    for (std::size_t a = 0; a < some.size(); ++a)
      use(first + a, std::span<const float>(rows.data() + a * stride, stride));
  }
}

float squared_row_distance(const float* x, const float* y, Index p) {
  static const InstructionSet kBest = best_instruction_set();
  return call_wide(
      [=]() __attribute__((always_inline)) { return distance_in_lanes(x, y, p); }, kBest);
}

}  // namespace alidade
