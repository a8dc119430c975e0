#include "solvers/compose/continuation.hpp"

#include <doctest/doctest.h>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/observation_makers.hpp"

namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

TEST_CASE("the inner solver is named or spelled out, and refused in words") {
  const auto make = [](std::string_view text) {
    return solver_catalog().at("continuation").make(*value_from_text(text).get_if<Table>());
  };
  CHECK(Value(make("{ solver = riemannian_sgd }")->resolved_options()).to_text().find("learning_rate") !=
        std::string::npos);
  CHECK(make("{ solver = { name = ceres, max_iter = 7 } }")->resolved_options() ==
        make("{ solver = { name = ceres, max_iter = 7 } }")->resolved_options());
  CHECK_THROWS_WITH_AS(static_cast<void>(make("{ solver = 3 }")), doctest::Contains("continuation: its option solver"),
                       ConfigError);
  CHECK_THROWS_AS(static_cast<void>(make("{ solver = ceresss }")), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(make("{ solver = { name = ceres, rate = 7 } }")), ConfigError);
}

TEST_CASE("with a fifth of the answers reversed the map is better than that of STE") {
  double ste = 0, lapse = 0;
  for (int seed = 0; seed < 5; ++seed) {
    Rng rng = Rng::stream(kSeed, seed);
    const Matrix points = gaussian_points(60, 2, rng);
    const auto train = std::make_shared<TripletList>(triplets_of(points, 4000, 0.2, rng));
    const TripletList test = triplets_of(points, 5000, 0, rng);
    const Observations observations = observations_of(train);
    const auto error = [&](std::string_view name, std::string_view solver) {
      Table options;
      options.set("lambda", 0.3);
      const Problem problem = problem_catalog().at(name).make(observations, options);
      Rng init = Rng::stream(kSeed, "init", seed);
      Solution x = problem.start(init);
      Executor executor;
      SolveContext context(executor);
      CHECK(solver_catalog().at(solver).make({})->solve(problem, x, context).usable());
      return triplet_error(problem.decode(x).only(), test);
    };
    ste += error("ste", "ceres") / 5;
    lapse += error("ste_lapse", "continuation") / 5;
  }
  CAPTURE(ste);
  CAPTURE(lapse);
  CHECK(lapse < 0.9 * ste);
}

}  // namespace
