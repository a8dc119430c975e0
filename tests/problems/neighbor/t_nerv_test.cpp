#include <doctest/doctest.h>

#include <cmath>

#include "problems/core/error.hpp"
#include "problems/core/memory.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/objective_of.hpp"
#include "tests/support/observation_makers.hpp"

namespace t_nerv_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261201;

// Values of a NumPy program that follows [VPNAK10] with p by bisection: KL(P || Q) = .8038995361824183 and KL(Q || P) =
// 1.3903438775924892.
TEST_CASE("both costs and their sum have the paper's values") {
  Matrix X(6, 3);
  X << 0, 0, 0, 1, 0, .5, 0, 2, 0, 3, 1, 1, 2, 2, 2.5, 0, 1, 3;
  const Problem problem = made("t_nerv", of_features(X), "{ lambda = 0.3, perplexity = 2 }");
  Point x = problem.domain()->zero();
  for (Index i = 0; i < 6; ++i)
    x.block(0).row(i) << std::sin(1. + static_cast<double>(i)), std::cos(2. * static_cast<double>(i));
  CHECK(objective_of(problem, x) == doctest::Approx(1.2144105751694678).epsilon(1e-6));
  const Embedding map = problem.decode(x);
  CHECK(map.estimates[0].second == doctest::Approx(0.8038995361824183).epsilon(1e-6));
  CHECK(map.estimates[1].second == doctest::Approx(1.3903438775924892).epsilon(1e-6));
}

TEST_CASE("with lambda 1 it is t-SNE, and begins at its map") {
  Rng rng(kSeed);
  const Observations data = of_features(gaussian_points(50, 4, rng));
  const Problem ours = made("t_nerv", data, "{ lambda = 1, perplexity = 9 }");
  const Problem tsne = made("tsne", data, "{ method = exact, precision = double, perplexity = 9 }");
  const Point x = ours.domain()->random(rng);
  CHECK(objective_of(ours, x) == doctest::Approx(objective_of(tsne, x)).epsilon(1e-9));
  CHECK(objective_of(ours, ours.start(rng)) < 0.5 * objective_of(ours, x));
}

TEST_CASE("the gradient is that of the value, in any dimension and with all but no overlap of neighbours") {
  Rng rng(kSeed);
  for (const char* options :
       {"{ n_components = 1, lambda = 0 }", "{ perplexity = 3 }", "{ n_components = 3, lambda = 0.9 }"}) {
    CAPTURE(options);
    Matrix X = gaussian_points(40, 5, rng);
    X.topRows(20).array() += 40;  // of two distant clusters: ln p to about -1000
    const Problem problem = made("t_nerv", of_features(X), options);
    check_gradient(problem, problem.domain()->random(rng), rng);
  }
}

TEST_CASE("more pairs than the machine has memory for are refused before anything is made") {
  CHECK_THROWS_WITH_AS(require_room_for_pairs("t_nerv", 100'000'000, 8, "'tsne'"),
                       doctest::Contains("80000000.0 GB for 100000000 objects"), DataError);
  require_room_for_pairs("t_nerv", 100, 8, "'tsne'");
}

TEST_CASE("a map out of range costs infinitely much") {
  Rng rng(kSeed);
  const Problem problem = made("t_nerv", of_features(gaussian_points(10, 2, rng)));
  Point x = problem.domain()->random(rng);
  x.vector()[3] = 1e200;
  CHECK(std::isinf(objective_of(problem, x)));
  x.vector()[3] = NAN;
  CHECK(std::isnan(objective_of(problem, x)));
}

}  // namespace
}  // namespace t_nerv_test
