// Non-metric MDS against isotonic regression by its minimax formula, and maps of which only the order is known.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/majorizer.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"

namespace nonmetric_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261128;

Problem make(const Observations& observations, const std::string& text = "{}") {
  return problem_catalog().at("nonmetric_mds").make(observations, *value_from_text(text).get_if<ValueTable>());
}

struct JudgedPair {
  double delta, distance;
};

/// Stress-1 squared: disparity k is the maximum over a <= k of the minimum over b >= k of the mean of d_a, ..., d_b.
double stress_by_definition(const Matrix& delta, const Matrix& x, bool primary) {
  std::vector<JudgedPair> pairs;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < i; ++j) pairs.push_back({delta(i, j), (x.row(i) - x.row(j)).norm()});
  std::ranges::sort(pairs, [](const JudgedPair& a, const JudgedPair& b) {
    return a.delta < b.delta || (a.delta == b.delta && a.distance < b.distance);
  });
  std::vector<double> mean, weight;  // of what is compared: pairs, or runs of ties
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (primary || k == 0 || pairs[k].delta > pairs[k - 1].delta) {
      mean.push_back(0);
      weight.push_back(0);
    }
    mean.back() = (mean.back() * weight.back() + pairs[k].distance) / (weight.back() + 1);
    ++weight.back();
  }
  double residual = 0, squares = 0;
  for (const JudgedPair& pair : pairs) squares += pair.distance * pair.distance;
  std::size_t at = 0;
  for (std::size_t k = 0; k < mean.size(); ++k) {
    double disparity = 0;
    for (std::size_t a = 0; a <= k; ++a) {
      double least = INFINITY, sum = 0, count = 0;
      for (std::size_t b = a; b < mean.size(); ++b) {
        sum += mean[b] * weight[b], count += weight[b];
        if (b >= k) least = std::min(least, sum / count);
      }
      disparity = std::max(disparity, least);
    }
    for (double p = 0; p < weight[k]; ++p, ++at) residual += std::pow(pairs[at].distance - disparity, 2);
  }
  return residual / squares;
}

/// Whole numbers up to `levels`, as people rate.
Matrix ratings(Index n, std::uint64_t levels, Rng& rng) {
  Matrix out = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) out(i, j) = out(j, i) = 1 + static_cast<double>(rng.below(levels));
  return out;
}

TEST_CASE("stress is its definition with either rule of ties, the gradient the value's, threads change no bit") {
  for (const bool primary : {true, false}) {
    CAPTURE(primary);
    Rng rng = Rng::stream(kSeed, "stress");
    const Matrix delta = ratings(14, 5, rng);
    const Problem problem = make(of_dissimilarities(delta), primary ? "{}" : "{ ties = secondary }");
    Executor executor;
    Evaluation evaluation(executor);
    for (int k = 0; k < 5; ++k) {
      const Point x = problem.domain()->random(rng);
      CHECK(problem.unit_factors().objective * problem.face<SmoothFace>().value(x, evaluation) ==
            doctest::Approx(stress_by_definition(delta, x.block(0), primary)).epsilon(1e-12));
      check_gradient(problem, x, rng);
      check_thread_independence(problem, x);
    }
  }
}

/// The point after so many Guttman transforms, none of which raises the objective.
Point majorized(const Problem& problem, const Solution& start, int steps) {
  Point x = std::get<Point>(start), next = x;
  Executor executor;
  Evaluation evaluation(executor);
  double before = INFINITY;
  for (int k = 0; k < steps; ++k) {
    const double value = problem.face<MajorizerFace>().minimize_majorizer(x, next, evaluation);
    CHECK(value <= before * (1 + 1e-12));
    before = value;
    std::swap(x, next);
  }
  return x;
}

TEST_CASE("the Guttman transform towards the disparities never raises stress") {
  Rng rng(kSeed);
  for (const char* ties : {"{}", "{ ties = secondary }"}) {
    const Problem problem = make(of_dissimilarities(ratings(15, 6, rng)), ties);
    const Solution start = problem.start_named("random", rng);
    Executor executor;
    Evaluation evaluation(executor);
    const double after = problem.face<SmoothFace>().value(majorized(problem, start, 100), evaluation);
    CHECK(after < 0.8 * problem.face<SmoothFace>().value(std::get<Point>(start), evaluation));
  }
}

TEST_CASE("the order of distances alone gives points of the plane back") {
  Rng rng(kSeed);
  const Matrix X = gaussian_points(25, 2, rng);
  const Matrix distances = distances_between(X), order = distances.array().pow(4);
  const Problem problem = make(of_dissimilarities(order));
  const Point x = majorized(problem, problem.start(rng), 500);
  const Embedding map = problem.decode(Solution(x));
  const Matrix found = distances_between(map.only());
  CHECK((found / found.norm()).cwiseProduct(distances / distances.norm()).sum() > 0.999);
  REQUIRE(map.estimates.size() == 1);
  CHECK(map.estimates.front().first == "stress_1");
  CHECK(map.estimates.front().second < 0.01);
  // Maps have the size of the data, and any other increasing function has the same stress.
  CHECK(found.norm() == doctest::Approx(order.norm()));
  const Problem other = make(of_dissimilarities(distances.array().exp().matrix() - Matrix::Ones(25, 25)));
  Executor executor;
  Evaluation evaluation(executor);
  CHECK(other.face<SmoothFace>().value(x, evaluation) == problem.face<SmoothFace>().value(x, evaluation));
}

TEST_CASE("all dissimilarities equal: any map has their order, and the problem says so") {
  const Matrix equal = Matrix::Ones(6, 6) - Matrix::Identity(6, 6);
  CHECK(make(of_dissimilarities(equal)).notes().size() == 1);
  CHECK(make(of_dissimilarities(equal), "{ ties = secondary }").notes().empty());
}

}  // namespace
}  // namespace nonmetric_problem_test
