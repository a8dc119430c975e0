#include <doctest/doctest.h>

#include "problems/spaces/manifold.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/domain_laws.hpp"

namespace manifolds_test {
namespace {

using namespace alidade;
using testing::check_row_manifold;

constexpr std::uint64_t kSeed = 20240611;

void check_all_widths(const Manifold& manifold, Index narrowest) {
  for (const Index cols : {narrowest, Index{3}, Index{10}})
    for (int repeat = 0; repeat < 5; ++repeat) {
      CAPTURE(repeat);
      Rng rng = Rng::stream(kSeed, cols, repeat);
      check_row_manifold(manifold, cols, rng);
    }
}

TEST_CASE("the Euclidean space keeps the laws of a manifold") { check_all_widths(Euclidean{}, 1); }

TEST_CASE("spheres of several radii keep the laws of a manifold") {
  for (const double radius : {1.0, 10.0, 0.1}) {
    CAPTURE(radius);
    check_all_widths(Oblique{radius}, 2);
  }
}

TEST_CASE("a step of any finite length ends on the sphere") {
  const Oblique sphere{10};
  const std::vector<double> x = {0, 10, 0};
  for (const double length : {1e-300, 1e100, 1e200, 1e307}) {
    CAPTURE(length);
    const std::vector<double> v = {length, 0, -length};
    std::vector<double> out(3);
    sphere.retract(x, v, out);
    CHECK(sphere.residual(out) < 1e-12);
    if (length > 1e20) CHECK(testing::close(out[0], 10 / std::sqrt(2.0), testing::kRounding));
  }
}

TEST_CASE("the box keeps the laws of a manifold in its interior") {
  check_all_widths(Box{}, 1);
  check_all_widths(Box{-3, 0.5}, 1);
}

TEST_CASE("the positive orthant keeps the laws of a manifold") { check_all_widths(Positive{}, 1); }

TEST_CASE("a box clips steps and stays in its closed set") {
  const Box box{-1, 2};
  const std::vector<double> x = {-1, 0, 2}, v = {-5, 0.5, 1e300};
  std::vector<double> out(3);
  box.retract(x, v, out);
  CHECK(out == std::vector<double>{-1, 0.5, 2});
  CHECK(box.residual(std::vector<double>{-1.5, 0}) == 0.5);
  CHECK(box.residual(std::vector<double>{0, 2.25}) == 0.25);
  CHECK(box.has_border());
}

TEST_CASE("a positive row never reaches zero or infinity, however long the step") {
  const Positive positive;
  const std::vector<double> x = {1e-300, 1, 1e300};
  std::vector<double> out(3);
  for (const double length : {-1e308, -1e3, 1e3, 1e308}) {
    const std::vector<double> v(3, length);
    positive.retract(x, v, out);
    for (const double entry : out) CHECK((entry > 0 && std::isfinite(entry)));
  }
}

TEST_CASE("the positive retraction is a geodesic: two half steps with transport are one step") {
  const Positive positive;
  Rng rng(kSeed);
  std::vector<double> x(4), v(4), half(4), middle(4), end(4), carried(4), direct(4);
  positive.random(rng, x);
  for (std::size_t i = 0; i < 4; ++i) {
    v[i] = rng.normal();
    half[i] = v[i] / 2;
  }
  positive.retract(x, half, middle);
  positive.transport(x, middle, half, carried);
  positive.retract(middle, carried, end);
  positive.retract(x, v, direct);
  CHECK(testing::all_close(end, direct, testing::kSum));
  CHECK(testing::close(positive.inner(middle, carried, carried), positive.inner(x, half, half), testing::kSum));
}

TEST_CASE("random points of a sphere are uniform: mean zero, equal spread") {
  const Oblique sphere{2};
  Rng rng(kSeed);
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    Eigen::Vector3d x;
    sphere.random(rng, {x.data(), 3});
    mean += x / kDraws;
    second += x * x.transpose() / kDraws;
  }
  CHECK(mean.norm() < 0.05);
  CHECK((second - 4.0 / 3 * Eigen::Matrix3d::Identity()).norm() < 0.05);
}

}  // namespace
}  // namespace manifolds_test
