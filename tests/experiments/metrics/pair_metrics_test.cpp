#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <vector>

#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/derived_signs.hpp"

namespace pair_metrics_test {
namespace {

using namespace alidade;
using namespace alidade::metrics;
using Others = PairSigns::Others;

constexpr std::uint64_t kSeed = 811;
constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

Matrix places(std::initializer_list<std::array<double, 2>> points) {
  Matrix out(static_cast<Index>(points.size()), 2);
  Index row = 0;
  for (const auto& p : points) out.row(row++) << p[0], p[1];
  return out;
}

PairSigns graph(Index n, const std::vector<ObjectPair>& edges) { return {n, edges, {}, Others::dissimilar}; }

Matrix random_places(Index n, Index d, std::uint64_t seed) {
  Rng rng(seed);
  Matrix out(n, d);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = rng.normal();
  return out;
}

PairSigns random_signs(Index n, double part, Others others, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<ObjectPair> similar, dissimilar;
  for (ObjectId i = 0; i < n; ++i)
    for (ObjectId j = 0; j < n; ++j) {
      if (i == j) continue;
      const double u = rng.uniform01();
      if (u < part)
        similar.push_back({i, j});
      else if (u < 3 * part && others == Others::unknown)
        dissimilar.push_back({i, j});
    }
  return {n, similar, dissimilar, others};
}

}  // namespace

TEST_CASE("the side of a line on which a point lies is found despite rounding") {
  const double a[] = {0, 0}, b[] = {1, 1}, c[] = {0, 1};
  CHECK(orientation(a, b, c) == 1);
  CHECK(orientation(b, a, c) == -1);
  CHECK(orientation(a, b, b) == 0);
  // Points of the line through (0.5, 0.5) and (24, 24), moved by ulps: products of doubles alone say 0 or worse.
  const double q[] = {12, 12}, r[] = {24, 24};
  int wrong = 0;
  for (int u = -40; u <= 40; ++u)
    for (int v = -40; v <= 40; ++v) {
      const double p[] = {0.5 + u * 0x1p-53, 0.5 + v * 0x1p-53};
      wrong += orientation(p, q, r) != (p[0] > p[1] ? -1 : p[0] < p[1] ? 1 : 0);
    }
  CHECK(wrong == 0);
}

TEST_CASE("edges cross if they share no object and their lines have a common point") {
  const Matrix square = places({{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0.5}});
  CHECK(edge_crossings(square, graph(5, {{0, 2}, {1, 3}})) == 1);
  CHECK(edge_crossings(square, graph(5, {{0, 2}, {2, 0}, {3, 1}})) == 1);  // an edge is one, both ways
  CHECK(edge_crossings(square, graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}})) == 0);
  CHECK(edge_crossings(square, graph(5, {{0, 1}, {2, 3}})) == 0);          // parallel
  CHECK(edge_crossings(square, graph(5, {{0, 2}, {4, 1}})) == 1);          // touching in the middle
  CHECK(edge_crossings(square, graph(5, {{0, 4}, {4, 2}, {4, 1}})) == 0);  // all meet in an object

  SUBCASE("overlapping edges of one line cross, those one after another do not") {
    const Matrix line = places({{0, 0}, {3, 1}, {1.5, 0.5}, {4.5, 1.5}, {6, 2}, {9, 3}});
    CHECK(edge_crossings(line, graph(6, {{0, 1}, {2, 3}})) == 1);
    CHECK(edge_crossings(line, graph(6, {{0, 1}, {4, 5}})) == 0);
  }
  SUBCASE("a collapsed map crosses wherever it can, and so does what is not placed") {
    const PairSigns ring = graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}});
    CHECK(edge_crossings(Matrix::Zero(5, 2), ring) == 5);
    CHECK(edge_crossings(Matrix::Constant(5, 2, kNowhere), ring) == 5);
    Matrix one_lost = places({{0, 0}, {1, 0}, {1, 1}, {0, 1}, {-1, 0.5}});
    CHECK(edge_crossings(one_lost, ring) == 0);
    one_lost(0, 0) = kNowhere;  // edges 0-1 and 4-0: each apart from 2-3, and from one of 3-4 and 1-2
    CHECK(edge_crossings(one_lost, ring) == 4);
  }
  SUBCASE("only maps of two dimensions are drawings") {
    CHECK(std::isnan(edge_crossings(Matrix::Zero(5, 3), graph(5, {{0, 1}}))));
    CHECK(std::isnan(edge_crossings(Matrix::Zero(4, 2), graph(5, {{0, 1}}))));
  }
}

TEST_CASE("crossings of random drawings agree with solving for the point of intersection") {
  for (std::uint64_t seed = kSeed; seed < kSeed + 5; ++seed) {
    CAPTURE(seed);
    const Index n = 40;
    const Matrix map = random_places(n, 2, seed);
    const PairSigns signs = random_signs(n, 0.05, Others::dissimilar, seed + 100);
    std::vector<ObjectPair> edges;
    for (ObjectId i = 0; i < n; ++i)
      for (ObjectId j = 0; j < i; ++j)
        if (signs.sign(i, j) == 1 || signs.sign(j, i) == 1) edges.push_back({i, j});
    double expected = 0;
    for (std::size_t e = 0; e < edges.size(); ++e)
      for (std::size_t f = 0; f < e; ++f) {
        const auto [a, b] = edges[e];
        const auto [c, d] = edges[f];
        if (a == c || a == d || b == c || b == d) continue;
        // p + s u = q + t v
        const Eigen::RowVector2d u = map.row(b) - map.row(a), v = map.row(d) - map.row(c), w = map.row(c) - map.row(a);
        const double det = u[0] * v[1] - u[1] * v[0];
        const double s = (w[0] * v[1] - w[1] * v[0]) / det, t = (w[0] * u[1] - w[1] * u[0]) / det;
        expected += s >= 0 && s <= 1 && t >= 0 && t <= 1;
      }
    CHECK(expected > 100);
    CHECK(edge_crossings(map, signs) == expected);
  }
}

TEST_CASE("precision and violations of a map are those counted triple by triple") {
  for (const Others others : {Others::dissimilar, Others::unknown}) {
    const Index n = 60;
    const Matrix map = random_places(n, 3, kSeed + 1);
    const PairSigns signs = random_signs(n, 0.1, others, kSeed + 2);
    double violated = 0, triples = 0, precision = 0, asked = 0;
    for (Index i = 0; i < n; ++i) {
      const auto squared = [&](Index j) { return (map.row(i) - map.row(j)).squaredNorm(); };
      std::vector<std::pair<double, int>> judged;
      for (Index j = 0; j < n; ++j) {
        if (signs.sign(i, j) == 0) continue;
        judged.emplace_back(squared(j), signs.sign(i, j));
        for (Index k = 0; k < n; ++k)
          if (signs.sign(i, j) == 1 && signs.sign(i, k) == -1) {
            ++triples;
            violated += squared(k) <= squared(j);
          }
      }
      std::ranges::sort(judged);
      const auto k = static_cast<double>(signs.similar(i).size());
      if (k == 0) continue;
      ++asked;
      for (std::size_t r = 0; r < static_cast<std::size_t>(k); ++r) precision += (judged[r].second == 1) / k;
    }
    CHECK(sign_violations(map, signs) == doctest::Approx(violated / triples).epsilon(1e-14));
    CHECK(neighborhood_precision(map, signs) == doctest::Approx(precision / asked).epsilon(1e-14));
    CHECK(sign_violations(map, signs) > 0.4);

    // A collapsed map violates all, and finds what chance would; what is nowhere counts against the map.
    CHECK(sign_violations(Matrix::Zero(n, 2), signs) == 1);
    double by_chance = 0;
    for (Index i = 0; i < n; ++i) {
      double judged = 0;
      for (Index j = 0; j < n; ++j) judged += signs.sign(i, j) != 0;
      if (const auto k = static_cast<double>(signs.similar(i).size()); k > 0) by_chance += k / judged / asked;
    }
    CHECK(neighborhood_precision(Matrix::Zero(n, 2), signs) == doctest::Approx(by_chance).epsilon(1e-14));
    CHECK(sign_violations(Matrix::Constant(n, 2, kNowhere), signs) == 1);
    CHECK(neighborhood_precision(Matrix::Constant(n, 2, kNowhere), signs) == 0);
  }
  const PairSigns ring = cylinder_signs(12, 1);
  const auto on_circle = [](double step) {
    Matrix out(12, 2);
    for (int i = 0; i < 12; ++i) out.row(i) << std::cos(i * step), std::sin(i * step);
    return out;
  };
  CHECK(sign_violations(on_circle(0.4), ring) > 0);  // an arc, whose ends are similar
  const Matrix map = on_circle(std::numbers::pi / 6);
  CHECK(sign_violations(map, ring) == 0);
  CHECK(neighborhood_precision(map, ring) == 1);
  const PairSigns nothing(3, {}, {{0, 1}}, Others::unknown);
  CHECK(std::isnan(sign_violations(Matrix::Zero(3, 2), nothing)));
  CHECK(std::isnan(neighborhood_precision(Matrix::Zero(3, 2), nothing)));
  CHECK(std::isnan(sign_violations(Matrix::Zero(2, 2), ring)));
}

TEST_CASE("precision of equal distances is the mean over their orders, counted order by order") {
  for (std::uint64_t seed = kSeed; seed < kSeed + 20; ++seed) {
    CAPTURE(seed);
    const Index n = 7;
    const Matrix map = random_places(n, 2, seed).array().round();
    const PairSigns signs = random_signs(n, 0.4, seed % 2 == 0 ? Others::dissimilar : Others::unknown, seed);
    double expected = 0, asked = 0;
    for (Index i = 0; i < n; ++i) {
      const std::size_t k = signs.similar(i).size();
      if (k == 0) continue;
      std::vector<Index> order;
      for (Index j = 0; j < n; ++j)
        if (signs.sign(i, j) != 0) order.push_back(j);
      double value = 0, orders = 0;
      do {
        const auto squared = [&](Index j) { return (map.row(i) - map.row(j)).squaredNorm(); };
        if (!std::ranges::is_sorted(order, {}, squared)) continue;
        ++orders;
        for (std::size_t r = 0; r < k; ++r) value += signs.sign(i, order[r]) == 1;
      } while (std::ranges::next_permutation(order).found);
      expected += value / orders / static_cast<double>(k);
      ++asked;
    }
    if (asked > 0) CHECK(neighborhood_precision(map, signs) == doctest::Approx(expected / asked).epsilon(1e-13));
  }
}

TEST_CASE("above 5000 objects a fixed sample of 2000 judges") {
  CHECK(sampled_anchors(5000).size() == 5000);
  const std::vector<Index> some = sampled_anchors(6000);
  CHECK(some.size() == 2000);
  CHECK(some == sampled_anchors(6000));
  CHECK(std::ranges::is_sorted(some));
  CHECK(some.back() < 6000);
}

TEST_CASE("new objects are judged by the nearest object of the map") {
  // Objects 0, 2 and 3 are known, 1, 4 and 5 new.
  const std::vector<Index> kept = {0, 2, 3}, heldout = {1, 4, 5};
  const PairSigns all(6, {{1, 0}, {4, 2}, {4, 3}, {1, 4}, {5, 1}}, {}, Others::dissimilar);
  const Matrix map = places({{0, 0}, {1, 0}, {2, 0}});
  const auto precision = [&](const Matrix& at) { return heldout_neighbor_precision(map, kept, at, heldout, all); };
  CHECK(precision(places({{0.1, 0}, {1.9, 0}, {0, 0}})) == 1);  // 5 is similar to no known object
  CHECK(precision(places({{0.1, 0}, {0.4, 0}, {0, 0}})) == 0.5);
  CHECK(precision(places({{1.5, 0}, {1.5, 0}, {0, 0}})) == 0.5);  // 4's two nearest are both similar
  CHECK(precision(places({{0.5, 0}, {0.5, 0}, {0, 0}})) == 0.5);  // of each one's two nearest, one is similar
  CHECK(precision(places({{kNowhere, 0}, {2, 0}, {0, 0}})) == 0.5);
  CHECK(std::isnan(heldout_neighbor_precision(map, kept, map, heldout, graph(6, {{5, 1}}))));
}

TEST_CASE("metrics of pair signs apply to one map of objects that have them") {
  Observations observations;
  observations.objects.resize(12);
  Embedding map{{{"", random_places(12, 2, kSeed)}}};
  for (const char* name : {"edge_crossings", "neighborhood_precision", "sign_violations"}) {
    CAPTURE(name);
    const MetricEntry& metric = metric_catalog().at(name);
    observations.pair_signs = nullptr;
    CHECK(std::isnan(metric.compute({map, {observations}})));
    observations.pair_signs = std::make_shared<PairSigns>(cylinder_signs(6, 2));
    CHECK(std::isfinite(metric.compute({map, {observations}})));
    Embedding two = map;
    two.maps.push_back(map.maps[0]);
    CHECK(std::isnan(metric.compute({two, {observations}})));
  }
  CHECK(metric_catalog().at("neighborhood_precision").higher_is_better);
  CHECK_FALSE(metric_catalog().at("edge_crossings").higher_is_better);
}

}  // namespace pair_metrics_test
