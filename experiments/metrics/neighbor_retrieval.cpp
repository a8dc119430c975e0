#include "experiments/metrics/neighbor_retrieval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/metrics/anchor_sample.hpp"
#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/neighbor/affinities.hpp"

namespace alidade::metrics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastExponent = -450;
constexpr double kGridStep = 0.5;  // of ln(scale)
constexpr int kGridSteps = 6;      // on each side of the scale of mean distances
constexpr int kMostOutward = 40;
constexpr int kMostParabolas = 12;
constexpr double kScaleTolerance = 1e-4;
constexpr Index kAnchorsAtOnce = 16;

using Row = Eigen::ArrayXd;

std::vector<Index> retrieval_anchors(Index n) {
  constexpr Index kMostPairs = 10'000'000;
  return anchor_sample(n, kMostPairs / n + 1, 2010, "neighbor_retrieval");
}

double usable_perplexity(double perplexity, Index n) { return std::min(perplexity, static_cast<double>(n - 1) / 2); }

}  // namespace

NeighborRetrieval::NeighborRetrieval(const Matrix& coordinates, const DissimilarityRows& data, double perplexity,
                                     Executor& executor)
    : executor_(executor),
      perplexity_(usable_perplexity(perplexity, data.size())),
      map_(coordinates.transpose()),
      anchors_(retrieval_anchors(data.size())),
      squared_(static_cast<Index>(anchors_.size()), data.size()),
      beta_(squared_.rows()),
      entropy_(squared_.rows()),
      log_normalizer_(squared_.rows()),
      pull_(squared_.rows()),
      placed_(coordinates.allFinite()) {
  const Index n = data.size();
  Vector data_sum(squared_.rows()), map_sum(squared_.rows());
  const auto take = [&](Index a, std::span<const double> row) {
    const Index i = anchors_[static_cast<std::size_t>(a)];
    squared_.row(a) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), n);
    const neighbor::RowAffinity affinity = neighbor::calibrate(row, i, perplexity_);
    beta_[a] = affinity.beta;
    entropy_[a] = affinity.entropy;
    log_normalizer_[a] = affinity.log_normalizer;
    Row on_map;
    squared_distances_on_map(map_, i, on_map);
    Row p = (-affinity.beta * squared_.row(a).transpose().array() - affinity.log_normalizer).exp();
    p[i] = 0;
    pull_[a] = (p * on_map).sum();
    data_sum[a] = squared_.row(a).cwiseSqrt().sum();
    map_sum[a] = on_map.sqrt().sum();
  };
  executor.run_chunks(std::ssize(anchors_), kAnchorsAtOnce, [&](const Chunk& chunk) {
    data.for_each(std::span(anchors_).subspan(static_cast<std::size_t>(chunk.first),
                                              static_cast<std::size_t>(chunk.last - chunk.first)),
                  [&](Index a, std::span<const double> row) { take(chunk.first + a, row); });
  });
  for (const double sum : data_sum) data_mean_ += sum;
  for (const double sum : map_sum) map_mean_ += sum;
  const double pairs = static_cast<double>(anchors_.size()) * static_cast<double>(n - 1);
  data_mean_ /= pairs;
  map_mean_ /= pairs;
}

NeighborRetrieval::Divergence NeighborRetrieval::at_scale(double s) const {
  if (!placed_) return {kInfinity, kInfinity};
  std::vector<Divergence> by_anchor(anchors_.size());
  executor_.run_chunks(std::ssize(anchors_), kAnchorsAtOnce, [&](const Chunk& chunk) {
    Row d, w;
    for (Index a = chunk.first; a < chunk.last; ++a) {
      const Index i = anchors_[static_cast<std::size_t>(a)];
      squared_distances_on_map(map_, i, d);
      d *= s * s;
      d[i] = kInfinity;
      const double nearest = d.minCoeff();
      d[i] = nearest;
      const auto in_data = squared_.row(a).transpose().array();
      w = (-beta_[a] * (d - nearest)).exp();
      w[i] = 0;
      const double weight = w.sum(), log_sum = std::log(weight) - beta_[a] * nearest;
      // sum p ln p = -entropy, sum p ln q = -beta sum p d - log_sum; the same for q.
      by_anchor[static_cast<std::size_t>(a)] = {
          beta_[a] * s * s * pull_[a] + log_sum - entropy_[a],
          beta_[a] * ((w * in_data).sum() - (w * d).sum()) / weight - log_sum + log_normalizer_[a]};
    }
  });
  Divergence sum;
  for (const Divergence& one : by_anchor) {
    sum.misses += one.misses;
    sum.false_neighbors += one.false_neighbors;
  }
  const auto rows = static_cast<double>(anchors_.size());
  // Negative values are rounding errors.
  return {std::max(0.0, sum.misses / rows), std::max(0.0, sum.false_neighbors / rows)};
}

NeighborRetrieval::Divergence NeighborRetrieval::at_mean_distances() const {
  return at_scale(map_mean_ > 0 ? data_mean_ / map_mean_ : 1);
}

double NeighborRetrieval::least_cost(double lambda) const {
  if (!placed_) return kInfinity;
  if (!(map_mean_ > 0 && data_mean_ > 0)) {
    const Divergence any = at_scale(1);
    return lambda * any.misses + (1 - lambda) * any.false_neighbors;
  }
  const double middle = std::log(data_mean_ / map_mean_);
  const auto cost = [&](double offset) {
    auto entry = std::ranges::find(seen_, offset, &decltype(seen_)::value_type::first);
    if (entry == seen_.end()) entry = seen_.insert(entry, {offset, at_scale(std::exp(middle + offset))});
    const Divergence& at = entry->second;
    const double value = lambda * at.misses + (1 - lambda) * at.false_neighbors;
    return std::isfinite(value) ? value : kInfinity;
  };
  double best = 0;
  for (int k = -kGridSteps; k <= kGridSteps; ++k)
    if (cost(kGridStep * k) < cost(best)) best = kGridStep * k;
  for (int k = 0; k < kMostOutward && std::abs(best) >= kGridStep * kGridSteps; ++k) {
    const double outward = best + std::copysign(kGridStep, best);
    if (!(cost(outward) < cost(best))) break;
    best = outward;
  }
  // Parabolas through the lowest point and its neighbours on both sides, which bracket the minimum.
  double low = best - kGridStep, high = best + kGridStep;
  for (int k = 0; k < kMostParabolas; ++k) {
    const double left = best - low, right = high - best;
    const double up_left = cost(low) - cost(best), up_right = cost(high) - cost(best);
    const double divisor = 2 * (left * up_right + right * up_left);
    const double next = best + (right * right * up_left - left * left * up_right) / divisor;
    if (!(next > low && next < high && std::abs(next - best) > kScaleTolerance)) break;
    const bool lower = cost(next) < cost(best);
    if ((next > best) == lower)
      low = lower ? best : next;
    else
      high = lower ? best : next;
    if (lower) best = next;
  }
  return cost(best);
}

RankRetrieval NeighborRetrieval::by_ranks() const {
  const Index n = squared_.cols();
  const auto count = static_cast<std::size_t>(n - 1);
  const double mean = static_cast<double>(n) / 2;
  std::vector<double> squared(count), log_p(count + 1), p(count + 1);
  for (std::size_t r = 1; r <= count; ++r)
    squared[r - 1] = static_cast<double>(r) / mean * (static_cast<double>(r) / mean);
  const double beta = neighbor::calibrate(squared, -1, perplexity_).beta;
  double sum = 0;
  for (std::size_t r = 1; r <= count; ++r) {
    log_p[r] = std::max(kLeastExponent, -beta * squared[r - 1]);
    sum += std::exp(log_p[r]);
  }
  double worst = 0;
  for (std::size_t r = 1; r <= count; ++r) {
    p[r] = std::exp(log_p[r]) / sum;
    worst += p[r] * (log_p[r] - log_p[count + 1 - r]);
  }

  std::vector<RankRetrieval> by_anchor(anchors_.size());  // sums of what is lost
  executor_.run_chunks(std::ssize(anchors_), kAnchorsAtOnce, [&](const Chunk& chunk) {
    Row on_map;
    struct Seen {
      double in_data, on_map;
      Index object;
      std::size_t rank;  // in the data
    };
    std::vector<Seen> others;
    for (Index a = chunk.first; a < chunk.last; ++a) {
      const Index i = anchors_[static_cast<std::size_t>(a)];
      squared_distances_on_map(map_, i, on_map);
      others.clear();
      for (Index j = 0; j < n; ++j)
        if (j != i) others.push_back({squared_(a, j), on_map[j], j, 0});
      std::ranges::sort(others, {}, [](const Seen& s) { return std::tuple(s.in_data, s.on_map, s.object); });
      for (std::size_t r = 1; r <= count; ++r) others[r - 1].rank = r;
      std::ranges::sort(others, {}, [](const Seen& s) { return std::tuple(s.on_map, -s.in_data, s.object); });
      RankRetrieval& lost = by_anchor[static_cast<std::size_t>(a)];
      for (std::size_t s = 1; s <= count; ++s) {
        const std::size_t r = others[s - 1].rank;
        lost.recall += p[r] * (log_p[r] - log_p[s]);
        lost.precision += p[s] * (log_p[s] - log_p[r]);
      }
    }
  });
  double false_neighbors = 0, misses = 0;
  for (const RankRetrieval& lost : by_anchor) {
    false_neighbors += lost.precision;
    misses += lost.recall;
  }
  const double whole = worst * static_cast<double>(anchors_.size());
  return {std::clamp(1 - false_neighbors / whole, 0.0, 1.0), std::clamp(1 - misses / whole, 0.0, 1.0)};
}

namespace {

constexpr double kRetrieved = 20;      // neighbours, the perplexity
constexpr Index kFewestRetrieved = 5;  // objects

bool retrieves(const MetricInput& in) {
  return compares_distances(in) && in.observations.object_count() >= kFewestRetrieved;
}
const NeighborRetrieval& retrieval_of(const MetricInput& in) {
  if (!in.retrieval)
    in.retrieval =
        std::make_shared<const NeighborRetrieval>(in.embedding.only(), distances_of(in), kRetrieved, in.executor());
  return *in.retrieval;
}
const RankRetrieval& rank_retrieval_of(const MetricInput& in) {
  if (!in.rank_retrieval) in.rank_retrieval = std::make_shared<const RankRetrieval>(retrieval_of(in).by_ranks());
  return *in.rank_retrieval;
}
template <double NeighborRetrieval::Divergence::*part>
double at_mean_distances(const MetricInput& in) {
  return retrieves(in) ? retrieval_of(in).at_mean_distances().*part : kDoesNotApply;
}
template <double RankRetrieval::*part>
double of_ranks(const MetricInput& in) {
  return retrieves(in) ? rank_retrieval_of(in).*part : kDoesNotApply;
}
template <int percent>
double nerv_cost(const MetricInput& in) {
  return retrieves(in) ? retrieval_of(in).least_cost(percent / 100.0) : kDoesNotApply;
}

}  // namespace

std::vector<MetricEntry> neighbor_retrieval_metrics() {
  return {
      {"smoothed_precision",
       "false neighbours: mean KL(q || p) in nats, with q the neighbour probabilities of the map and p those of the "
       "data, at perplexity 20; all distances are divided by their mean; above 5000 objects, measured on some of them",
       "nats", "[0, inf)", false, kComparedDistances,
       at_mean_distances<&NeighborRetrieval::Divergence::false_neighbors>},
      {"smoothed_recall", "misses: mean KL(p || q), with p and q as in smoothed_precision", "nats", "[0, inf)", false,
       kComparedDistances, at_mean_distances<&NeighborRetrieval::Divergence::misses>},
      {"rank_smoothed_precision",
       "smoothed_precision of ranks instead of distances: 1 - mean KL(q || p) / (its value "
       "for reversed ranks); above 5000 objects, measured on some of them",
       "", "[0, 1]", true, kComparedDistances, of_ranks<&RankRetrieval::precision>},
      {"rank_smoothed_recall", "smoothed_recall of ranks: 1 - mean KL(p || q), otherwise as rank_smoothed_precision",
       "", "[0, 1]", true, kComparedDistances, of_ranks<&RankRetrieval::recall>},
      {"nerv_cost",
       "NeRV's cost with lambda = 0.5 (misses and false neighbours count the same), in nats per object, perplexity 20, "
       "at the best scale of the map; above 5000 objects, measured on some of them",
       "nats", "[0, inf)", false, kComparedDistances, nerv_cost<50>},
      {"nerv_cost_10", "nerv_cost with lambda = 0.1: misses have weight 0.1", "nats", "[0, inf)", false,
       kComparedDistances, nerv_cost<10>},
      {"nerv_cost_90", "nerv_cost with lambda = 0.9: misses have weight 0.9", "nats", "[0, inf)", false,
       kComparedDistances, nerv_cost<90>}};
}

}  // namespace alidade::metrics
