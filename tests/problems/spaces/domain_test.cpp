#include "problems/spaces/domain.hpp"

#include <doctest/doctest.h>

#include "problems/core/error.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/domain_laws.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace domain_test {
namespace {

using namespace alidade;

constexpr std::uint64_t kSeed = 20240611;

Domain product() {
  return Domain({{"map", 5, 2, Euclidean{}},
                 {"sphere", 4, 3, Oblique{10}},
                 {"weights", 3, 4, Box{0, 1}},
                 {"scale", 1, 1, Positive{}},
                 {"empty", 0, 2, Euclidean{}}});
}

TEST_CASE("a block that a point does not have is refused in words") {
  const Point x = Domain({{"map", 3, 2, Euclidean{}}}).zero();
  CHECK_THROWS_WITH_AS(static_cast<void>(x.block(1)), "A point has no block 1: it has 1, numbered from 0.",
                       ConfigError);
}

TEST_CASE("a product of all manifolds acts block by block and row by row") {
  for (int repeat = 0; repeat < 3; ++repeat) {
    CAPTURE(repeat);
    Rng rng = Rng::stream(kSeed, repeat);
    testing::check_domain(product(), rng);
  }
}

TEST_CASE("each manifold alone is a domain") {
  Rng rng(kSeed);
  for (const Manifold& manifold :
       {Manifold(Euclidean{}), Manifold(Oblique{2}), Manifold(Box{-1, 1}), Manifold(Positive{})})
    testing::check_domain(Domain({{"block", 6, 3, manifold}}), rng);
}

TEST_CASE("the layout is contiguous, row-major and named") {
  const Domain domain = product();
  Point x = domain.zero();
  CHECK(x.size() == 5 * 2 + 4 * 3 + 3 * 4 + 1);
  CHECK(x.index_of("weights") == 2);
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(x.index_of("weight")); }),
                           {"block 'weight'"}));
  x.block(1)(2, 1) = 7;
  CHECK(x.flat()[10 + 2 * 3 + 1] == 7);
  CHECK(x.block(3).size() == 1);
  CHECK(x.block(4).rows() == 0);
  const Point copy = x;
  x.set_zero();
  CHECK(copy.block(1)(2, 1) == 7);
  CHECK(copy.layout() == x.layout());
}

TEST_CASE("borders and flatness are those of the blocks") {
  CHECK(product().has_border());
  CHECK_FALSE(product().is_euclidean());
  const Domain flat({{"a", 2, 2, Euclidean{}}, {"b", 1, 3, Euclidean{}}});
  CHECK(flat.is_euclidean());
  CHECK_FALSE(flat.has_border());
  const Domain curved({{"a", 2, 3, Oblique{}}, {"s", 1, 1, Positive{}}});
  CHECK_FALSE(curved.has_border());
  CHECK(curved.dimension() == 2 * 2 + 1);
}

TEST_CASE("a box may have an interval for each number of its block, row by row") {
  const double none = std::numeric_limits<double>::infinity();
  const Domain domain({{"w", 2, 2, Box{std::vector<double>{0, -none, 2, 5}, std::vector<double>{1, 0, none, 5}}},
                       {"free", 1, 1, Euclidean{}}});
  CHECK(domain.is_boxed());
  CHECK_FALSE(product().is_boxed());
  CHECK_FALSE(Domain({{"free", 1, 1, Euclidean{}}}).is_boxed());
  Rng rng(kSeed);
  for (int k = 0; k < 20; ++k) CHECK(domain.residual(domain.random(rng)) == 0);
  Point x = domain.zero(), v = domain.zero();
  CHECK(domain.residual(x) == 5);
  domain.repair(x);
  CHECK(x.block(0) == (Matrix(2, 2) << 0, 0, 2, 5).finished());
  v.vector() << 3, 3, -3, 1, -7;
  domain.retract(x, v, x);
  CHECK(x.block(0) == (Matrix(2, 2) << 1, 0, 2, 5).finished());
  CHECK(x.block(1)(0, 0) == -7);
}

TEST_CASE("stationarity counts a border where the gradient points out as stationary") {
  const Domain box({{"w", 1, 2, Box{0, 1}}});
  Point x = box.zero(), gradient = box.zero();
  x.block(0) << 0, 1;
  gradient.block(0) << 3, -2;
  CHECK(box.stationarity(x, gradient) == 0);
  gradient.block(0) << -0.25, -2;
  CHECK(box.stationarity(x, gradient) == 0.25);

  // On a sphere only the tangent part counts.
  const Domain sphere({{"u", 1, 2, Oblique{}}});
  Point u = sphere.zero(), g = sphere.zero();
  u.block(0) << 1, 0;
  g.block(0) << 5, 0;
  CHECK(sphere.stationarity(u, g) == 0);
  g.block(0) << 5, 2;
  CHECK(sphere.stationarity(u, g) == 2);
}

TEST_CASE("an impossible domain is refused by name") {
  const auto make = [](DomainBlock block) { return Domain({std::move(block)}); };
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             make({"map", 3, 0, Euclidean{}});
                           }),
                           {"'map'", "3 x 0"}));
  CHECK_THROWS_AS(make({"map", -1, 2, Euclidean{}}), ConfigError);
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             make({"u", 3, 1, Oblique{}});
                           }),
                           {"'u'", "radius > 0", "at least 2"}));
  CHECK_THROWS_AS(make({"u", 3, 2, Oblique{-1}}), ConfigError);
  CHECK_THROWS_AS(make({"u", 3, 2, Oblique{std::nan("")}}), ConfigError);
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             make({"w", 3, 2, Box{1, 1}});
                           }),
                           {"'w'", "lower < upper"}));
  CHECK_THROWS_AS(make({"w", 3, 2, Box{0, std::nan("")}}), ConfigError);
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             make({"w", 3, 2, Box{std::vector<double>(5, 0), 1}});
                           }),
                           {"'w'", "5 bounds for 6 numbers"}));
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             make({"w", 2, 1, Box{std::vector<double>{0, 2}, 1}});
                           }),
                           {"'w'", "bounds of number 1 leave nothing"}));
}

TEST_CASE("random points of a domain depend on the stream alone") {
  Rng a(kSeed), b(kSeed), c(kSeed + 1);
  const Domain domain = product();
  const Point x = domain.random(a);
  CHECK(testing::same_bits(x.flat(), domain.random(b).flat()));
  CHECK_FALSE(testing::same_bits(x.flat(), domain.random(c).flat()));
}

}  // namespace
}  // namespace domain_test
