#include "experiments/metrics/neighbor_retrieval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/metrics/anchor_sample.hpp"
#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric_entries.hpp"
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

using Row = Eigen::ArrayXd;

std::vector<Index> retrieval_anchors(Index n) {
  constexpr Index kMostPairs = 10'000'000;
  return anchor_sample(n, kMostPairs / n + 1, 2010, "neighbor_retrieval");
}

double usable_perplexity(double perplexity, Index n) { return std::min(perplexity, static_cast<double>(n - 1) / 2); }

/// out[j] = squared distance on the map of object i and j. map: d x n.
void squared_on_map(const Matrix& map, Index i, Row& out) {
  out.setZero(map.cols());
  for (Index c = 0; c < map.rows(); ++c) out += (map.row(c).array() - map(c, i)).square().transpose();
}

}  // namespace

NeighborRetrieval::NeighborRetrieval(const Matrix& coordinates, const neighbor::DissimilarityRows& data,
                                     double perplexity)
    : map_(coordinates.transpose()),
      anchors_(retrieval_anchors(data.size())),
      squared_(static_cast<Index>(anchors_.size()), data.size()),
      beta_(squared_.rows()),
      entropy_(squared_.rows()),
      log_normalizer_(squared_.rows()),
      pull_(squared_.rows()),
      placed_(coordinates.allFinite()) {
  const Index n = data.size();
  perplexity = usable_perplexity(perplexity, n);
  Row on_map, p;
  data.for_each(anchors_, [&](Index a, std::span<const double> row) {
    const Index i = anchors_[static_cast<std::size_t>(a)];
    squared_.row(a) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), n);
    const neighbor::RowAffinity found = neighbor::calibrate(row, i, perplexity);
    beta_[a] = found.beta;
    entropy_[a] = found.entropy;
    log_normalizer_[a] = found.log_normalizer;
    squared_on_map(map_, i, on_map);
    p = (-found.beta * squared_.row(a).transpose().array() - found.log_normalizer).exp();
    p[i] = 0;
    pull_[a] = (p * on_map).sum();
    data_mean_ += squared_.row(a).cwiseSqrt().sum();
    map_mean_ += on_map.sqrt().sum();
  });
  const double pairs = static_cast<double>(anchors_.size()) * static_cast<double>(n - 1);
  data_mean_ /= pairs;
  map_mean_ /= pairs;
}

NeighborRetrieval::Divergence NeighborRetrieval::at_scale(double s) const {
  if (!placed_) return {kInfinity, kInfinity};
  Row d, w;
  Divergence sum;
  for (std::size_t k = 0; k < anchors_.size(); ++k) {
    const auto a = static_cast<Index>(k);
    const Index i = anchors_[k];
    squared_on_map(map_, i, d);
    d *= s * s;
    d[i] = kInfinity;
    const double nearest = d.minCoeff();
    d[i] = nearest;
    const auto in_data = squared_.row(a).transpose().array();
    w = (-beta_[a] * (d - nearest)).exp();
    w[i] = 0;
    const double weight = w.sum(), log_sum = std::log(weight) - beta_[a] * nearest;
    // sum p ln p = -entropy, sum p ln q = -beta sum p d - log_sum; the same for q.
    sum.misses += beta_[a] * s * s * pull_[a] + log_sum - entropy_[a];
    sum.false_neighbors += beta_[a] * ((w * in_data).sum() - (w * d).sum()) / weight - log_sum + log_normalizer_[a];
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
    auto found = std::ranges::find(seen_, offset, &decltype(seen_)::value_type::first);
    if (found == seen_.end()) found = seen_.insert(found, {offset, at_scale(std::exp(middle + offset))});
    const Divergence& at = found->second;
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

RankRetrieval rank_retrieval(const Matrix& coordinates, const neighbor::DissimilarityRows& data, double perplexity) {
  const Index n = data.size();
  const auto count = static_cast<std::size_t>(n - 1);
  const double mean = static_cast<double>(n) / 2;
  std::vector<double> squared(count), log_p(count + 1), p(count + 1);
  for (std::size_t r = 1; r <= count; ++r)
    squared[r - 1] = static_cast<double>(r) / mean * (static_cast<double>(r) / mean);
  const double beta = neighbor::calibrate(squared, -1, usable_perplexity(perplexity, n)).beta;
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

  const Matrix map = coordinates.transpose();
  const std::vector<Index> anchors = retrieval_anchors(n);
  Row on_map;
  std::vector<Index> order(count);
  std::vector<std::size_t> in_data(static_cast<std::size_t>(n));
  double false_neighbors = 0, misses = 0;
  data.for_each(anchors, [&](Index a, std::span<const double> row) {
    const Index i = anchors[static_cast<std::size_t>(a)];
    squared_on_map(map, i, on_map);
    for (double& d : on_map)
      if (!std::isfinite(d)) d = kInfinity;
    std::size_t next = 0;
    for (Index j = 0; j < n; ++j)
      if (j != i) order[next++] = j;
    const auto at = [](Index j) { return static_cast<std::size_t>(j); };
    std::ranges::sort(order,
                      [&](Index x, Index y) { return row[at(x)] < row[at(y)] || (row[at(x)] == row[at(y)] && x < y); });
    for (std::size_t r = 0; r < count; ++r) in_data[at(order[r])] = r + 1;
    std::ranges::sort(order, [&](Index x, Index y) {
      return on_map[x] < on_map[y] || (on_map[x] == on_map[y] && in_data[at(x)] > in_data[at(y)]);
    });
    for (std::size_t s = 1; s <= count; ++s) {
      const std::size_t r = in_data[at(order[s - 1])];
      misses += p[r] * (log_p[r] - log_p[s]);
      false_neighbors += p[s] * (log_p[s] - log_p[r]);
    }
  });
  const double whole = worst * static_cast<double>(anchors.size());
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
    in.retrieval = std::make_shared<const NeighborRetrieval>(in.embedding.only(), distances_of(in), kRetrieved);
  return *in.retrieval;
}
const RankRetrieval& rank_retrieval_of(const MetricInput& in) {
  if (!in.rank_retrieval)
    in.rank_retrieval =
        std::make_shared<const RankRetrieval>(rank_retrieval(in.embedding.only(), distances_of(in), kRetrieved));
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

MetricEntry smoothed_precision_entry() {
  return {"smoothed_precision",
          "false neighbours: mean KL(q || p) in nats, with q the neighbour probabilities of the "
          "map and p those of the data, at perplexity 20; all distances are divided by their "
          "mean; above 5000 objects, measured on some of them",
          "nats",
          "[0, inf)",
          false,
          kComparedDistances,
          at_mean_distances<&NeighborRetrieval::Divergence::false_neighbors>};
}

MetricEntry smoothed_recall_entry() {
  return {
      "smoothed_recall",  "misses: mean KL(p || q), with p and q as in smoothed_precision", "nats", "[0, inf)", false,
      kComparedDistances, at_mean_distances<&NeighborRetrieval::Divergence::misses>};
}

MetricEntry rank_smoothed_precision_entry() {
  return {"rank_smoothed_precision",
          "smoothed_precision of ranks instead of distances: 1 - mean KL(q || p) / (its value "
          "for reversed ranks); above 5000 objects, measured on some of them",
          "",
          "[0, 1]",
          true,
          kComparedDistances,
          of_ranks<&RankRetrieval::precision>};
}

MetricEntry rank_smoothed_recall_entry() {
  return {"rank_smoothed_recall",
          "smoothed_recall of ranks: 1 - mean KL(p || q), otherwise as rank_smoothed_precision",
          "",
          "[0, 1]",
          true,
          kComparedDistances,
          of_ranks<&RankRetrieval::recall>};
}

MetricEntry nerv_cost_entry() {
  return {"nerv_cost",
          "NeRV's cost with lambda = 0.5 (misses and false neighbours count the same), in nats "
          "per object, perplexity 20, at the best scale of the map; above 5000 objects, measured "
          "on some of them",
          "nats",
          "[0, inf)",
          false,
          kComparedDistances,
          nerv_cost<50>};
}

MetricEntry nerv_cost_10_entry() {
  return {"nerv_cost_10", "nerv_cost with lambda = 0.1: misses have weight 0.1",
          "nats",         "[0, inf)",
          false,          kComparedDistances,
          nerv_cost<10>};
}

MetricEntry nerv_cost_90_entry() {
  return {"nerv_cost_90", "nerv_cost with lambda = 0.9: misses have weight 0.9",
          "nats",         "[0, inf)",
          false,          kComparedDistances,
          nerv_cost<90>};
}

}  // namespace alidade::metrics
