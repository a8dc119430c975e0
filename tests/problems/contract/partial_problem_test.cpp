#include "problems/contract/partial_problem.hpp"

#include <doctest/doctest.h>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/stages.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace partial_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;
const std::vector<Index> kFree = {2, 7, 11};

Problem make(const char* name, const char* options = "{}") {
  Rng rng(kSeed);
  return problem_catalog().at(name).make(gaussian_observations(12, 2, rng),
                                         *value_from_text(options).get_if<ValueTable>());
}

TEST_CASE("with fixed rows, value and gradient are those of the whole map at the free rows") {
  for (const char* name : {"ste", "tste", "soe", "ete"}) {
    CAPTURE(name);
    const Problem whole = make(name);
    Rng rng(kSeed);
    Point x = whole.domain()->random(rng);
    const Problem part = with_fixed_rows(whole, x, kFree);
    CHECK(part.name() == name);
    Point free = part.domain()->zero();
    REQUIRE(free.block(0).rows() == 3);
    for (std::size_t k = 0; k < kFree.size(); ++k) free.block(0).row(static_cast<Index>(k)) = x.block(0).row(kFree[k]);
    Executor executor;
    Evaluation evaluation(executor);
    Point all = whole.domain()->zero(), some = part.domain()->zero();
    const double f = whole.face<SmoothFace>().value_and_gradient(x, all, evaluation);
    CHECK(part.face<SmoothFace>().value_and_gradient(free, some, evaluation) == f);
    CHECK(part.objective(Solution(free), evaluation) == whole.objective(Solution(x), evaluation));
    for (std::size_t k = 0; k < kFree.size(); ++k)
      CHECK(some.block(0).row(static_cast<Index>(k)) == all.block(0).row(kFree[k]));
    check_gradient(part, free, rng);

    free.block(0).array() += 0.5;
    const Matrix decoded = part.decode(Solution(free)).only();
    for (Index i = 0; i < 12; ++i) {
      const bool moved = std::ranges::find(kFree, i) != kFree.end();
      CHECK((decoded.row(i) == x.block(0).row(i)) == !moved);
    }
  }
}

TEST_CASE("a path of problems stays one, each stage with the same rows fixed") {
  const Problem whole = make("ste_lapse");
  Rng rng(kSeed);
  const Point x = whole.domain()->random(rng);
  const Problem part = with_fixed_rows(whole, x, kFree);
  CHECK_FALSE(part.offers().has<SmoothFace>());
  REQUIRE(part.face<StagesFace>().stage_count() == whole.face<StagesFace>().stage_count());
  const Solution free = part.start(rng);
  const Problem stage = part.face<StagesFace>().stage(1, free);
  CHECK(stage.domain()->blocks().front().rows == 3);
  CHECK(stage.decode(free).only().row(0) == x.block(0).row(0));
}

TEST_CASE("impossible fixed rows are refused in words") {
  Rng rng(kSeed);
  const Problem sphere = make("ste", "{ manifold = oblique }"), plane = make("ste");
  CHECK_THROWS_AS(static_cast<void>(with_fixed_rows(sphere, sphere.domain()->random(rng), kFree)), ConfigError);
  CHECK(holds_all(
      message_of<ConfigError>([&] { static_cast<void>(with_fixed_rows(plane, plane.domain()->random(rng), {12})); }),
      {"row 12", "12 rows"}));
}

}  // namespace
}  // namespace partial_problem_test
