#include <doctest/doctest.h>

#include "problems/core/error.hpp"
#include "problems/public/manifolds.hpp"
#include "problems/spaces/domain.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/domain_laws.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

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

void check_matrices(const Manifold& manifold, Index cols) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    CAPTURE(repeat);
    Rng rng = Rng::stream(kSeed, cols, repeat);
    check_row_manifold(manifold, cols, rng);
    testing::check_domain(Domain({{"block", 2, cols, manifold}}), rng);
  }
}

TEST_CASE("the psd cone keeps the laws of a manifold in its interior") {
  for (const Index n : {1, 2, 3, 6}) check_matrices(PsdCone{n}, n * n);
}

TEST_CASE("positive definite matrices keep the laws of a manifold") {
  for (const Index n : {1, 2, 3, 6}) check_matrices(PositiveDefinite{n}, n * n);
}

TEST_CASE("matrices with orthonormal columns keep the laws of a manifold") {
  for (const auto& [n, k] : {std::pair<Index, Index>{2, 1}, {5, 1}, {3, 3}, {6, 2}})
    check_matrices(Stiefel{n, k}, n * k);
}

TEST_CASE("spaces spanned by columns keep the laws of a manifold") {
  for (const auto& [n, k] : {std::pair<Index, Index>{2, 1}, {5, 4}, {6, 2}}) check_matrices(Grassmann{n, k}, n * k);
}

TEST_CASE("the hyperboloid keeps the laws of a manifold") {
  for (const Index cols : {2, 3, 6}) check_matrices(Hyperbolic{}, cols);
}

TEST_CASE("a product within a row keeps the laws of a manifold") {
  check_matrices(ProductManifold({{Oblique{2}, 3}, {Positive{}, 1}, {PositiveDefinite{2}, 4}}), 8);
  check_matrices(ProductManifold({{Euclidean{}, 2}, {Box{-1, 1}, 1}}), 3);
}

/// A circle of one's own: not one of the library's.
struct Circle {
  [[nodiscard]] std::string name() const { return "circle"; }
  void project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { Oblique{}.project(x, v, out); }
  void gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const { project(x, g, out); }
  void frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const { project(x, v, out); }
  void retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
    const double angle = x[0] * v[1] - x[1] * v[0], c = std::cos(angle), s = std::sin(angle);
    const double first = c * x[0] - s * x[1], second = s * x[0] + c * x[1];
    out[0] = first, out[1] = second;
    Oblique{}.repair(out, out);
  }
  void transport(ConstRowSpan, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const { project(x_new, v, out); }
  [[nodiscard]] double inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const { return Oblique{}.inner(x, u, v); }
  void repair(ConstRowSpan x, RowSpan out) const { Oblique{}.repair(x, out); }
  void random(Rng& rng, RowSpan out) const { Oblique{}.random(rng, out); }
  [[nodiscard]] double residual(ConstRowSpan x) const { return Oblique{}.residual(x); }
  [[nodiscard]] static Index dimension(Index cols) { return cols - 1; }
  [[nodiscard]] static bool has_border() { return false; }
};

TEST_CASE("a manifold of one's own is passed as a value and keeps the laws") {
  check_matrices(Circle{}, 2);
  const Domain domain({{"angle", 3, 2, Circle{}}});
  CHECK(domain.dimension() == 3);
  CHECK_FALSE(domain.is_euclidean());
}

TEST_CASE("rows of a width that the manifold does not have are refused") {
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             Domain({{"M", 1, 8, PsdCone{3}}});
                           }),
                           {"'M'", "8 coordinates", "psd_cone(3)"}));
  CHECK_THROWS_AS(Domain({{"M", 1, 9, Stiefel{3, 4}}}), ConfigError);
  CHECK_THROWS_AS(Domain({{"M", 1, 9, Grassmann{3, 3}}}), ConfigError);
  CHECK_THROWS_AS(Domain({{"M", 1, 1, Hyperbolic{}}}), ConfigError);
  CHECK_THROWS_AS(Domain({{"M", 1, 5, ProductManifold({{PsdCone{2}, 4}})}}), ConfigError);
  CHECK_THROWS_AS(ProductManifold({{PsdCone{2}, 3}}), ConfigError);
  CHECK_THROWS_AS(ProductManifold({}), ConfigError);
}

TEST_CASE("the psd cone projects: negative eigenvalues become zero, and the border stays") {
  const PsdCone cone{2};
  std::vector<double> x = {1, 2, 2, 1}, out(4);  // eigenvalues 3 and -1
  CHECK(testing::close(cone.residual(x), 1, testing::kSum));
  cone.repair(x, out);
  for (const double entry : out) CHECK(testing::close(entry, 1.5, testing::kSum));
  cone.retract(out, std::vector<double>{-2, 0, 0, -2}, x);
  for (const double entry : x) CHECK(testing::close(entry, 0.5, testing::kSum));
}

TEST_CASE("hyperbolic steps have the length that they say, and parallel transport keeps inner products") {
  const Hyperbolic space;
  Rng rng(kSeed);
  std::vector<double> x(3), v(3), w(3), end(3), carried(3), along(3);
  space.random(rng, x);
  for (std::size_t i = 0; i < 3; ++i) v[i] = rng.normal(), w[i] = rng.normal();
  space.project(x, v, v);
  space.project(x, w, w);
  space.retract(x, v, end);
  CHECK(testing::close(std::acosh(-space.inner(x, x, end)), std::sqrt(space.inner(x, v, v)), {1e-10, 1e-10}));
  space.transport(x, end, w, carried);
  space.transport(x, end, v, along);
  CHECK(testing::close(space.inner(end, carried, carried), space.inner(x, w, w), {1e-10, 1e-10}));
  CHECK(testing::close(space.inner(end, carried, along), space.inner(x, w, v), {1e-10, 1e-10}));
}

TEST_CASE("the metric of positive definite matrices is the same in every basis, and transport keeps it") {
  const PositiveDefinite space{3};
  Rng rng(kSeed);
  std::vector<double> x(9), y(9), v(9), w(9), carried_v(9), carried_w(9);
  space.random(rng, x);
  space.random(rng, y);
  for (double& entry : v) entry = rng.normal();
  for (double& entry : w) entry = rng.normal();
  space.project(x, v, v);
  space.project(x, w, w);
  space.transport(x, y, v, carried_v);
  space.transport(x, y, w, carried_w);
  CHECK(testing::close(space.inner(y, carried_v, carried_w), space.inner(x, v, w), {1e-10, 1e-10}));
  Matrix B(3, 3);
  for (double& entry : B.reshaped()) entry = rng.normal();
  const auto in_basis = [&](const std::vector<double>& m) {
    const Matrix turned = B * Eigen::Map<const Matrix>(m.data(), 3, 3) * B.transpose();
    return std::vector<double>(turned.data(), turned.data() + 9);
  };
  CHECK(testing::close(space.inner(in_basis(x), in_basis(v), in_basis(w)), space.inner(x, v, w), {1e-9, 1e-9}));
}

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
