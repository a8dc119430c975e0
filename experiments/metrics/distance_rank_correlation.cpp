#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/core/random.hpp"
#include "problems/distances/distance_blocks.hpp"

namespace alidade::metrics {

Vector centred_ranks(std::span<const double> values) {
  const std::size_t count = values.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  Vector out(static_cast<Index>(count));
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin + 1;
    while (end < count && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + end + 1) / 2 - static_cast<double>(count + 1) / 2;
    for (; begin < end; ++begin) out[static_cast<Index>(order[begin])] = shared;
  }
  return out;
}

namespace {

constexpr std::uint64_t kPairSeed = 1904;

std::vector<std::pair<Index, Index>> pairs_of(Index n) {
  constexpr std::size_t kMostPairs = 20'000;
  std::vector<std::pair<Index, Index>> out;
  if (n * (n - 1) / 2 <= static_cast<Index>(kMostPairs)) {
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) out.emplace_back(i, j);
    return out;
  }
  Rng rng = Rng::stream(kPairSeed, "distance_correlation", n);
  while (out.size() < kMostPairs) {
    const auto i = static_cast<Index>(rng.below(static_cast<std::uint64_t>(n)));
    auto j = static_cast<Index>(rng.below(static_cast<std::uint64_t>(n - 1)));
    if (j >= i) ++j;
    out.emplace_back(i, j);
  }
  return out;
}

/// `in_data_of(i, j)`: any increasing function of their distance.
template <class InData>
double rank_correlation(const Matrix& coordinates, Index n, const InData& in_data_of) {
  if (coordinates.rows() != n || n < 3) return kDoesNotApply;
  std::vector<double> in_data, on_map;
  for (const auto& [i, j] : pairs_of(n)) {
    in_data.push_back(in_data_of(i, j));
    const double squared = (coordinates.row(i) - coordinates.row(j)).squaredNorm();
    on_map.push_back(std::isfinite(squared) ? squared : std::numeric_limits<double>::infinity());
  }
  const Vector x = centred_ranks(in_data), y = centred_ranks(on_map);
  const double spread = x.squaredNorm() * y.squaredNorm();
  if (x.squaredNorm() == 0) return kDoesNotApply;
  return spread > 0 ? std::clamp(x.dot(y) / std::sqrt(spread), -1.0, 1.0) : 0.0;
}

}  // namespace

double distance_rank_correlation(const Matrix& coordinates, const FeatureMatrix& features) {
  return rank_correlation(coordinates, features.rows(), [&](Index i, Index j) {
    return squared_row_distance(features.row(i).data(), features.row(j).data(), features.cols());
  });
}

double dissimilarity_rank_correlation(const Matrix& coordinates, const Matrix& dissimilarities) {
  return rank_correlation(coordinates, dissimilarities.rows(),
                          [&](Index i, Index j) { return 0.5 * dissimilarities(i, j) + 0.5 * dissimilarities(j, i); });
}

std::vector<MetricEntry> distance_rank_correlation_metrics() {
  return {{"distance_rank_correlation",
           "rank correlation between distances in the data and on the map, over at most 20,000 pairs", "", "[-1, 1]",
           true, kComparedDistances, [](const MetricInput& in) {
             if (!compares_distances(in)) return kDoesNotApply;
             if (const auto& precise = in.observations.precise_features)
               return rank_correlation(in.embedding.only(), precise->rows(), [&](Index i, Index j) {
                 return (precise->row(i) - precise->row(j)).squaredNorm();
               });
             if (in.observations.features)
               return distance_rank_correlation(in.embedding.only(), *in.observations.features);
             return dissimilarity_rank_correlation(in.embedding.only(), in.observations.dissimilarities.front().values);
           }}};
}

}  // namespace alidade::metrics
