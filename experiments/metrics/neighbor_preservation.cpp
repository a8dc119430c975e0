#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "experiments/datasets/feature_distances.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/core/random.hpp"

namespace alidade::metrics {
namespace {

constexpr Index kAllAnchors = 5000;
constexpr Index kSampledAnchors = 2000;
constexpr std::uint64_t kSampleSeed = 2001;

/// All of n objects, or a sample that is always the same; ascending.
std::vector<Index> anchors_of(Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  if (n <= kAllAnchors) return out;
  Rng rng = Rng::stream(kSampleSeed, "neighbor_preservation", n);
  for (std::size_t i = 0; i < kSampledAnchors; ++i)
    std::swap(out[i], out[i + static_cast<std::size_t>(rng.below(out.size() - i))]);
  out.resize(kSampledAnchors);
  std::ranges::sort(out);
  return out;
}

}  // namespace

NeighborPreservation neighbor_preservation(const Matrix& coordinates, const FeatureMatrix& features,
                                           Index k) {
  const Index n = features.rows();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  k = std::min(k, (n - 1) / 2);  // the worst case is that of the formula for k < n / 2
  if (coordinates.rows() != n || k < 1) return {kNone, kNone};
  const std::vector<Index> anchors = anchors_of(n);
  const auto count = static_cast<std::size_t>(n), nearest = static_cast<std::size_t>(k);

  // Keys are ordered by distance in the data, then by index: floats that are not negative are ordered as their bits.
  using Key = std::uint64_t;
  struct Place {
    double squared;  // on the map
    Key key;
  };
  // Where the map does not tell two apart it has them in the wrong order.
  const auto nearer_on_map = [](const Place& x, const Place& y) {
    return x.squared < y.squared || (x.squared == y.squared && x.key > y.key);
  };
  std::vector<Key> by_data;
  std::vector<Place> by_map, places(count);
  std::uint64_t intruding = 0, missing = 0;  // sums of r - k
  datasets::for_each_distance_row(
      features, anchors, [&](std::size_t a, std::span<const float> in_data) {
        const Index i = anchors[a];
        by_data.clear();
        by_map.clear();
        for (std::size_t j = 0; j < count; ++j) {
          const double squared =
              (coordinates.row(i) - coordinates.row(static_cast<Index>(j))).squaredNorm();
          places[j] = {std::isfinite(squared) ? squared : std::numeric_limits<double>::infinity(),
                       std::uint64_t{std::bit_cast<std::uint32_t>(in_data[j])} << 32 | j};
          if (j == static_cast<std::size_t>(i)) continue;
          by_data.push_back(places[j].key);
          by_map.push_back(places[j]);
        }
        const auto last = static_cast<std::ptrdiff_t>(nearest) - 1;
        std::nth_element(by_data.begin(), by_data.begin() + last, by_data.end());
        std::nth_element(by_map.begin(), by_map.begin() + last, by_map.end(), nearer_on_map);
        const Key last_in_data = by_data[nearest - 1];
        const Place last_on_map = by_map[nearest - 1];
        for (std::size_t m = 0; m < nearest; ++m) {
          const Key intruder = by_map[m].key;
          if (intruder > last_in_data)
            intruding += static_cast<std::uint64_t>(std::ranges::count_if(
                             by_data, [&](Key other) { return other < intruder; })) +
                         1 - nearest;
          const Place& missed = places[by_data[m] & 0xffffffffU];
          if (nearer_on_map(last_on_map, missed))
            missing +=
                static_cast<std::uint64_t>(std::ranges::count_if(
                    by_map, [&](const Place& other) { return nearer_on_map(other, missed); })) +
                1 - nearest;
        }
      });
  const double worst = static_cast<double>(anchors.size()) * static_cast<double>(k) *
                       static_cast<double>(2 * n - 3 * k - 1) / 2;
  return {1 - static_cast<double>(intruding) / worst, 1 - static_cast<double>(missing) / worst};
}

}  // namespace alidade::metrics
