#include <doctest/doctest.h>

#include <cmath>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/wave_features.hpp"

namespace weighted_ete_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

Observations gaussian(Index n, Index p, Rng& rng) { return of_features(gaussian_points(n, p, rng).cast<float>()); }

const std::vector<std::string> kVariants = {
    "{ precision = double }",
    "{ precision = double, weights = exponential, t = 3, lambda0 = 0.001 }",
    "{ precision = double, weights = uniform, t = 1.5, t_prime = 1.5, n_components = 3 }",
    "{ precision = double, n_components = 1, n_inliers = 3, n_outliers = 20, lambda0 = 0 }",
    "{ precision = double, t_prime = 1, n_components = 5 }",
    "{ precision = double, triplets = drawn, n_inliers = 4, lambda0 = 0.001 }",
};

TEST_CASE("the gradient is the value's, the terms add up, threads change no bit") {
  for (const std::string& variant : kVariants) {
    CAPTURE(variant);
    Rng rng = Rng::stream(kSeed, variant);
    const Problem problem = made("weighted_ete", gaussian(70, 4, rng), variant);
    Point x = problem.domain()->random(rng);
    x.vector() *= 2;
    check_gradient(problem, x, rng);
    check_finite_sum(problem, x);
    check_thread_independence(problem, x);
  }
}

TEST_CASE("any number of threads makes the same problem") {
  Rng rng(kSeed);
  const Observations wide = gaussian(1500, 12, rng), narrow = gaussian(1500, 3, rng);
  for (const Observations* observations : {&wide, &narrow})
    for (const char* variant : {"{}", "{ triplets = drawn }", "{ neighbors = approximate }"}) {
      CAPTURE(variant);
      const auto value_by = [&](int threads) {
        Executor executor(threads);
        const Problem problem = problem_catalog()
                                    .at("weighted_ete")
                                    .make(*observations, *value_from_text(variant).get_if<ValueTable>(), executor);
        Rng of_start(3);
        Executor alone;
        Evaluation evaluation(alone);
        const Point x = std::get<Point>(problem.start(of_start));
        return std::pair(x.vector().eval(), problem.face<SmoothFace>().value(x, evaluation));
      };
      const auto one = value_by(1), three = value_by(3);
      CHECK(one.first == three.first);
      CHECK(one.second == three.second);
    }
}

TEST_CASE("single precision agrees within its accuracy, also for many objects in several chunks, on threads") {
  Rng rng(kSeed);
  const Observations observations = gaussian(1500, 4, rng);
  const Problem exact = made("weighted_ete", observations, "{ precision = double }"),
                single = made("weighted_ete", observations);
  const Point x = exact.domain()->random(rng);
  check_thread_independence(single, x);
  Executor executor;
  Evaluation evaluation(executor);
  Point want = exact.domain()->zero(), got = want, terms = want;
  const double value = exact.face<SmoothFace>().value_and_gradient(x, want, evaluation);
  CHECK(close(single.face<SmoothFace>().value_and_gradient(x, got, evaluation), value, kSinglePrecision));
  CHECK(all_close(got.flat(), want.flat(), kSinglePrecision));
  const TermIndex count = single.face<FiniteSumFace>().term_count();
  CHECK(count == 1500);
  CHECK(close(single.face<FiniteSumFace>().add_terms(x, 0, count, terms), value, kSinglePrecision));
  CHECK(all_close(terms.flat(), want.flat(), kSinglePrecision));
}

TEST_CASE("the start is the principal components, the first of standard deviation init_scale") {
  Rng rng(kSeed);
  Matrix points = gaussian_points(200, 3, rng);
  points.col(1) *= 5;
  points.col(2) *= 3;
  const Problem problem = made("weighted_ete", of_features(points.cast<float>()), "{ init_scale = 0.5 }");
  Rng one(1), other(2);
  const Point x = std::get<Point>(problem.start(one));
  CHECK(same_bits(x.flat(), std::get<Point>(problem.start(other)).flat()));
  const Matrix map = x.block(0);
  CHECK(map.col(0).mean() == doctest::Approx(0).epsilon(1e-6));
  CHECK(std::sqrt(map.col(0).squaredNorm() / 200) == doctest::Approx(0.5));
  CHECK(std::abs(map.col(0).normalized().dot((points.col(1).array() - points.col(1).mean()).matrix().normalized())) >
        0.99);

  const Problem random = made("weighted_ete", of_features(points.cast<float>()), "{ start = random }");
  CHECK_FALSE(same_bits(std::get<Point>(random.start(one)).flat(), std::get<Point>(random.start(other)).flat()));

  // One feature, two dimensions: the second must not stay a line for ever.
  const Problem thin = made("weighted_ete", of_features(points.leftCols(1).cast<float>()));
  const Matrix start = std::get<Point>(thin.start(one)).block(0);
  CHECK(start.col(1).norm() > 0);
  CHECK(start.col(1).norm() < 0.1 * start.col(0).norm());
}

TEST_CASE("odd features are accepted: few objects, duplicates, one feature, a constant one") {
  Rng rng(kSeed);
  FeatureMatrix twice = gaussian_points(40, 3, rng).cast<float>();
  for (Index i = 0; i < 40; ++i) twice.row(i) = twice.row(i % 4).eval();
  FeatureMatrix idle = gaussian_points(40, 3, rng).cast<float>();
  idle.col(1).setConstant(7);
  for (const FeatureMatrix& X : {FeatureMatrix(gaussian_points(3, 5, rng).cast<float>()), twice, idle,
                                 FeatureMatrix(gaussian_points(25, 1, rng).cast<float>())})
    for (const std::string& variant : kVariants) {
      CAPTURE(variant);
      CAPTURE(X.rows());
      const Problem problem = made("weighted_ete", of_features(X), variant);
      Point x = std::get<Point>(problem.start(rng)), gradient = x;
      Executor executor;
      Evaluation evaluation(executor);
      CHECK(std::isfinite(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation)));
      CHECK(std::isfinite(largest_entry(gradient.flat())));
      CHECK_FALSE(problem.notes().empty());
    }
}

TEST_CASE("new objects are placed among their like, and those of the map at their own places") {
  Rng rng = Rng::stream(kSeed, "placement");
  // Four clusters in six dimensions.
  const auto clusters = [&](Index n) {
    FeatureMatrix X = gaussian_points(n, 6, rng).cast<float>();
    for (Index i = 0; i < n; ++i) X(i, i % 4) += 9;
    return X;
  };
  const FeatureMatrix X = clusters(160), fresh = clusters(40);
  const Problem problem = made("weighted_ete", of_features(X), "{ placement = true }");
  Point x = std::get<Point>(problem.start(rng));
  for (Index i = 0; i < 160; ++i)  // a map that keeps the clusters
    x.block(0).row(i) << (i % 4 < 2 ? 5 : 0) + 0.3 * static_cast<double>(X(i, 4)),
        (i % 2 == 0 ? 5 : 0) + 0.3 * static_cast<double>(X(i, 5));
  const auto projector = problem.decode(x).projector;
  REQUIRE(projector);
  const Matrix Y = x.block(0), got = projector->project(fresh);
  CHECK(projector->project(X) == Y);
  for (Index i = 0; i < 40; ++i) {
    Index nearest = 0;
    (Y.rowwise() - got.row(i)).rowwise().squaredNorm().minCoeff(&nearest);
    CAPTURE(i);
    CHECK(nearest % 4 == i % 4);
  }
  // Whoever comes with it, and also by what its description makes again.
  CHECK(projector->project(fresh.middleRows(7, 1)) == got.middleRows(7, 1));
  CHECK(projector_from(projector->description())->project(fresh) == got);
  for (const char* key : {"t", "weights", "sigma", "features", "map", "inliers"}) {
    ValueTable bad = projector->description();
    bad.erase(key);
    CHECK_THROWS_AS(static_cast<void>(projector_from(bad)), DataError);
  }
  CHECK_FALSE(made("weighted_ete", of_features(X)).decode(x).projector);
  // Of few objects too.
  const FeatureMatrix few = X.topRows(4);
  const Problem small = made("weighted_ete", of_features(few), "{ placement = true, n_components = 1 }");
  CHECK(small.decode(small.start(rng)).projector->project(fresh).allFinite());
}

TEST_CASE("data that cannot be reduced are refused in one line") {
  Rng rng(kSeed);
  CHECK_THROWS_AS(made("weighted_ete", gaussian_observations(10, 2, rng)), DataError);  // no features
  CHECK_THROWS_AS(made("weighted_ete", gaussian(2, 4, rng)), DataError);
  CHECK_THROWS_AS(made("weighted_ete", of_features(FeatureMatrix::Constant(20, 3, 1))), DataError);
  CHECK_THROWS_AS(made("weighted_ete", of_features(FeatureMatrix(20, 0))), DataError);
  FeatureMatrix X = gaussian_points(20, 3, rng).cast<float>();
  X(4, 1) = std::nanf("");
  CHECK_THROWS_AS(made("weighted_ete", of_features(X)), DataError);
  Observations short_of_names = gaussian(20, 3, rng);
  short_of_names.objects.pop_back();
  CHECK_THROWS_AS(made("weighted_ete", short_of_names), DataError);
  for (const char* bad : {"{ t = 0.5 }", "{ t_prime = 2.5 }", "{ n_inliers = 0 }", "{ weights = log }"})
    CHECK_THROWS_AS(made("weighted_ete", gaussian(20, 3, rng), bad), ConfigError);
}

double value_at(const Problem& problem, const Point& x) {
  Executor executor;
  Evaluation evaluation(executor);
  return problem.face<SmoothFace>().value(x, evaluation);
}

// Of 7 objects with 2 inliers and without random triplets, all others are outliers: nothing is drawn. The values are
// those of a NumPy program that follows [AW19]: sigma the mean distance to the 4th to 6th neighbour, inliers by
// |x_i - x_j|^2 / (sigma_i sigma_j), w = log_T(1 + zeta - min zeta) divided by its mean, loss d_ij / (d_ij + d_ik) with
// d = 1 + |y_i - y_j|^2.
TEST_CASE("trimap has the paper's weights and loss") {
  const std::pair<const char*, double> kByTemperature[] = {
      {"0.5", 31.716997199588}, {"1", 31.707928768473444}, {"0", 31.726675392364832}, {"0.25", 31.72176130588631}};
  for (const auto& [temperature, value] : kByTemperature) {
    CAPTURE(temperature);
    const Problem problem = made("trimap", wave_features(7, 3),
                                 std::string("{ n_inliers = 2, n_random = 0, precision = double, ") +
                                     "weight_temperature = " + temperature + " }");
    Point x = problem.domain()->zero();
    place_on_waves(x);
    CHECK(problem.face<FiniteSumFace>().term_count() == 7 * 2 * 4);
    CHECK(value_at(problem, x) == doctest::Approx(value).epsilon(1e-6));
  }
}

TEST_CASE("trimap keeps what every problem promises, with any number of threads") {
  Rng rng(kSeed);
  const Observations data = gaussian(70, 4, rng);
  for (const char* variant : {"{ precision = double }", "{ precision = double, n_components = 3, n_random = 0 }",
                              "{ precision = double, n_inliers = 4, n_outliers = 9, weight_temperature = 1 }"}) {
    CAPTURE(variant);
    const Problem problem = made("trimap", data, variant);
    Point x = problem.domain()->random(rng);
    check_gradient(problem, x, rng);
    check_finite_sum(problem, x);
    check_thread_independence(problem, x);
  }
  CHECK(made("trimap", data).face<FiniteSumFace>().term_count() == 70 * (12 * 4 + 3));
  CHECK(value_at(made("trimap", data), made("trimap", data).domain()->zero()) ==
        doctest::Approx(0.5 * 70 * (12 * 4 + 3)));  // every loss is 1/2 at one place, and weights have mean 1
  const Point x = std::get<Point>(made("trimap", data).start(rng));
  CHECK(value_at(made("trimap", data), x) == value_at(made("trimap", data), x));
  CHECK(value_at(made("trimap", data), x) != value_at(made("trimap", data, "{ seed = 2 }"), x));
}

TEST_CASE("trimap places new objects among their like, and by its description in the same places") {
  Rng rng = Rng::stream(kSeed, "placement by trimap");
  const auto clusters = [&](Index n) {
    FeatureMatrix X = gaussian_points(n, 5, rng).cast<float>();
    for (Index i = 0; i < n; ++i) X(i, i % 2) += 12;
    return X;
  };
  const FeatureMatrix X = clusters(80), fresh = clusters(20);
  const Problem problem = made("trimap", of_features(X), "{ placement = true, weight_temperature = 0.25 }");
  Point x = std::get<Point>(problem.start(rng));
  for (Index i = 0; i < 80; ++i)
    x.block(0).row(i) << (i % 2 == 0 ? 9 : 0) + 0.3 * static_cast<double>(X(i, 2)), static_cast<double>(X(i, 3));
  const auto projector = problem.decode(x).projector;
  REQUIRE(projector);
  const Matrix got = projector->project(fresh);
  for (Index i = 0; i < 20; ++i) CHECK((got(i, 0) > 4.5) == (i % 2 == 0));
  const ValueTable description = projector->description();
  CHECK(projector_from(description)->project(fresh) == got);
  ValueTable other = description;
  other.set("temperature", 1.0);
  CHECK(projector_from(other)->project(fresh) != got);
  // A description that names neither is of weighted_ete.
  other.erase("temperature");
  other.erase("sigma_count");
  CHECK(projector_from(other)->project(fresh).allFinite());
}

TEST_CASE("trimap takes few objects, copies and one feature, and refuses in one line what has no triplets") {
  Rng rng(kSeed);
  FeatureMatrix twice = gaussian_points(40, 3, rng).cast<float>();
  for (Index i = 0; i < 40; ++i) twice.row(i) = twice.row(i % 4).eval();
  for (const FeatureMatrix& X : {FeatureMatrix(gaussian_points(3, 5, rng).cast<float>()), twice,
                                 FeatureMatrix(gaussian_points(25, 1, rng).cast<float>())}) {
    CAPTURE(X.rows());
    const Problem problem = made("trimap", of_features(X));
    Point x = std::get<Point>(problem.start(rng)), gradient = x;
    Executor executor;
    Evaluation evaluation(executor);
    CHECK(std::isfinite(problem.face<SmoothFace>().value_and_gradient(x, gradient, evaluation)));
    CHECK(gradient.vector().allFinite());
  }
  CHECK_THROWS_WITH_AS(made("trimap", gaussian(2, 4, rng)), doctest::Contains("at least 3 objects"), DataError);
  CHECK_THROWS_WITH_AS(made("trimap", of_features(FeatureMatrix::Constant(20, 3, 1))), doctest::Contains("equal"),
                       DataError);
  CHECK_THROWS_WITH_AS(made("trimap", gaussian_observations(10, 2, rng)), doctest::Contains("trimap needs features"),
                       DataError);
  CHECK_THROWS_AS(made("trimap", gaussian(20, 3, rng), "{ n_outliers = 0 }"), ConfigError);
}

}  // namespace
}  // namespace weighted_ete_problem_test
