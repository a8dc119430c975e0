#include <doctest/doctest.h>

#include <cmath>

#include "problems/catalog.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/stages.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"

namespace cca_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

Problem make(const Observations& observations, const std::string& text) {
  return problem_catalog().at("cca").make(observations, *value_from_text(text).get_if<ValueTable>());
}

double mean_of(const Matrix& delta) {
  const auto n = static_cast<double>(delta.rows());
  return delta.sum() / (n * (n - 1));
}

/// The integral of (s - delta) exp(-s / r) from delta to d by Simpson's rule.
double integral(double delta, double d, double r) {
  constexpr int kSteps = 400;
  const double h = (d - delta) / kSteps;
  double sum = 0;
  for (int k = 0; k <= kSteps; ++k) {
    const double s = delta + h * k;
    sum += (k == 0 || k == kSteps ? 1 : k % 2 == 1 ? 4 : 2) * (s - delta) * std::exp(-s / r);
  }
  return sum * h / 3;
}

TEST_CASE("the objective is the integral of the published update, the gradient its own, on threads") {
  CAPTURE(kSeed);
  for (const char* options : {"{ radius = 0.3 }", "{ radius = 2, n_components = 3 }"}) {
    CAPTURE(options);
    Rng rng = Rng::stream(kSeed, std::string(options));
    const Matrix data = random_dissimilarities(40, rng);
    const Problem problem = make(of_dissimilarities(data), options);
    CHECK(problem.unit_factors().map == doctest::Approx(mean_of(data)));
    const Matrix delta = data / problem.unit_factors().map;
    const double r = options[11] == '0' ? 0.3 : 2;
    const Point x = problem.domain()->random(rng);
    double expected = 0;
    Matrix published = Matrix::Zero(x.block(0).rows(), x.block(0).cols());
    for (Index i = 0; i < 40; ++i)
      for (Index j = 0; j < 40; ++j) {
        if (i == j) continue;
        const Eigen::RowVectorXd apart = x.block(0).row(i) - x.block(0).row(j);
        const double d = apart.norm();
        if (j < i) expected += integral(delta(i, j), d, r);
        published.row(i) += (d - delta(i, j)) * std::exp(-d / r) / d * apart;
      }
    Executor executor;
    Evaluation evaluation(executor);
    Point gradient = problem.domain()->zero();
    CHECK(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation) ==
          doctest::Approx(expected).epsilon(1e-6));
    CHECK((gradient.block(0) - published).norm() < 1e-12 * published.norm());
    check_gradient(problem, x, rng);
    check_thread_independence(problem, x);
  }
}

TEST_CASE("a diverging map is not rewarded, and infinite values are not hidden") {
  Rng rng(kSeed);
  const Matrix X = gaussian_points(30, 2, rng);
  Matrix delta(30, 30);
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 30; ++j) delta(i, j) = (X.row(i) - X.row(j)).norm();
  const Problem problem = make(of_dissimilarities(delta), "{ radius = 0.2 }");
  Executor executor;
  Evaluation evaluation(executor);
  Point x = problem.domain()->zero();
  x.block(0) = X / problem.unit_factors().map;
  double before = problem.face<SmoothFace>().value(x, evaluation);
  CHECK(before < 1e-12);
  for (const double scale : {1.5, 4.0, 100.0, 1e6}) {
    x.block(0) = scale / problem.unit_factors().map * X;
    const double now = problem.face<SmoothFace>().value(x, evaluation);
    CHECK(now > before);
    CHECK(std::isfinite(now));
    before = now * (1 - 1e-12);
  }
  x.flat()[3] = std::numeric_limits<double>::infinity();
  CHECK_FALSE(std::isfinite(problem.face<SmoothFace>().value(x, evaluation)));
}

TEST_CASE("the first stage is nearly stress, the last the problem itself") {
  Rng rng(kSeed);
  const Matrix delta = random_dissimilarities(30, rng);
  const Problem problem = make(of_dissimilarities(delta), "{ n_stages = 4 }");
  const Solution x = problem.start(rng);
  CHECK(problem.face<StagesFace>().stage_count() == 4);
  Executor executor;
  Evaluation evaluation(executor);
  const Problem last = problem.face<StagesFace>().stage(3, x);
  CHECK(last.objective(x, evaluation) == problem.objective(x, evaluation));
  const auto radius = [&](Index k) {
    return problem.unit_factors().map * problem.face<StagesFace>().stage(k, x).decode(x).estimates.front().second;
  };
  CHECK(radius(0) == doctest::Approx(delta.maxCoeff()));
  CHECK(radius(1) / radius(0) == doctest::Approx(radius(3) / radius(2)));
  CHECK(radius(3) == doctest::Approx(0.2 * mean_of(delta)));
  CHECK(problem.decode(x).estimates.front().second == doctest::Approx(radius(3)));
}

}  // namespace
}  // namespace cca_problem_test
