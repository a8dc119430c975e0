// Laws of row manifolds at points and steps of all sizes; manifolds_test.cpp has the finer ones at usual sizes.

#include <cmath>
#include <vector>

#include "problems/spaces/manifold.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/properties.hpp"

namespace manifolds_property_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

using Values = std::vector<double>;

Manifold drawn_manifold() {
  const double radius = std::exp2(*rc::gen::inRange(-60, 61));
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return Euclidean{};
    case 1: return Oblique{radius};
    case 2: return Box{-radius, *rc::gen::element(0.0, 1.0, 1e6)};
    default: return Positive{};
  }
}

/// Normal entries times a power of two, each of a size of its own or all of one.
Values drawn_vector(std::size_t cols, int largest_power, Rng& rng) {
  const bool uneven = *rc::gen::arbitrary<bool>();
  const int power = *rc::gen::inRange(-largest_power, largest_power + 1);
  Values out(cols);
  for (double& v : out) v = rng.normal() * std::exp2(uneven ? power * rng.uniform01() : static_cast<double>(power));
  return out;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double length(const Values& a) { return std::sqrt(dot(a, a)); }

}  // namespace

TEST_CASE("steps of any size from points of any size stay on the manifold") {
  check_property("retractions and repairs stay", [] {
    const Manifold manifold = drawn_manifold();
    const auto cols = static_cast<std::size_t>(drawn_size(2, 12));
    Rng rng = drawn_stream();
    const Values v = drawn_vector(cols, 500, rng), ambient = drawn_vector(cols, 300, rng);
    std::visit(
        [&](const auto& m) {
          Values x(cols), step(cols), moved(cols);
          m.random(rng, x);
          m.project(x, v, step);
          m.retract(x, step, moved);
          const double size = largest_entry(moved);
          RC_ASSERT(std::isfinite(size));
          RC_ASSERT(m.residual(moved) <= 1e-14 * (1 + size) * static_cast<double>(cols));
          m.repair(ambient, moved);
          RC_ASSERT(m.residual(moved) <= 1e-14 * (1 + largest_entry(moved)) * static_cast<double>(cols));
        },
        manifold);
  });
}

TEST_CASE("projections are idempotent and self-adjoint, and gradients represent, at any size") {
  check_property("projection, inner product and gradient", [] {
    const Manifold manifold = drawn_manifold();
    const auto cols = static_cast<std::size_t>(drawn_size(2, 12));
    Rng rng = drawn_stream();
    const Values u = drawn_vector(cols, 100, rng), w = drawn_vector(cols, 100, rng);
    std::visit(
        [&](const auto& m) {
          Values x(cols), pu(cols), pw(cols), twice(cols), gradient(cols);
          m.random(rng, x);
          m.project(x, u, pu);
          m.project(x, w, pw);
          m.project(x, pu, twice);
          // Against the lengths before the projection, which may cancel nearly all.
          const double rounding = 1e-13 * static_cast<double>(cols);
          for (std::size_t i = 0; i < cols; ++i) RC_ASSERT(std::abs(twice[i] - pu[i]) <= rounding * length(u));
          RC_ASSERT(std::abs(dot(pu, w) - dot(u, pw)) <= rounding * length(u) * length(w));
          RC_ASSERT(m.inner(x, pu, pw) == m.inner(x, pw, pu));
          RC_ASSERT(m.inner(x, pu, pu) >= 0);
          m.gradient(x, u, gradient);
          RC_ASSERT(std::abs(m.inner(x, gradient, pw) - dot(u, pw)) <= rounding * length(u) * length(w));
        },
        manifold);
  });
}

TEST_CASE("transported vectors are tangent at their new point") {
  check_property("transport", [] {
    const Manifold manifold = drawn_manifold();
    const auto cols = static_cast<std::size_t>(drawn_size(2, 12));
    Rng rng = drawn_stream();
    const Values u = drawn_vector(cols, 40, rng), w = drawn_vector(cols, 40, rng);
    const double factor = *rc::gen::element(-2.0, 0.0, 0.5, 1024.0);
    std::visit(
        [&](const auto& m) {
          Values x(cols), step(cols), v(cols), there(cols), carried(cols), image(cols);
          m.random(rng, x);
          m.project(x, u, step);
          m.project(x, w, v);
          m.retract(x, step, there);
          m.transport(x, there, v, carried);
          // A step to the largest number there is: what is carried there is larger still.
          if (largest_entry(there) > 1e150) return;
          m.project(there, carried, image);
          const double rounding = 1e-13 * static_cast<double>(cols);
          const double size = std::max(length(v), length(carried));
          for (std::size_t i = 0; i < cols; ++i) RC_ASSERT(std::abs(image[i] - carried[i]) <= rounding * size);
          Values scaled = v;
          for (double& entry : scaled) entry *= factor;
          m.transport(x, there, scaled, image);
          for (std::size_t i = 0; i < cols; ++i)
            RC_ASSERT(std::abs(image[i] - factor * carried[i]) <= rounding * std::abs(factor) * size);
        },
        manifold);
  });
}

}  // namespace manifolds_property_test
