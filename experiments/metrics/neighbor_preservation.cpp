#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/metrics/anchor_sample.hpp"
#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/distances/distance_blocks.hpp"

namespace alidade::metrics {
namespace {

using UseRow = std::function<void(Index, std::span<const double>)>;
/// Calls use(a, row of squared distances in the data of object chosen[a]).
using ForEachRow = std::function<void(std::span<const Index> chosen, const UseRow& use)>;

/// At most as many of a large map.
std::vector<Index> preservation_anchors(Index n) { return anchor_sample(n, 2000, 2001, "neighbor_preservation"); }

/// The objects seen from one: their order in the data and on the map. Equal distances in the data go in the order of
/// the map, equal distances on the map in the reversed order of the data; what is equal in both has no wrong order.
class SeenFrom {
 public:
  SeenFrom(Index self, std::span<const double> in_data, std::span<const double> on_map)
      : self_(self), in_data_(in_data), on_map_(on_map) {}

  [[nodiscard]] bool nearer_in_data(Index x, Index y) const {
    return std::tuple(in_data_[subscript(x)], on_map_[subscript(x)], x) <
           std::tuple(in_data_[subscript(y)], on_map_[subscript(y)], y);
  }
  [[nodiscard]] bool nearer_on_map(Index x, Index y) const {
    return std::tuple(on_map_[subscript(x)], in_data_[subscript(y)], x) <
           std::tuple(on_map_[subscript(y)], in_data_[subscript(x)], y);
  }
  [[nodiscard]] std::uint64_t rank_in_data(Index j) const {
    return rank(j, in_data_, [this](Index x, Index y) { return nearer_in_data(x, y); });
  }
  [[nodiscard]] std::uint64_t rank_on_map(Index j) const {
    return rank(j, on_map_, [this](Index x, Index y) { return nearer_on_map(x, y); });
  }
  /// The `count` nearest in order, to `out`.
  void nearest_in_data(std::size_t count, std::vector<double>& room, std::vector<Index>& out) const {
    nearest(
        count, in_data_, [this](Index x, Index y) { return nearer_in_data(x, y); }, room, out);
  }
  void nearest_on_map(std::size_t count, std::vector<double>& room, std::vector<Index>& out) const {
    nearest(
        count, on_map_, [this](Index x, Index y) { return nearer_on_map(x, y); }, room, out);
  }

 private:
  /// From 1, self left out. Only equal values need the whole comparison.
  template <class Nearer>
  [[nodiscard]] std::uint64_t rank(Index j, std::span<const double> values, const Nearer& nearer) const {
    const double value = values[subscript(j)];
    std::uint64_t before = 0, equal = 0;
    for (const double other : values) {
      before += other < value ? 1U : 0U;
      equal += other == value ? 1U : 0U;
    }
    if (equal > 1)
      for (Index other = 0; other < std::ssize(values); ++other)
        before += values[subscript(other)] == value && nearer(other, j) ? 1U : 0U;
    return before + 1 - (nearer(self_, j) ? 1U : 0U);
  }

  template <class Nearer>
  void nearest(std::size_t count, std::span<const double> values, const Nearer& nearer, std::vector<double>& room,
               std::vector<Index>& out) const {
    room.assign(values.begin(), values.end());
    room[subscript(self_)] = std::numeric_limits<double>::infinity();
    std::ranges::nth_element(room, room.begin() + static_cast<std::ptrdiff_t>(count) - 1);
    const double last = room[count - 1];
    out.clear();
    for (Index j = 0; j < std::ssize(values); ++j)
      if (values[subscript(j)] <= last && j != self_) out.push_back(j);
    std::ranges::partial_sort(out, out.begin() + static_cast<std::ptrdiff_t>(count), nearer);
    out.resize(count);
  }

  Index self_;
  std::span<const double> in_data_, on_map_;
};

/// Sums of r - k, exact.
struct Misplaced {
  std::uint64_t intruding = 0, missing = 0;
};

/// See neighbor_preservation; one result for each of `ks`.
std::vector<NeighborPreservation> preservation_in(const Matrix& coordinates, Index n, std::vector<Index> ks,
                                                  const ForEachRow& for_each_row, Executor& executor) {
  for (Index& k : ks) k = std::min(k, (n - 1) / 2);  // the formula's worst case holds for k < n / 2
  if (coordinates.rows() != n || std::ranges::min(ks) < 1) return {ks.size(), {kDoesNotApply, kDoesNotApply}};
  const std::vector<Index> anchors = preservation_anchors(n);
  const Matrix places = coordinates.transpose();
  const auto largest = static_cast<std::size_t>(std::ranges::max(ks));

  constexpr Index kAnchorsAtOnce = 16;
  std::vector<Misplaced> by_anchor(anchors.size() * ks.size());
  std::vector<char> tells(anchors.size(), 0);  // whether some objects are farther than others in the data
  executor.run_chunks(std::ssize(anchors), kAnchorsAtOnce, [&](const Chunk& chunk) {
    const std::span<const Index> some(anchors.data() + chunk.first, static_cast<std::size_t>(chunk.last - chunk.first));
    Eigen::ArrayXd on_map;
    std::vector<double> room;
    std::vector<Index> by_data, by_map;
    for_each_row(some, [&](Index a, std::span<const double> in_data) {
      const Index i = some[static_cast<std::size_t>(a)];
      squared_distances_on_map(places, i, on_map);
      const SeenFrom seen(i, in_data, {on_map.data(), static_cast<std::size_t>(n)});
      const double first = in_data[i == 0 ? 1 : 0];
      for (Index j = 0; j < n; ++j)
        if (j != i && in_data[subscript(j)] != first) tells[static_cast<std::size_t>(chunk.first + a)] = 1;
      seen.nearest_in_data(largest, room, by_data);
      seen.nearest_on_map(largest, room, by_map);
      for (std::size_t c = 0; c < ks.size(); ++c) {
        Misplaced& misplaced = by_anchor[static_cast<std::size_t>(chunk.first + a) * ks.size() + c];
        const auto k = static_cast<std::size_t>(ks[c]);
        for (std::size_t m = 0; m < k; ++m) {
          if (seen.nearer_in_data(by_data[k - 1], by_map[m])) misplaced.intruding += seen.rank_in_data(by_map[m]) - k;
          if (seen.nearer_on_map(by_map[k - 1], by_data[m])) misplaced.missing += seen.rank_on_map(by_data[m]) - k;
        }
      }
    });
  });

  if (std::ranges::count(tells, 0) == std::ssize(tells)) return {ks.size(), {kDoesNotApply, kDoesNotApply}};
  std::vector<NeighborPreservation> out;
  for (std::size_t c = 0; c < ks.size(); ++c) {
    Misplaced sum;
    for (std::size_t at = c; at < by_anchor.size(); at += ks.size()) {
      sum.intruding += by_anchor[at].intruding;
      sum.missing += by_anchor[at].missing;
    }
    const auto k = static_cast<double>(ks[c]);
    const double worst = static_cast<double>(anchors.size()) * k * static_cast<double>(2 * n - 3 * ks[c] - 1) / 2;
    out.push_back({1 - static_cast<double>(sum.intruding) / worst, 1 - static_cast<double>(sum.missing) / worst});
  }
  return out;
}

}  // namespace

NeighborPreservation neighbor_preservation(const Matrix& coordinates, const FeatureMatrix& features, Index k) {
  Executor one;
  std::vector<double> wide(static_cast<std::size_t>(features.rows()));
  return preservation_in(
      coordinates, features.rows(), {k},
      [&](std::span<const Index> chosen, const UseRow& use) {
        for_each_distance_row(features, chosen, [&](std::size_t a, std::span<const float> row) {
          std::ranges::copy(row, wide.begin());
          use(static_cast<Index>(a), wide);
        });
      },
      one)[0];
}

std::vector<NeighborPreservation> neighbor_preservation(const Matrix& coordinates, const DissimilarityRows& data,
                                                        std::vector<Index> ks, Executor& executor) {
  return preservation_in(
      coordinates, data.size(), std::move(ks),
      [&](std::span<const Index> chosen, const UseRow& use) { data.for_each(chosen, use); }, executor);
}

RandomTrustworthiness random_trustworthiness(Index n, Index k) {
  k = std::min(k, (n - 1) / 2);
  // k ranks drawn without replacement from 1, ..., n - 1; each above k adds its excess.
  const auto others = static_cast<double>(n - 1), drawn = static_cast<double>(k), excesses = others - drawn;
  const double mean = excesses * (excesses + 1) / (2 * others);
  const double square = excesses * (excesses + 1) * (2 * excesses + 1) / (6 * others);
  const double variance = drawn * (square - mean * mean) * (others - drawn) / std::max(1.0, others - 1);
  const double worst = drawn * static_cast<double>(2 * n - 3 * k - 1) / 2;
  return {1 - drawn * mean / worst, std::sqrt(variance / static_cast<double>(preservation_anchors(n).size())) / worst};
}

namespace {

/// One pass serves both numbers of neighbours.
const std::vector<Index>& measured_ks() {
  static const std::vector<Index> ks{kTrustedNeighbors, 20};
  return ks;
}
template <std::size_t which>
const NeighborPreservation& preservation_of(const MetricInput& in) {
  if (in.preservation.empty())
    in.preservation = neighbor_preservation(in.embedding.only(), distances_of(in), measured_ks(), in.executor());
  return in.preservation[which];
}
template <std::size_t which>
double trustworthiness(const MetricInput& in) {
  return compares_distances(in) ? preservation_of<which>(in).trustworthiness : kDoesNotApply;
}
template <std::size_t which>
double continuity(const MetricInput& in) {
  return compares_distances(in) ? preservation_of<which>(in).continuity : kDoesNotApply;
}

}  // namespace

std::vector<MetricEntry> neighbor_preservation_metrics() {
  return {{"trustworthiness",
           "trustworthiness: whether the 12 nearest neighbours on the map (half of the others, below 25 objects) are "
           "near in "
           "the data too; above 5000 objects, measured on 2000 of them",
           "", "[0, 1]", true, kComparedDistances, trustworthiness<0>},
          {"continuity",
           "continuity: whether the 12 nearest neighbours in the data (half of the others, below 25 objects) are near "
           "on the "
           "map too; above 5000 objects, measured on 2000 of them",
           "", "[0, 1]", true, kComparedDistances, continuity<0>},
          {"trustworthiness_20", "trustworthiness with 20 nearest neighbours, half of the others below 41 objects", "",
           "[0, 1]", true, kComparedDistances, trustworthiness<1>},
          {"continuity_20", "continuity with 20 nearest neighbours, half of the others below 41 objects", "", "[0, 1]",
           true, kComparedDistances, continuity<1>}};
}

}  // namespace alidade::metrics
