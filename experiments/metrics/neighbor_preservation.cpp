#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "experiments/metrics/anchor_sample.hpp"
#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric_entries.hpp"
#include "problems/distances/distance_blocks.hpp"

namespace alidade::metrics {
namespace {

/// At most as many of a large map.
std::vector<Index> preservation_anchors(Index n) { return anchor_sample(n, 2000, 2001, "neighbor_preservation"); }

/// See neighbor_preservation; `for_each_row(anchors, use)` calls use(a, row of squared distances in the data).
template <class Real, class ForEachRow>
NeighborPreservation preservation_in(const Matrix& coordinates, Index n, Index k, const ForEachRow& for_each_row) {
  k = std::min(k, (n - 1) / 2);  // the formula's worst case holds for k < n / 2
  if (coordinates.rows() != n || k < 1) return {kDoesNotApply, kDoesNotApply};
  const std::vector<Index> anchors = preservation_anchors(n);
  const auto count = static_cast<std::size_t>(n), nearest = static_cast<std::size_t>(k);

  std::vector<double> on_map(count);
  std::vector<Index> by_data, by_map;
  std::uint64_t intruding = 0, missing = 0;  // sums of r - k
  for_each_row(anchors, [&](std::size_t a, std::span<const Real> in_data) {
    const Index i = anchors[a];
    by_data.clear();
    for (Index j = 0; j < n; ++j) {
      const double squared = (coordinates.row(i) - coordinates.row(j)).squaredNorm();
      on_map[static_cast<std::size_t>(j)] = std::isfinite(squared) ? squared : std::numeric_limits<double>::infinity();
      if (j != i) by_data.push_back(j);
    }
    const auto nearer_in_data = [&](Index x, Index y) {
      const Real dx = in_data[static_cast<std::size_t>(x)], dy = in_data[static_cast<std::size_t>(y)];
      return dx < dy || (dx == dy && x < y);
    };
    // Ties on the map count as the wrong order.
    const auto nearer_on_map = [&](Index x, Index y) {
      const double dx = on_map[static_cast<std::size_t>(x)], dy = on_map[static_cast<std::size_t>(y)];
      return dx < dy || (dx == dy && nearer_in_data(y, x));
    };
    by_map = by_data;
    const auto cut = static_cast<std::ptrdiff_t>(nearest);
    std::ranges::nth_element(by_data, by_data.begin() + cut - 1, nearer_in_data);
    std::ranges::nth_element(by_map, by_map.begin() + cut - 1, nearer_on_map);
    const Index last_in_data = by_data[nearest - 1], last_on_map = by_map[nearest - 1];
    const auto rank = [&](Index j, const auto& nearer) {
      std::uint64_t before = 0;
      for (const Index other : by_data) before += nearer(other, j) ? 1U : 0U;
      return before + 1;
    };
    for (std::size_t m = 0; m < nearest; ++m) {
      if (nearer_in_data(last_in_data, by_map[m])) intruding += rank(by_map[m], nearer_in_data) - nearest;
      if (nearer_on_map(last_on_map, by_data[m])) missing += rank(by_data[m], nearer_on_map) - nearest;
    }
  });
  const double worst =
      static_cast<double>(anchors.size()) * static_cast<double>(k) * static_cast<double>(2 * n - 3 * k - 1) / 2;
  return {1 - static_cast<double>(intruding) / worst, 1 - static_cast<double>(missing) / worst};
}

}  // namespace

NeighborPreservation neighbor_preservation(const Matrix& coordinates, const FeatureMatrix& features, Index k) {
  return preservation_in<float>(coordinates, features.rows(), k,
                                [&](const std::vector<Index>& anchors, const auto& use) {
                                  neighbor::for_each_distance_row(features, anchors, use);
                                });
}

NeighborPreservation neighbor_preservation(const Matrix& coordinates, const neighbor::DissimilarityRows& data,
                                           Index k) {
  return preservation_in<double>(coordinates, data.size(), k, [&](const std::vector<Index>& anchors, const auto& use) {
    data.for_each(anchors, [&](Index a, std::span<const double> row) { use(static_cast<std::size_t>(a), row); });
  });
}

namespace {

template <Index k>
const NeighborPreservation& preservation_of(const MetricInput& in) {
  std::optional<NeighborPreservation>& kept = k == 20 ? in.preservation_of_20 : in.preservation;
  if (!kept) kept = neighbor_preservation(in.embedding.only(), distances_of(in), k);
  return *kept;
}
template <Index k>
double trustworthiness(const MetricInput& in) {
  return compares_distances(in) ? preservation_of<k>(in).trustworthiness : kDoesNotApply;
}
template <Index k>
double continuity(const MetricInput& in) {
  return compares_distances(in) ? preservation_of<k>(in).continuity : kDoesNotApply;
}

}  // namespace

MetricEntry trustworthiness_entry() {
  return {"trustworthiness",
          "trustworthiness: whether the 12 nearest neighbours on the map are near in the data "
          "too; above 5000 objects, measured on 2000 of them",
          "",
          "[0, 1]",
          true,
          kComparedDistances,
          trustworthiness<12>};
}

MetricEntry continuity_entry() {
  return {"continuity",
          "continuity: whether the 12 nearest neighbours in the data are near on the map too; "
          "above 5000 objects, measured on 2000 of them",
          "",
          "[0, 1]",
          true,
          kComparedDistances,
          continuity<12>};
}

MetricEntry trustworthiness_20_entry() {
  return {"trustworthiness_20", "trustworthiness with 20 nearest neighbours", "", "[0, 1]", true, kComparedDistances,
          trustworthiness<20>};
}

MetricEntry continuity_20_entry() {
  return {"continuity_20", "continuity with 20 nearest neighbours", "", "[0, 1]", true, kComparedDistances,
          continuity<20>};
}

}  // namespace alidade::metrics
