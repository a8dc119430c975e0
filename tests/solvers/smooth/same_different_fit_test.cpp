// Maps of judgements as same or different, of simulated observers whose places are known.
#include <doctest/doctest.h>

#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/solve_case.hpp"

namespace same_different_fit_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261128;

TEST_CASE("objects that are taken for each other are near, whatever the unit of the counts") {
  Rng rng(kSeed);
  const Matrix X = gaussian_points(15, 2, rng), truth = distances_between(X);
  Matrix maps[2];
  const ProblemEntry& entry = problem_catalog().at("same_different");
  const NamedSolver named = recommended_solver(entry);
  for (int k = 0; k < 2; ++k) {
    Rng answers = Rng::stream(kSeed, "answers"), start(kSeed);
    const Problem problem = entry.make(same_different_answers(X, 400, k == 0 ? 1 : 1e-6, answers), {});
    const Outcome outcome = solve(*solver_catalog().at(named.name).make(named.options), problem, problem.start(start));
    const Embedding map = problem.decode(outcome.x);
    maps[k] = map.only();
    const Matrix found = distances_between(map.only());
    CHECK((found / found.norm()).cwiseProduct(truth / truth.norm()).sum() > 0.98);
    CHECK(map.estimates.front().second == doctest::Approx(0.596).epsilon(0.15));  // of objects at one place
  }
  CHECK((maps[0] - maps[1]).norm() < 1e-9 * maps[0].norm());
}

}  // namespace
}  // namespace same_different_fit_test
