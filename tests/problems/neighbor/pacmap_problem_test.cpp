#include "problems/neighbor/pacmap_problem.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "problems/contract/adapters.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/objective_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/odd_features.hpp"
#include "tests/support/wave_features.hpp"

namespace pacmap_problem_test {
namespace {

using namespace alidade;
using namespace alidade::neighbor;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261128;

PacmapPairs pairs_of(const Observations& data, const PacmapOptions& options, int threads = 1) {
  Executor executor(threads);
  return PacmapProblem(data, options, executor).pairs();
}

// Of 7 objects with 2 near pairs each, the other 4 are its further ones, and the 6 drawn for its mid-near one are all
// others: nothing is drawn. The values are those of a NumPy program that follows [WHRS21], for the weights of the last
// phase, of the second, and of the first step of twenty of the first: w_mid = 1000 - 997 / 20 with ten steps.
TEST_CASE("the objective and its stages have the paper's values") {
  const Problem problem = made("pacmap", wave_features(7, 3), "{ n_neighbors = 2 }");
  Point x = problem.domain()->zero();
  place_on_waves(x);
  const StagesFace& path = problem.face<StagesFace>();
  REQUIRE(path.stage_count() == 21);
  CHECK(objective_of(problem, x) == doctest::Approx(12.694323737125272).epsilon(1e-7));
  CHECK(objective_of(path.stage(20, x), x) == objective_of(problem, x));
  CHECK(objective_of(path.stage(10, x), x) == doctest::Approx(20.14432107185585).epsilon(1e-7));
  CHECK(objective_of(path.stage(19, x), x) == objective_of(path.stage(10, x), x));
  CHECK(objective_of(path.stage(0, x), x) == doctest::Approx(18.837864729652015).epsilon(1e-7));
  CHECK(problem.face<StageNumberFace>().with_n_stages(3).face<StagesFace>().stage_count() == 7);
}

TEST_CASE("every stage has the gradient of its value, and its terms add up") {
  Rng rng(kSeed);
  const Problem problem =
      made("pacmap", of_features(gaussian_points(60, 4, rng)), "{ n_components = 3, n_stages = 1 }");
  for (Index k = 0; k < 3; ++k) {
    CAPTURE(k);
    Point x = problem.domain()->random(rng);
    x.vector() *= 3;
    const Problem stage = problem.face<StagesFace>().stage(k, x);
    check_finite_sum(stage, x);
    check_gradient(adapt(stage, CapabilitySet::of<SmoothFace>()), x, rng);
  }
}

TEST_CASE("pairs are the scaled nearest, distinct others, and the second nearest of six, on any threads") {
  Rng rng(kSeed);
  const Index n = 80;
  const Observations data = of_features(gaussian_points(n, 5, rng));
  const PacmapPairs pairs = pairs_of(data, {});
  REQUIRE(pairs.near.cols() == 10);
  REQUIRE(pairs.far.cols() == 20);
  REQUIRE(pairs.mid.cols() == 5);
  double mid_rank = 0;
  for (Index i = 0; i < n; ++i) {
    std::set<ObjectId> seen{static_cast<ObjectId>(i)}, mid = seen;
    for (Index c = 0; c < 10; ++c) seen.insert(pairs.near(i, c));
    for (Index c = 0; c < 20; ++c) seen.insert(pairs.far(i, c));
    const auto& X = *data.features;
    for (Index c = 0; c < 5; ++c) {
      mid.insert(pairs.mid(i, c));
      for (Index j = 0; j < n; ++j)
        mid_rank += (X.row(j) - X.row(i)).squaredNorm() < (X.row(pairs.mid(i, c)) - X.row(i)).squaredNorm() ? 1 : 0;
    }
    CHECK(seen.size() == 31);
    CHECK(mid.size() == 6);
  }
  // The second smallest of 6 ranks of 79 has mean 2 / 7 of 80; its standard deviation is 0.16, of 400 draws 0.008.
  CHECK(mid_rank / 400 / 80 == doctest::Approx(2.0 / 7).epsilon(0.12));
  const PacmapPairs on_threads = pairs_of(data, {}, 3), other = pairs_of(data, {.seed = 2});
  CHECK(on_threads.near == pairs.near);
  CHECK(on_threads.far == pairs.far);
  CHECK(on_threads.mid == pairs.mid);
  CHECK(other.far != pairs.far);
}

TEST_CASE("few objects, copies, dissimilarities and odd data are taken or refused in one line") {
  Rng rng(kSeed);
  check_odd_features("pacmap", "lowered from 10 to 1", rng);
  CHECK_THROWS_AS(made("pacmap", of_features(gaussian_points(20, 3, rng)), "{ n_neighbors = 0 }"), ConfigError);
}

}  // namespace
}  // namespace pacmap_problem_test
