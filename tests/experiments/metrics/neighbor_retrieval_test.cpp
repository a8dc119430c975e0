#include "experiments/metrics/neighbor_retrieval.hpp"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "experiments/metrics/metric.hpp"
#include "problems/core/random.hpp"
#include "problems/neighbor/affinities.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/json_matrix.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"

namespace neighbor_retrieval_test {

using namespace alidade;
using namespace alidade::metrics;
using namespace alidade::testing;

namespace {

Executor& executor(int threads = 3) {
  static Executor one(1), three(3);
  return threads == 1 ? one : three;
}

constexpr std::uint64_t kSeed = 20240611;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Observations apart(Matrix values) {
  Observations out;
  out.name = "apart";
  for (Index i = 0; i < values.rows(); ++i) out.objects.push_back(std::to_string(i + 1));
  out.dissimilarities = {{"", std::move(values), {}}};
  return out;
}
DissimilarityRows rows_of(const Matrix& values) { return {apart(values), "a test"}; }

/// Mean distance of two different objects.
double mean_of(const Matrix& d) { return d.sum() / static_cast<double>(d.rows() * (d.rows() - 1)); }

/// Row i of exp(-beta_i d^2), normalised, as it is written.
Matrix probabilities(const Matrix& d, const Vector& beta) {
  Matrix out = (-(beta.asDiagonal() * d.cwiseAbs2())).array().exp();
  out.diagonal().setZero();
  for (Index i = 0; i < d.rows(); ++i) out.row(i) /= out.row(i).sum();
  return out;
}
double mean_divergence(const Matrix& p, const Matrix& q) {
  double sum = 0;
  for (Index i = 0; i < p.rows(); ++i)
    for (Index j = 0; j < p.cols(); ++j)
      if (p(i, j) > 0) sum += p(i, j) * std::log(p(i, j) / q(i, j));
  return sum / static_cast<double>(p.rows());
}
Vector beta_of(const Matrix& d, double perplexity) {
  Vector out(d.rows());
  for (Index i = 0; i < d.rows(); ++i) {
    const Vector squared = d.row(i).cwiseAbs2();
    out[i] = neighbor::calibrate({squared.data(), static_cast<std::size_t>(squared.size())}, i, perplexity).beta;
  }
  return out;
}

double metric(const char* name, const Matrix& map, const Observations& observations) {
  const Embedding embedding{{{"", map}}};
  const Evidence evidence{observations};
  return metric_catalog().at(name).compute({embedding, evidence});
}

}  // namespace

TEST_CASE("misses, false neighbours and their sum agree with the reference file") {
  std::ifstream file(std::string(testing::test_folder()) + "/problems/data/neighbor_reference.json");
  REQUIRE(file.good());
  const nlohmann::json reference = nlohmann::json::parse(file);
  int cases = 0;
  for (const auto& instance : reference["instances"]) {
    const double perplexity = instance["perplexity"].get<double>();
    const Matrix X = matrix_of(instance["X"]), Y = matrix_of(instance["Y"]);
    if (perplexity > static_cast<double>(X.rows() - 1) / 2) continue;
    const NeighborRetrieval retrieval(Y, rows_of(distances_between(X)), perplexity, executor());
    const auto result = retrieval.at_scale(1);
    for (const auto& at : instance["cases"]) {
      const double lambda = at["lambda"].get<double>();
      CAPTURE(lambda);
      CHECK(std::abs(result.misses - at["misses"].get<double>()) < 1e-8);
      CHECK(std::abs(result.false_neighbors - at["false_neighbours"].get<double>()) < 1e-8);
      const double cost = lambda * result.misses + (1 - lambda) * result.false_neighbors;
      CHECK(std::abs(cost - at["cost"].get<double>()) < 1e-8);
      CHECK(retrieval.least_cost(lambda) <= cost * (1 + 1e-12));
      ++cases;
    }
  }
  CHECK(cases >= 10);
}

TEST_CASE("divergences at mean distances follow their definition, at any scale of data and map") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(60, 4, rng), map = gaussian_points(60, 2, rng);
  const Matrix D = distances_between(points) / mean_of(distances_between(points)),
               d = distances_between(map) / mean_of(distances_between(map));
  const Vector beta = beta_of(D, 20);
  const Matrix p = probabilities(D, beta), q = probabilities(d, beta);
  for (const double scale : {1.0, 1e-6, 1e6}) {
    CAPTURE(scale);
    const auto result =
        NeighborRetrieval(map / scale, rows_of(distances_between(scale * points)), 20, executor()).at_mean_distances();
    CHECK(result.misses == doctest::Approx(mean_divergence(p, q)).epsilon(1e-8));
    CHECK(result.false_neighbors == doctest::Approx(mean_divergence(q, p)).epsilon(1e-8));
  }
}

TEST_CASE("a map that shows every distance has no misses and no false neighbours, turned or scaled") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(80, 2, rng);
  Matrix turned(80, 2);
  turned << -3 * points.col(1), 3 * points.col(0);
  const NeighborRetrieval retrieval(turned, rows_of(distances_between(points)), 20, executor());
  const auto result = retrieval.at_mean_distances();
  CHECK(result.misses < 1e-9);
  CHECK(result.false_neighbors < 1e-9);
  for (const double lambda : {0.0, 0.1, 0.5, 0.9, 1.0}) CHECK(retrieval.least_cost(lambda) < 1e-7);
  const auto ranks = NeighborRetrieval(turned, rows_of(distances_between(points)), 20, executor()).by_ranks();
  CHECK(ranks.precision == 1);
  CHECK(ranks.recall == 1);
}

TEST_CASE("the cost is the least over scales, as a fine search finds it") {
  Rng rng(kSeed);
  for (const double factor : {1.0, 1e-5, 1e4}) {
    CAPTURE(factor);
    const Matrix points = gaussian_points(50, 5, rng), map = factor * points.leftCols(2);
    const NeighborRetrieval retrieval(map, rows_of(distances_between(points)), 10, executor());
    for (const double lambda : {0.1, 0.5, 0.9}) {
      CAPTURE(lambda);
      double least = kInfinity;
      for (double log_scale = -4; log_scale < 4; log_scale += 0.01) {
        const auto at = retrieval.at_scale(std::exp(log_scale) / factor);
        least = std::min(least, lambda * at.misses + (1 - lambda) * at.false_neighbors);
      }
      const double value = retrieval.least_cost(lambda);
      CHECK(value <= least * (1 + 1e-7));
      CHECK(value > least - 1e-3);
    }
  }
}

TEST_CASE("a collapsed map misses ln((n - 1) / perplexity) at any scale") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(100, 3, rng), collapsed = Matrix::Constant(100, 2, 4.0);
  const NeighborRetrieval retrieval(collapsed, rows_of(distances_between(points)), 20, executor());
  const auto result = retrieval.at_mean_distances();
  CHECK(result.misses == doctest::Approx(std::log(99.0 / 20)).epsilon(1e-9));
  CHECK(result.false_neighbors > result.misses);
  CHECK(retrieval.least_cost(1) == doctest::Approx(std::log(99.0 / 20)).epsilon(1e-9));
  const auto ranks = NeighborRetrieval(collapsed, rows_of(distances_between(points)), 20, executor()).by_ranks();
  CHECK(ranks.precision == doctest::Approx(0).epsilon(1e-12));
  CHECK(ranks.recall == doctest::Approx(0).epsilon(1e-12));
}

TEST_CASE("a map that hides a dimension misses little and shows false neighbours") {
  Rng rng(kSeed);
  // A long box seen along its short side, and one torn apart.
  Matrix points = gaussian_points(150, 3, rng);
  const auto flat = NeighborRetrieval(points.leftCols(2), rows_of(distances_between(points)), 10, executor());
  CHECK(flat.at_mean_distances().false_neighbors > flat.at_mean_distances().misses);
  Matrix torn = points.leftCols(2);
  for (Index i = 0; i < 150; ++i) torn(i, 0) += points(i, 0) > 0 ? 10 : -10;
  const Matrix plane = points.leftCols(2);
  const auto apart_map = NeighborRetrieval(torn, rows_of(distances_between(plane)), 10, executor());
  CHECK(apart_map.at_scale(1).misses > apart_map.at_scale(1).false_neighbors);
}

TEST_CASE("an object without coordinates makes divergences infinite, and counts as farthest by rank") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(60, 2, rng);
  Matrix gap = points;
  gap(7, 1) = std::nan("");
  const NeighborRetrieval retrieval(gap, rows_of(distances_between(points)), 20, executor());
  CHECK(retrieval.at_mean_distances().misses == kInfinity);
  CHECK(retrieval.at_mean_distances().false_neighbors == kInfinity);
  CHECK(retrieval.least_cost(0.5) == kInfinity);
  const auto ranks = NeighborRetrieval(gap, rows_of(distances_between(points)), 20, executor()).by_ranks();
  CHECK(ranks.recall < 1);
  CHECK(ranks.recall > 0.9);
  const auto none =
      NeighborRetrieval(Matrix::Constant(60, 2, std::nan("")), rows_of(distances_between(points)), 20, executor())
          .by_ranks();
  CHECK(none.recall == doctest::Approx(0).epsilon(1e-12));
}

TEST_CASE("rank-based precision and recall are those of their definition") {
  Rng rng(kSeed);
  for (const Index n : {7, 30, 90}) {
    CAPTURE(n);
    const Matrix points = gaussian_points(n, 4, rng), map = gaussian_points(n, 2, rng);
    const Matrix D = distances_between(points), d = distances_between(map);
    const double perplexity = std::min(20.0, static_cast<double>(n - 1) / 2);
    // Ranks by counting what is nearer; there are no ties.
    const auto ranks = [&](const Matrix& by) {
      Matrix out = Matrix::Zero(n, n);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          for (Index k = 0; k < n; ++k)
            if (i != j && k != i) out(i, j) += by(i, k) <= by(i, j) ? 1 : 0;
      return out;
    };
    const double mean = static_cast<double>(n) / 2;
    const Matrix r = ranks(D) / mean, s = ranks(d) / mean;
    Vector squared(n - 1);
    for (Index k = 1; k < n; ++k) squared[k - 1] = static_cast<double>(k * k) / (mean * mean);
    const double beta = neighbor::calibrate({squared.data(), static_cast<std::size_t>(n - 1)}, -1, perplexity).beta;
    const Matrix p = probabilities(r, Vector::Constant(n, beta)), q = probabilities(s, Vector::Constant(n, beta));
    Matrix reversed = r;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        if (i != j) reversed(i, j) = static_cast<double>(n) / mean - r(i, j);
    const double worst = mean_divergence(p, probabilities(reversed, Vector::Constant(n, beta)));
    const auto result = NeighborRetrieval(map, rows_of(D), 20, executor()).by_ranks();
    CHECK(result.recall == doctest::Approx(1 - mean_divergence(p, q) / worst).epsilon(1e-9));
    CHECK(result.precision == doctest::Approx(1 - mean_divergence(q, p) / worst).epsilon(1e-9));
  }
}

TEST_CASE("few objects lower the perplexity; with fewer than five the metric does not apply") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(9, 3, rng), map = gaussian_points(9, 2, rng);
  const auto asked = NeighborRetrieval(map, rows_of(distances_between(points)), 20, executor()).at_mean_distances(),
             possible = NeighborRetrieval(map, rows_of(distances_between(points)), 4, executor()).at_mean_distances();
  CHECK(asked.misses == possible.misses);
  const Observations four = apart(distances_between(points.topRows(4)));
  for (const char* name : {"smoothed_precision", "rank_smoothed_recall", "nerv_cost"}) {
    CAPTURE(name);
    CHECK(std::isnan(metric(name, map.topRows(4), four)));
    CHECK(std::isfinite(metric(name, map, apart(distances_between(points)))));
  }
}

TEST_CASE("above 5000 objects a fixed sample of rows gives nearly the same values") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(5200, 3, rng);
  Observations data;
  data.name = "many";
  data.objects.resize(5200, "x");
  data.features = std::make_shared<const FeatureMatrix>(points.cast<float>());
  const DissimilarityRows rows(data, "a test");
  const Matrix map = points.leftCols(2);
  const NeighborRetrieval first(map, rows, 20, executor());
  const auto result = first.at_scale(1), again = NeighborRetrieval(map, rows, 20, executor()).at_scale(1);
  CHECK(result.misses == again.misses);

  // Threads change no bit.
  const NeighborRetrieval alone(map, rows, 20, executor(1));
  CHECK(alone.at_scale(1).misses == result.misses);
  CHECK(alone.at_scale(1).false_neighbors == result.false_neighbors);
  CHECK(alone.least_cost(0.3) == first.least_cost(0.3));
  const RankRetrieval a = alone.by_ranks(), b = first.by_ranks();
  CHECK(a.precision == b.precision);
  CHECK(a.recall == b.recall);
  Observations fewer = data;
  fewer.objects.resize(5000);
  fewer.features = std::make_shared<const FeatureMatrix>(points.topRows(5000).cast<float>());
  const auto whole =
      NeighborRetrieval(map.topRows(5000), DissimilarityRows(fewer, "a test"), 20, executor()).at_scale(1);
  CHECK(result.misses == doctest::Approx(whole.misses).epsilon(0.05));
  CHECK(result.false_neighbors == doctest::Approx(whole.false_neighbors).epsilon(0.05));
}

TEST_CASE("metrics of neighbours and distances take features or one complete matrix of dissimilarities") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(70, 4, rng), map = points.leftCols(2);
  const Observations matrix = apart(distances_between(points));
  Observations features = matrix;
  features.dissimilarities.clear();
  features.features = std::make_shared<const FeatureMatrix>(points.cast<float>());
  for (const char* name : {"smoothed_precision", "smoothed_recall", "rank_smoothed_precision", "rank_smoothed_recall",
                           "nerv_cost", "nerv_cost_10", "nerv_cost_90", "trustworthiness", "continuity",
                           "trustworthiness_20", "continuity_20", "distance_rank_correlation"}) {
    CAPTURE(name);
    const double of_matrix = metric(name, map, matrix);
    CHECK(std::isfinite(of_matrix));
    CHECK(metric(name, map, features) == doctest::Approx(of_matrix).epsilon(1e-4));
    Observations several = matrix;
    several.dissimilarities.push_back(several.dissimilarities.front());
    CHECK(std::isnan(metric(name, map, several)));
    Observations gaps = matrix;
    gaps.dissimilarities.front().weights = Matrix::Ones(70, 70);
    CHECK(metric(name, map, gaps) == of_matrix);
    gaps.dissimilarities.front().weights(3, 5) = 0;
    CHECK(std::isnan(metric(name, map, gaps)));
    Observations lopsided = matrix;
    lopsided.dissimilarities.front().values(1, 2) *= 1.1;
    CHECK(std::isnan(metric(name, map, lopsided)));
  }
  CHECK(metric("nerv_cost_10", map, matrix) ==
        NeighborRetrieval(map, rows_of(distances_between(points)), 20, executor()).least_cost(0.1));
  CHECK(metric("nerv_cost", map, matrix) ==
        NeighborRetrieval(map, rows_of(distances_between(points)), 20, executor()).least_cost(0.5));
}

TEST_CASE("ten neighbours vote where one alone is wrong") {
  Matrix map(22, 1);
  Observations data;
  for (Index i = 0; i < 22; ++i) {
    map(i, 0) = i < 11 ? 0.01 * static_cast<double>(i) : 5 + 0.01 * static_cast<double>(i);
    data.objects.push_back(std::to_string(i));
    data.labels.emplace_back(i < 11 ? "a" : "b");
  }
  data.labels[5] = "b";  // its neighbours are wrong because of it, or with ten neighbours it alone
  CHECK(metric("knn_accuracy_10", map, data) == 21.0 / 22);
  CHECK(metric("knn_accuracy", map, data) < 21.0 / 22);
}

}  // namespace neighbor_retrieval_test
