#include <doctest/doctest.h>

#include <cmath>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/distances/weight_laplacian.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"

namespace stress_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

const std::vector<std::pair<std::string, std::string>> kVariants = {
    {"mds", "{}"},
    {"mds", "{ weights = inverse_power }"},
    {"mds", "{ weights = inverse_power, power = 0.5, n_components = 3 }"},
    {"mds", "{ n_components = 1 }"},
    {"sammon", "{}"},
};

/// Stress by its definition. x: n x d. `known`: weights, of which pairs of weight 0 do not count.
double stress_by_definition(const std::string& problem, double power, const Matrix& delta, const Matrix& x,
                            const Matrix& known) {
  double sum = 0, whole = 0;
  for (Index i = 0; i < delta.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      if (known(i, j) == 0) continue;
      whole += delta(i, j);
      if (power > 0 && delta(i, j) == 0) continue;
      sum += std::pow(delta(i, j) - (x.row(i) - x.row(j)).norm(), 2) / std::pow(delta(i, j), power);
    }
  return problem == "sammon" ? sum / whole : sum;
}

TEST_CASE("stress is its definition, the gradient the value's, threads change no bit") {
  CAPTURE(kSeed);
  for (const bool lacking : {false, true}) {
    for (const auto& [name, options] : kVariants) {
      CAPTURE(name);
      CAPTURE(options);
      CAPTURE(lacking);
      Rng rng = Rng::stream(kSeed, options);
      const Matrix delta = random_dissimilarities(70, rng);
      Observations data = of_dissimilarities(delta);
      Matrix known = Matrix::Ones(70, 70);
      for (Index i = 0; i < 70 && lacking; ++i) known(i, (i + 7) % 70) = known((i + 7) % 70, i) = 0;
      if (lacking) data.dissimilarities.front().weights = known;
      const Problem problem = made(name, data, options);
      const Point x = problem.domain()->random(rng);
      Executor executor;
      Evaluation evaluation(executor);
      const double power = name == "sammon"                               ? 1
                           : options.find("0.5") != std::string::npos     ? 0.5
                           : options.find("inverse") != std::string::npos ? 2
                                                                          : 0;
      const auto [unit, objective, rounding] = problem.unit_factors();
      CHECK(objective * problem.face<SmoothFace>().value(x, evaluation) ==
            doctest::Approx(stress_by_definition(name, power, delta, unit * x.block(0), known)).epsilon(1e-12));
      check_gradient(problem, x, rng);
      check_thread_independence(problem, x);
    }
  }
}

TEST_CASE("the Guttman transform minimises a bound that touches stress, and stress never rises") {
  for (const auto& [name, options] : kVariants) {
    CAPTURE(name);
    CAPTURE(options);
    Rng rng = Rng::stream(kSeed, options);
    const Matrix delta = random_dissimilarities(25, rng);
    const Problem problem = made(name, of_dissimilarities(delta), options);
    double whole = 0;
    for (Index i = 0; i < 25; ++i)
      for (Index j = 0; j < i; ++j) whole += delta(i, j);
    const double power = name == "sammon"                               ? 1
                         : options.find("0.5") != std::string::npos     ? 0.5
                         : options.find("inverse") != std::string::npos ? 2
                                                                        : 0;
    const auto [unit, objective, rounding] = problem.unit_factors();
    const double scale = (name == "sammon" ? 1 / whole : 1) / objective;
    // delta^2 + d(y)^2 - 2 delta (y_i - y_j)'(x_i - x_j) / d(x) >= (delta - d(y))^2, by Cauchy and Schwarz.
    const auto surrogate = [&](const Point& y, const Point& x) {
      double sum = 0;
      for (Index i = 0; i < 25; ++i)
        for (Index j = 0; j < i; ++j) {
          const Vector a = unit * (x.block(0).row(i) - x.block(0).row(j));
          const Vector b = unit * (y.block(0).row(i) - y.block(0).row(j));
          const double w = scale / std::pow(delta(i, j), power);
          sum += w * (delta(i, j) * delta(i, j) + b.squaredNorm() - 2 * delta(i, j) * a.dot(b) / a.norm());
        }
      return sum;
    };
    const Point x = problem.domain()->random(rng);
    check_majorizer(problem, x, surrogate, 30, rng);
  }
}

TEST_CASE("for points in the plane the classical start has no stress") {
  Rng rng(kSeed);
  const Matrix X = gaussian_points(60, 2, rng);
  for (const char* name : {"mds", "sammon", "cca", "local_mds"}) {
    CAPTURE(name);
    const Problem problem = made(name, of_features(X));
    Executor executor;
    Evaluation evaluation(executor);
    const Solution classical = problem.start(rng);
    CHECK(problem.objective(classical, evaluation) <
          1e-9 * problem.objective(problem.start_named("random", rng), evaluation));
    CHECK_THROWS_AS(static_cast<void>(problem.start_named("pca", rng)), ConfigError);
  }
  const Problem mds = made("mds", of_features(X));
  const Embedding map = mds.decode(mds.start(rng));
  REQUIRE(map.estimates.size() == 3);
  CHECK(map.estimates[1].first == "stress_1");
  CHECK(map.estimates[1].second < 1e-5);
  // At twice the size: every distance is twice what it should be.
  Solution twice = mds.start(rng);
  std::get<Point>(twice).vector() *= 2;
  const Embedding large = mds.decode(twice);
  CHECK(large.estimates[1].second == doctest::Approx(0.5).epsilon(1e-5));
  CHECK(large.estimates[2].second < 1e-4);
}

TEST_CASE(
    "duplicates and features on a line: no weight for pairs at 0, a start that can leave the "
    "line") {
  Rng rng(kSeed);
  Matrix X = Matrix::Zero(12, 2);
  for (Index i = 0; i < 12; ++i) X(i, 0) = static_cast<double>(i / 2);
  const Problem sammon = made("sammon", of_features(X));
  REQUIRE(sammon.notes().size() == 1);
  CHECK(sammon.notes()[0].find("6 pairs") != std::string::npos);
  const Solution start = sammon.start(rng);
  const Point& x = std::get<Point>(start);
  CHECK(x.block(0).col(1).cwiseAbs().maxCoeff() > 0);
  CHECK(x.block(0).col(1).cwiseAbs().maxCoeff() < 0.02);
  Executor executor;
  Evaluation evaluation(executor);
  Point gradient = sammon.domain()->zero();
  CHECK(std::isfinite(sammon.face<SmoothFace>().value_and_gradient(x, gradient, evaluation)));
  CHECK(gradient.vector().allFinite());
  // All of a map at one place: nothing pulls, and nothing is NaN.
  Point origin = sammon.domain()->zero();
  CHECK(sammon.unit_factors().objective * sammon.face<SmoothFace>().value_and_gradient(origin, gradient, evaluation) ==
        doctest::Approx(1));
  CHECK(gradient.vector().isZero());
  for (const char* name : {"mds", "sammon", "cca", "local_mds", "classical_mds", "isomap"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(static_cast<void>(made(name, of_features(Matrix::Ones(6, 3)))), DataError);
  }
}

TEST_CASE("more dimensions than objects are allowed") {
  Rng rng(kSeed);
  for (const char* name : {"mds", "sammon", "cca", "local_mds"}) {
    CAPTURE(name);
    const Problem problem = made(name, of_features(gaussian_points(4, 2, rng)), "{ n_components = 6 }");
    const Solution start = problem.start(rng);
    CHECK(std::get<Point>(start).block(0).cols() == 6);
    CHECK(std::get<Point>(start).vector().allFinite());
  }
}

TEST_CASE("solvers see the same numbers in any unit of the data, and Sammon's map as curved as that of stress") {
  Rng rng(kSeed);
  const Matrix delta = random_dissimilarities(30, rng);
  for (const char* name : {"mds", "sammon", "cca", "local_mds"}) {
    CAPTURE(name);
    const Problem usual = made(name, of_dissimilarities(delta));
    const Point x = usual.domain()->random(rng);
    Executor executor;
    Evaluation evaluation(executor);
    Point gradient = usual.domain()->zero(), again = gradient;
    const double value = usual.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
    // The steepest descent would go a place of its own for each object, about as far as the objects are apart.
    CHECK(gradient.vector().cwiseAbs().maxCoeff() > (std::string(name) == "cca" ? 0.01 : 1));
    const Problem other = made(name, of_dissimilarities(1024 * delta));
    CHECK(other.face<SmoothFace>().value_and_gradient(x, again, evaluation) == value);
    CHECK(again.vector() == gradient.vector());
    CHECK(other.decode(x).only() == 1024 * usual.decode(x).only());
  }
}

TEST_CASE("the pseudo-inverse of a Laplacian of two parts") {
  Rng rng(kSeed);
  Matrix weights = Matrix::Zero(9, 9);
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < i; ++j)
      if ((i < 5) == (j < 5)) weights(i, j) = weights(j, i) = 0.1 + rng.uniform01();
  Matrix V = -weights;
  V.diagonal() = weights.rowwise().sum();
  const Matrix x = gaussian_points(9, 2, rng);
  const Matrix got = WeightLaplacian(weights).solve(V * x);
  Matrix expected = x;
  expected.topRows(5).rowwise() -= x.topRows(5).colwise().mean().eval();
  expected.bottomRows(4).rowwise() -= x.bottomRows(4).colwise().mean().eval();
  CHECK((got - expected).norm() < 1e-12);
}

}  // namespace
}  // namespace stress_problem_test
