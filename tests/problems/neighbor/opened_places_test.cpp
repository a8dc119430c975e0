#include "problems/neighbor/map_starts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace opened_places_test {
namespace {

using namespace alidade;
using namespace alidade::neighbor;

constexpr double kPi = std::numbers::pi;

/// Evenly on the unit sphere along a spiral, up to the height `top`.
Matrix sphere_below(double top, Index n) {
  Matrix out(n, 3);
  for (Index i = 0; i < n; ++i) {
    const double height = -1 + (1 + top) * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    const double turn = static_cast<double>(i) * kPi * (3 - std::sqrt(5.0));
    const double radius = std::sqrt(1 - height * height);
    out.row(i) << radius * std::cos(turn), radius * std::sin(turn), height;
  }
  return out;
}

}  // namespace

TEST_CASE("a sphere is torn open where it has a hole, and neighbours stay together") {
  const Matrix sphere = sphere_below(0.5, 600);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Rng rng(seed);
    const Matrix places = opened_places(sphere, 40, rng);
    REQUIRE(places.cols() == 2);
    double farthest = 0, opposite = 10;
    for (Index i = 0; i < sphere.rows(); ++i)
      for (Index j = 0; j < i; ++j) {
        const double apart = (places.row(i) - places.row(j)).norm();
        const double angle = std::acos(std::clamp(sphere.row(i).dot(sphere.row(j)), -1.0, 1.0));
        if (angle < 0.2) farthest = std::max(farthest, apart);
        if (angle > 3) opposite = std::min(opposite, apart);
      }
    CHECK(farthest < 2);  // across a tear it is 2 pi
    CHECK(opposite > 2);
  }
}

TEST_CASE("a place is as far from the centre as the arc to the middle of the map") {
  const Matrix sphere = 3 * sphere_below(1, 400);
  Rng rng(5);
  const Vector arcs = opened_places(sphere, 40, rng).rowwise().norm();
  Index middle = 0;
  arcs.minCoeff(&middle);
  for (Index i = 0; i < sphere.rows(); ++i) {
    const double arc = 3 * std::acos(std::clamp(sphere.row(i).dot(sphere.row(middle)) / 9, -1.0, 1.0));
    CHECK(std::abs(arcs[i] - arc) <= arcs[middle] + 1e-6);
  }
}

TEST_CASE("a circle is torn into a line") {
  Matrix circle(90, 2);
  for (Index i = 0; i < 90; ++i) {
    const double turn = 0.06 * static_cast<double>(i);  // 5.4 of 6.28
    circle.row(i) << std::cos(turn), std::sin(turn);
  }
  Rng rng(1);
  Vector steps = opened_places(circle, 4, rng).col(0);
  steps = (steps.tail(89) - steps.head(89)).eval();
  CHECK((steps.cwiseAbs().array() - 0.06).abs().maxCoeff() < 1e-9);
  CHECK(std::abs(steps.sum()) == doctest::Approx(89 * 0.06));
}

TEST_CASE("objects at the centre stay there, and seeds draw other tears") {
  Matrix solid = sphere_below(1, 50);
  solid.row(7).setZero();
  Rng one(1), same(1), other(2);
  const Matrix places = opened_places(solid, 60, one);
  CHECK(places.row(7).norm() == 0);
  CHECK(places.allFinite());
  CHECK(places == opened_places(solid, 60, same));
  CHECK(places != opened_places(solid, 60, other));
  CHECK(opened_places(Matrix::Zero(5, 3), 2, one) == Matrix::Zero(5, 2));
}

}  // namespace opened_places_test
