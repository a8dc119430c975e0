#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "problems/catalog.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/stages.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"

namespace local_mds_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

Problem make(const Observations& observations, const std::string& text, const std::string& name = "local_mds") {
  return problem_catalog().at(name).make(observations, *value_from_text(text).get_if<ValueTable>());
}

/// The distance of each object to its k-th nearest, by sorting.
std::vector<double> radii_of(const Matrix& delta, Index k) {
  std::vector<double> out;
  for (Index i = 0; i < delta.rows(); ++i) {
    std::vector<double> row;
    for (Index j = 0; j < delta.rows(); ++j)
      if (j != i) row.push_back(delta(i, j));
    std::ranges::sort(row);
    out.push_back(row[static_cast<std::size_t>(k - 1)]);
  }
  return out;
}

/// The integral of 2 (s - delta) [s < sigma] from delta to d, exactly: a parabola between the bounds that count.
double false_cost(double delta, double d, double sigma) {
  const auto parabola = [&](double s) { return (s - delta) * (s - delta); };
  return parabola(std::min(d, sigma)) - parabola(std::min(delta, sigma));
}

double value_of(const Problem& problem, const Point& x) {
  Executor executor;
  Evaluation evaluation(executor);
  return problem.face<SmoothFace>().value(x, evaluation);
}

TEST_CASE("the objective is the sum over all pairs, the gradient the published update, on threads") {
  CAPTURE(kSeed);
  constexpr Index kCount = 40, kNear = 6;
  for (const double lambda : {0.0, 0.3, 1.0}) {
    CAPTURE(lambda);
    Rng rng = Rng::stream(kSeed, "sum", lambda > 0);
    const Matrix data = random_dissimilarities(kCount, rng);
    const Problem problem = make(of_dissimilarities(data),
                                 fmt::format("{{ lambda = {}, n_neighbors = {}, n_components = 3 }}", lambda, kNear));
    const Matrix delta = data / problem.unit_factors().map;
    const std::vector<double> sigma = radii_of(delta, kNear);
    const Point x = problem.domain()->random(rng);
    double expected = 0;
    Matrix published = Matrix::Zero(kCount, 3);
    for (Index i = 0; i < kCount; ++i)
      for (Index j = 0; j < kCount; ++j) {
        if (i == j) continue;
        const Eigen::RowVectorXd apart = x.block(0).row(i) - x.block(0).row(j);
        const double d = apart.norm(), s = sigma[static_cast<std::size_t>(i)];
        const double near_in_data = delta(i, j) <= s ? lambda : 0.0;
        expected += 0.5 * near_in_data * (delta(i, j) - d) * (delta(i, j) - d) +
                    0.5 * (1 - lambda) * false_cost(delta(i, j), d, s);
        // Both objects of a pair move along (d - delta) F.
        const double weight = near_in_data + (d < s ? 1 - lambda : 0.0);
        published.row(i) += weight * (d - delta(i, j)) / d * apart;
        published.row(j) -= weight * (d - delta(i, j)) / d * apart;
      }
    Executor executor;
    Evaluation evaluation(executor);
    Point gradient = problem.domain()->zero();
    CHECK(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation) ==
          doctest::Approx(expected).epsilon(1e-12));
    CHECK((gradient.block(0) - published).norm() < 1e-12 * published.norm());
    check_gradient(problem, x, rng);
    check_thread_independence(problem, x);
  }
}

TEST_CASE("with all others as neighbours and lambda = 1 it is stress, and so is the first stage") {
  Rng rng(kSeed);
  const Observations data = of_dissimilarities(random_dissimilarities(25, rng));
  const Problem stress = make(data, "{}", "mds");
  const Problem all = make(data, "{ lambda = 1, n_neighbors = 24 }");
  const Problem local = make(data, "{ lambda = 1, n_neighbors = 5, n_stages = 5 }");
  const Point x = all.domain()->random(rng);
  CHECK(value_of(all, x) == doctest::Approx(value_of(stress, x)));
  CHECK(local.face<StagesFace>().stage_count() == 5);
  CHECK(value_of(local.face<StagesFace>().stage(0, x), x) == doctest::Approx(value_of(stress, x)));
  CHECK(value_of(local.face<StagesFace>().stage(4, x), x) == value_of(local, x));
  // In between fewer and fewer pairs count.
  for (Index k = 0; k < 4; ++k)
    CHECK(value_of(local.face<StagesFace>().stage(k, x), x) >= value_of(local.face<StagesFace>().stage(k + 1, x), x));
}

TEST_CASE("a map equal to the data costs nothing; a diverging map costs, and infinity is not hidden") {
  Rng rng(kSeed);
  const Matrix X = gaussian_points(30, 2, rng);
  for (const char* options : {"{ lambda = 0, n_neighbors = 5 }", "{ lambda = 0.5, n_neighbors = 5 }"}) {
    CAPTURE(options);
    const Problem problem = make(of_dissimilarities(distances_between(X)), options);
    Point x = problem.domain()->zero();
    x.block(0) = X / problem.unit_factors().map;
    CHECK(value_of(problem, x) < 1e-12);
    double before = 1e-6;
    for (const double scale : {1.5, 4.0, 100.0}) {
      x.block(0) = scale / problem.unit_factors().map * X;
      CHECK(value_of(problem, x) > before * (1 - 1e-12));
      before = value_of(problem, x);
    }
    x.flat()[3] = std::numeric_limits<double>::infinity();
    CHECK_FALSE(std::isfinite(value_of(problem, x)));
  }
}

TEST_CASE("duplicates, and more neighbours than objects, are accepted") {
  Rng rng(kSeed);
  Matrix X = gaussian_points(12, 2, rng);
  for (Index i = 0; i < 8; ++i) X.row(i) = X.row(0);  // radii of 0
  for (const char* options : {"{ n_neighbors = 3 }", "{ n_neighbors = 100 }"}) {
    CAPTURE(options);
    const Problem problem = make(of_features(X), options);
    Executor executor;
    Evaluation evaluation(executor);
    Point gradient = problem.domain()->zero();
    const Point x = std::get<Point>(problem.start_named("random", rng));
    for (Index k = 0; k < problem.face<StagesFace>().stage_count(); ++k) {
      const Problem stage = problem.face<StagesFace>().stage(k, x);
      CHECK(std::isfinite(stage.face<SmoothFace>().value_and_gradient(x, gradient, evaluation)));
      CHECK(gradient.vector().allFinite());
    }
  }
}

}  // namespace
}  // namespace local_mds_problem_test
