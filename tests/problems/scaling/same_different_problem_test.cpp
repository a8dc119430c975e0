// The likelihood of judgements as same or different. Maps of them are in tests/solvers/smooth/same_different_fit_test.cpp.
#include <doctest/doctest.h>

#include <cmath>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"

namespace same_different_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261128;
constexpr double kLapse = 0.04;

Problem make(const Observations& observations, const std::string& text = "{}") {
  return problem_catalog().at("same_different").make(observations, *value_from_text(text).get_if<ValueTable>());
}

/// The negative log-likelihood per typical count, by its definition.
double by_definition(const Observations& data, const Point& x, bool gaussian, double lambda) {
  const Matrix &D = data.dissimilarities[0].values, &W = data.dissimilarities[0].weights;
  const double level = 1 / (1 + std::exp(-x.block(1)(0, 0)));
  double out = 0, sum = 0, squares = 0;
  for (Index i = 0; i < D.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      const double d = (x.block(0).row(i) - x.block(0).row(j)).norm();
      const double kernel = gaussian ? std::exp(-d * d) : std::exp(0.01 - std::sqrt(d * d + 1e-4));
      const double p = kLapse / 2 + (1 - kLapse) * level * kernel;
      out -= W(i, j) * ((1 - D(i, j)) * std::log(p) + D(i, j) * std::log(1 - p));
      sum += W(i, j), squares += W(i, j) * W(i, j);
    }
  return out / (squares / sum) + lambda * x.block(0).squaredNorm();
}

TEST_CASE("the value is the likelihood of the answers, the gradient the value's, threads change no bit") {
  Rng rng(kSeed);
  const Observations data = same_different_answers(gaussian_points(70, 2, rng), 20, 1, rng);
  for (const bool gaussian : {false, true}) {
    CAPTURE(gaussian);
    const Problem problem = make(data, gaussian ? "{ kernel = gaussian, lambda = 0.5 }" : "{ lambda = 0.5 }");
    const Point x = problem.domain()->random(rng);
    Executor executor;
    Evaluation evaluation(executor);
    CHECK(problem.face<SmoothFace>().value(x, evaluation) ==
          doctest::Approx(by_definition(data, x, gaussian, 0.5)).epsilon(1e-5));  // counts to 24 bits
    check_gradient(problem, x, rng);
    check_thread_independence(problem, x);
  }
}

TEST_CASE("what is no share of answers is refused") {
  Observations data = of_dissimilarities(2 * (Matrix::Ones(4, 4) - Matrix::Identity(4, 4)));
  CHECK_THROWS_AS(static_cast<void>(make(data)), DataError);
  data.dissimilarities[0].values /= 2;
  CHECK_NOTHROW(static_cast<void>(make(data)));
  data.dissimilarities[0].weights = Matrix::Zero(4, 4);
  CHECK_THROWS_AS(static_cast<void>(make(data)), DataError);
  data.dissimilarities[0].weights(2, 1) = data.dissimilarities[0].weights(1, 2) = 3;
  CHECK(make(data).notes().size() == 1);
  CHECK_THROWS_AS(static_cast<void>(make(of_features(Matrix::Identity(5, 3)))), DataError);
}

}  // namespace
}  // namespace same_different_problem_test
