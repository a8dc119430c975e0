#include "problems/triplet/sampling_covariance.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>

#include "problems/catalog.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/evaluation.hpp"
#include "problems/core/executor.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/observation_makers.hpp"

namespace sampling_covariance_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using triplet::SamplingCovariance;
using Kind = SamplingCovariance::Kind;

constexpr std::uint64_t kSeed = 20261125;

/// A problem at a point that plain gradient steps have brought to a minimum.
struct Solved {
  Observations observations;
  Problem problem;
  Point x;
  std::unique_ptr<Executor> executor = std::make_unique<Executor>();
  std::unique_ptr<Evaluation> work = std::make_unique<Evaluation>(*executor);

  [[nodiscard]] Evaluation& evaluation() const { return *work; }
  [[nodiscard]] AnswerModel model() const { return *problem.answer_model(x, evaluation()); }
  [[nodiscard]] Matrix map() const { return problem.decode(x).only(); }
  [[nodiscard]] SamplingCovariance covariance(const Matrix& map, const AnswerModel& of) const {
    return SamplingCovariance({map, *observations.triplets, of});
  }
};

Solved solved(std::string_view name, std::string_view options, Index n, Index d, std::uint64_t answers) {
  Rng rng(kSeed);
  const Matrix truth = gaussian_points(n, d, rng);
  auto observations = observations_of(std::make_shared<TripletList>(triplets_of(truth, answers, 0.2, rng)));
  Problem problem = problem_catalog().at(name).make(observations, *value_from_text(options).get_if<ValueTable>());
  Solution start = problem.start(rng);
  Solved out{std::move(observations), std::move(problem), std::get<Point>(start)};
  for (Index i = 0; i < n; ++i) out.x.block(0).row(i) = truth.row(i);
  const auto& smooth = out.problem.face<SmoothFace>();
  Point gradient = out.x;
  double step = 1e-3;
  double value = smooth.value_and_gradient(out.x, gradient, out.evaluation());
  for (int k = 0; k < 20'000 && gradient.vector().norm() > 1e-7; ++k) {
    Point next = out.x, next_gradient = gradient;
    next.vector() -= step * gradient.vector();
    const double lower = smooth.value_and_gradient(next, next_gradient, out.evaluation());
    if (lower <= value) {
      out.x = next;
      gradient = next_gradient;
      value = lower;
      step *= 1.2;
    } else {
      step /= 3;
    }
  }
  return out;
}

/// The Hessian by differences of the problem's gradient, over all coordinates.
Eigen::MatrixXd hessian_of(Solved& s) {
  const auto& smooth = s.problem.face<SmoothFace>();
  const Index size = s.x.vector().size();
  Eigen::MatrixXd out(size, size);
  Point above = s.x, below = s.x;
  constexpr double kStep = 1e-5;
  for (Index c = 0; c < size; ++c) {
    Point moved = s.x;
    moved.vector()[c] += kStep;
    smooth.value_and_gradient(moved, above, s.evaluation());
    moved.vector()[c] -= 2 * kStep;
    smooth.value_and_gradient(moved, below, s.evaluation());
    out.col(c) = (above.vector() - below.vector()) / (2 * kStep);
  }
  return (out + out.transpose()) / 2;
}

/// Rigid motions of the plane and, last, the change of scale, of length 1 and orthogonal to each other.
std::vector<Vector> motions_of(const Matrix& map) {
  const Matrix centred = map.rowwise() - map.colwise().mean();
  const Index n = map.rows();
  std::vector<Vector> out(4, Vector::Zero(2 * n));
  for (Index i = 0; i < n; ++i) {
    out[0][2 * i] = out[1][2 * i + 1] = 1;
    out[2][2 * i] = -centred(i, 1);
    out[2][2 * i + 1] = centred(i, 0);
    out[3].segment(2 * i, 2) = centred.row(i).transpose();
  }
  for (Vector& one : out) one.normalize();
  return out;
}

TEST_CASE("curvature ellipses are blocks of the inverse Hessian without rigid motions and scale") {
  for (const auto& [name, options] :
       {std::pair{"ste", "{ lambda = 0.3 }"}, std::pair{"tste", "{ lambda = 0.1 }"},
        std::pair{"ste", "{ lambda = 0.3, lapse_rate = 0.2 }"}, std::pair{"ckl", "{ lambda = 0.5, mu = 0.5 }"}}) {
    CAPTURE(name);
    CAPTURE(options);
    Solved s = solved(name, options, 12, 2, 900);
    const Matrix map = s.map();
    const SamplingCovariance covariance = s.covariance(map, s.model());
    REQUIRE(covariance.is_minimum());
    const std::vector<Vector> motions = motions_of(map);
    Eigen::MatrixXd projector = Eigen::MatrixXd::Identity(24, 24);
    for (std::size_t k = 0; k < 3; ++k) projector -= motions[k] * motions[k].transpose();
    const SymmetricEigen eigen(projector * hessian_of(s) * projector);
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(24, 24);
    for (Index c = 3; c < 24; ++c)
      inverse += eigen.eigenvectors().col(c) * eigen.eigenvectors().col(c).transpose() / eigen.eigenvalues()[c];
    const Eigen::MatrixXd no_scale = Eigen::MatrixXd::Identity(24, 24) - motions[3] * motions[3].transpose();
    const Eigen::MatrixXd expected = no_scale * inverse * no_scale;
    const Matrix matrix = covariance.of_objects(Kind::curvature);
    const double size = expected.diagonal().mean();
    for (Index i = 0; i < 12; ++i) {
      CHECK(std::abs(matrix(i, 0) - expected(2 * i, 2 * i)) < 1e-4 * size);
      CHECK(std::abs(matrix(i, 1) - expected(2 * i, 2 * i + 1)) < 1e-4 * size);
      CHECK(std::abs(matrix(i, 2) - expected(2 * i + 1, 2 * i + 1)) < 1e-4 * size);
    }
    double radius = 0;
    for (Index i = 0; i < 12; ++i) radius += (map.row(i) - map.colwise().mean()).squaredNorm();
    CHECK(close(covariance.typical_shift(Kind::curvature), std::sqrt(expected.trace() / radius), Tolerance{1e-4}));
  }
}

TEST_CASE("ellipses turn with the map") {
  Solved s = solved("ste", "{ lambda = 0.3 }", 15, 2, 1500);
  const Matrix map = s.map();
  Matrix turned(15, 2);
  const double c = std::cos(0.7), t = std::sin(0.7);
  for (Index i = 0; i < 15; ++i) {
    turned(i, 0) = c * map(i, 0) - t * map(i, 1) + 3;
    turned(i, 1) = t * map(i, 0) + c * map(i, 1) - 1;
  }
  const AnswerModel model = s.model();
  const SamplingCovariance here = s.covariance(map, model), there = s.covariance(turned, model);
  REQUIRE(here.is_minimum());
  REQUIRE(there.is_minimum());
  for (const Kind kind : {Kind::curvature, Kind::sandwich}) {
    const Matrix a = here.of_objects(kind), b = there.of_objects(kind);
    for (Index i = 0; i < 15; ++i) {
      CHECK(close(b(i, 0), c * c * a(i, 0) - 2 * c * t * a(i, 1) + t * t * a(i, 2), Tolerance{1e-6}));
      CHECK(close(b(i, 0) + b(i, 2), a(i, 0) + a(i, 2), Tolerance{1e-6}));
    }
  }
}

TEST_CASE("units that answer alike make the sandwich larger, independent ones leave it") {
  Solved s = solved("ste", "{ lambda = 0.3 }", 20, 2, 4000);
  const Matrix map = s.map();
  const AnswerModel model = s.model();
  const SamplingCovariance alone({map, *s.observations.triplets, model});
  const SamplingCovariance random(
      {map, *s.observations.triplets, model, [](std::uint64_t t) { return t * 7919 % 800; }});
  REQUIRE(alone.is_minimum());
  const double shift = alone.typical_shift(Kind::sandwich);
  CHECK(close(random.typical_shift(Kind::sandwich), shift, Tolerance{0.2}));
  // each answer given five times by the same annotator is one answer
  auto repeated = std::make_shared<TripletList>(20);
  for (std::uint64_t t = 0; t < 800; ++t)
    for (int k = 0; k < 5; ++k) repeated->add(s.observations.triplets->at(t));
  const SamplingCovariance fewer({map, *repeated, model, [](std::uint64_t t) { return t / 5; }});
  const SamplingCovariance taken_as_many({map, *repeated, model});
  if (fewer.is_minimum())
    CHECK(fewer.typical_shift(Kind::sandwich) > 1.5 * taken_as_many.typical_shift(Kind::sandwich));
}

TEST_CASE("the variance of a margin is that of its linear form") {
  Solved s = solved("ste", "{ lambda = 0.3 }", 10, 2, 800);
  const Matrix map = s.map();
  const SamplingCovariance covariance = s.covariance(map, s.model());
  REQUIRE(covariance.is_minimum());
  const Triplet t{.anchor = 2, .near = 5, .far = 7};
  const double one = covariance.variance_of_margin(t, -1, 1);
  CHECK(one > 0);
  CHECK(close(covariance.variance_of_margin(t, -3, 3), 9 * one, Tolerance{1e-9}));
  CHECK(covariance.variance_of_margin(t, 0, 0) == 0);
}

TEST_CASE("maps that are no strict minimum, and objects in no triplet, have no ellipses") {
  Solved s = solved("ste", "{ lambda = 0.3 }", 12, 2, 900);
  const AnswerModel model = s.model();
  Matrix map = Matrix::Zero(12, 2);
  CHECK_FALSE(s.covariance(map, model).is_minimum());
  Rng rng(kSeed);
  map = 30 * gaussian_points(12, 2, rng);  // far from any minimum
  CHECK_FALSE(s.covariance(map, model).is_minimum());

  auto list = std::make_shared<TripletList>(13);
  for (std::uint64_t t = 0; t < 900; ++t) list->add(s.observations.triplets->at(t));
  Matrix wider(13, 2);
  wider << s.map(), 100, 100;
  const SamplingCovariance with_idle({wider, *list, model});
  REQUIRE(with_idle.is_minimum());
  const Matrix matrix = with_idle.of_objects(Kind::sandwich);
  CHECK(matrix.row(12).array().isNaN().all());
  CHECK(matrix.topRows(12).allFinite());
  CHECK(with_idle.variance_of_margin({.anchor = 0, .near = 1, .far = 12}, 1, 1) == 0);
}

}  // namespace
}  // namespace sampling_covariance_test
