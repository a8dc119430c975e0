#include <doctest/doctest.h>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/faces/blocks.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/observation_makers.hpp"

namespace alidade::multiview::disjoint_problem_test {
namespace {

using testing::made;

constexpr std::uint64_t kSeed = 20240611;
constexpr Index kObjects = 12;

/// Aspects 0 and 2 have triplets, aspect 1 has none; object 11 is in no triplet of aspect 2.
Observations three_aspects() {
  auto list = std::make_shared<TripletList>(kObjects);
  for (const std::uint32_t aspect : {0U, 2U}) {
    Rng rng = Rng::stream(kSeed, "aspect", aspect);
    const Index n = aspect == 0 ? kObjects : kObjects - 1;
    const TripletList own = testing::triplets_of(testing::gaussian_points(n, 2, rng), 300, 0, rng);
    for (std::uint64_t i = 0; i < own.size(); ++i) {
      Triplet triplet = own.at(i);
      triplet.aspect = aspect;
      list->add(triplet);
    }
  }
  Observations out = testing::observations_of(list);
  out.aspects = {"shape", "taste", "colour"};
  return out;
}

}  // namespace

TEST_CASE("every aspect has a named map; the objective is the sum over aspects") {
  const Observations data = three_aspects();
  const Problem problem = made("disjoint", data, "{ problem = { name = ste, n_components = 3, init_scale = 0.5 } }");
  CHECK(problem.offers().has<SeparateBlocks>());
  Rng rng(kSeed);
  const Solution x = problem.start(rng);
  const Embedding embedding = problem.decode(x);
  REQUIRE(embedding.maps.size() == 3);
  CHECK_FALSE(embedding.latent_views);
  CHECK(embedding.maps[1].name == "taste");
  for (const AspectMap& map : embedding.maps) {
    CHECK(map.coordinates.rows() == kObjects);
    CHECK(map.coordinates.cols() == 3);
  }
  CHECK(embedding.maps[0].coordinates != embedding.maps[1].coordinates);
  Executor executor;
  Evaluation evaluation(executor);
  double sum = 0;
  const auto parts = by_aspect(data);
  for (const std::size_t t : {0U, 2U}) {
    const Problem own = problem_catalog().at("ste").make(
        parts[t], *value_from_text("{ n_components = 3, init_scale = 0.5 }").get_if<ValueTable>());
    Point map = own.domain()->zero();
    map.block(0) = embedding.maps[t].coordinates;
    sum += own.objective(map, evaluation);
  }
  CHECK(problem.objective(x, evaluation) == doctest::Approx(sum).epsilon(1e-14));
}

TEST_CASE("a block is the aspect's own problem alone") {
  const Observations data = three_aspects();
  const Problem problem = made("disjoint", data, "{ problem = tste }");
  Rng rng(kSeed);
  Solution x = problem.start(rng);
  const Solution before = x;
  CHECK(problem.face<BlocksFace>().block_count() == 2);
  const Problem colour = problem.face<BlocksFace>().block_problem(1, x);
  CHECK(colour.name() == "tste");
  Point moved = std::get<Point>(problem.face<BlocksFace>().block_of(1, x));
  CHECK(moved.block(0) == problem.decode(x).maps[2].coordinates);
  moved.vector().array() += 1;
  problem.face<BlocksFace>().set_block(1, moved, x);
  CHECK(problem.decode(x).maps[0].coordinates == problem.decode(before).maps[0].coordinates);
  CHECK(problem.decode(x).maps[1].coordinates == problem.decode(before).maps[1].coordinates);
  CHECK(problem.decode(x).maps[2].coordinates == moved.block(0));
  Executor executor;
  Evaluation evaluation(executor);
  const double change = problem.objective(x, evaluation) - problem.objective(before, evaluation);
  const double own = colour.objective(moved, evaluation) -
                     colour.objective(problem.face<BlocksFace>().block_of(1, before), evaluation);
  CHECK(change == doctest::Approx(own).epsilon(1e-9));
}

TEST_CASE("notes name aspects without a triplet and objects that an aspect does not observe") {
  CHECK(made("disjoint", three_aspects(), "{}").notes() ==
        std::vector<std::string>{"No training triplet is about taste; it keeps a random map.",
                                 "Objects in no training triplet of an aspect stay at their random "
                                 "start in its map: 0 to 1 of 12 objects."});
}

TEST_CASE("only single-map problems of triplets are accepted") {
  const Observations data = three_aspects();
  for (const std::string_view wrong :
       {"{ problem = disjoint }", "{ problem = weighted_ete }", "{ problem = tstee }", "{ problem = 3 }",
        "{ problem = { n_components = 2 } }", "{ problem = { name = tste, margin = 3 } }"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(static_cast<void>(made("disjoint", data, wrong)), ConfigError);
  }
  Observations silent = data;
  silent.triplets = std::make_shared<TripletList>(kObjects);
  CHECK_THROWS_AS(static_cast<void>(made("disjoint", silent, "{}")), DataError);
}

}  // namespace alidade::multiview::disjoint_problem_test
