// LORE: its penalty is the L2 term for p = 1, its gradient that of the value, and its map has the axes that are needed.
#include <doctest/doctest.h>

#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"

namespace lore_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

TEST_CASE("lore: for p = 1 it is ste with an L2 term; its gradient is the value's, and threads change no bit") {
  Rng rng(81);
  const Observations data =
      observations_of(std::make_shared<TripletList>(triplets_of(gaussian_points(16, 3, rng), 256, 0.1, rng)));
  Executor executor;
  Evaluation evaluation(executor);
  const Problem trace = made("lore", data, "{ p = 1.0, scale = 0.7, n_components = 5 }");
  const Problem ste = made("ste", data, "{ n_components = 5, lambda = 2.8 }");  // 0.7 sqrt(256 / 16)
  const Point x = trace.domain()->random(rng);
  CHECK(close(trace.objective(x, evaluation), ste.objective(x, evaluation), kSum));
  for (const char* options : {"{ p = 1.0 }", "{ p = 0.5 }", "{ p = 0.3, smoothing = 0.1, n_components = 2 }"}) {
    CAPTURE(options);
    const Problem problem = made("lore", data, options);
    const Point at = problem.domain()->random(rng);
    check_gradient(problem, at, rng);
    check_thread_independence(problem, at);
  }
}

TEST_CASE("lore: the map shows its long axes, turned to principal axes") {
  Rng rng(82);
  const Observations data =
      observations_of(std::make_shared<TripletList>(triplets_of(gaussian_points(20, 2, rng), 200, 0, rng)));
  const Problem problem = made("lore", data, "{ n_components = 4 }");
  Point x = problem.domain()->zero();
  const Matrix turn = gaussian_points(2, 4, rng);
  x.block(0) = gaussian_points(20, 2, rng) * turn + 1e-3 * gaussian_points(20, 4, rng);
  const Embedding map = problem.decode(x);
  REQUIRE(map.only().cols() == 2);
  CHECK(map.estimates.back() == std::pair<std::string, double>("dimension", 2));
  CHECK(map.only().col(0).norm() >= map.only().col(1).norm());
  CHECK(std::abs(map.only().col(0).dot(map.only().col(1))) < 1e-9 * map.only().squaredNorm());
  for (Index i = 1; i < 20; ++i)
    CHECK(close((map.only().row(i) - map.only().row(0)).norm(), (x.block(0).row(i) - x.block(0).row(0)).norm(),
                {0.01, 0.01}));
}

}  // namespace
}  // namespace lore_problem_test
