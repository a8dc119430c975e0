#include "problems/triplet/lapse_problem.hpp"

#include <doctest/doctest.h>

#include "problems/contract/problem_model.hpp"
#include "tests/support/observation_makers.hpp"

namespace lapse_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::triplet;

constexpr std::uint64_t kSeed = 20240611;

TripletMap map_of(const Observations& observations) {
  MapOptions options;
  options.lambda0 = 1e-3;
  return {observations, SteLoss{}, options};
}

TEST_CASE("the lapse rate minimises the loss, and the objective uses it") {
  Rng rng(kSeed);
  const Matrix points = 2 * gaussian_points(40, 2, rng);
  const Observations observations =
      observations_of(std::make_shared<TripletList>(triplets_of(points, 4000, 0.15, rng)));
  const TripletMap base = map_of(observations);
  const LapseProblem problem(base, 2);
  Executor executor;
  Evaluation evaluation(executor);
  Point truth = problem.domain().zero();
  truth.block(0) = points;
  const double lapse = problem.lapse_rate(truth, evaluation);
  const double at_best = problem.objective(truth, evaluation);
  CHECK(lapse > 0.2);  // 15 % reversed is 30 % guessed, of which noise in sigma takes a part
  CHECK(lapse < 0.4);
  for (int k = 0; k < 100; ++k) {
    const double other = 0.0099 * k;
    CHECK(at_best <= base.with_loss(SteLoss{other}).value(truth, evaluation) * (1 + 1e-9));
  }
  const Embedding decoded = problem.decode(truth);
  REQUIRE(decoded.estimates.size() == 1);
  CHECK(decoded.estimates.front().first == "lapse_rate");
  CHECK(decoded.estimates.front().second == lapse);
}

TEST_CASE("answers that a map satisfies without an error have a lapse rate of 0") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(30, 2, rng);
  const Observations observations = observations_of(std::make_shared<TripletList>(triplets_of(points, 2000, 0, rng)));
  const LapseProblem problem(map_of(observations), 1);
  Executor executor;
  Evaluation evaluation(executor);
  Point truth = problem.domain().zero();
  truth.block(0) = 1000 * points;
  CHECK(problem.lapse_rate(truth, evaluation) == 0);
}

TEST_CASE("the first stage is STE, the others have the lapse rate of the previous map") {
  Rng rng(kSeed);
  const Matrix points = 2 * gaussian_points(30, 2, rng);
  const Observations observations = observations_of(std::make_shared<TripletList>(triplets_of(points, 3000, 0.2, rng)));
  const TripletMap base = map_of(observations);
  const LapseProblem problem(base, 2);
  CHECK(problem.stage_count() == 3);
  Executor executor;
  Evaluation evaluation(executor);
  Point x = problem.domain().zero();
  x.block(0) = points;
  const double lapse = problem.lapse_rate(x, evaluation);
  CHECK(problem.stage(0, x).objective(x, evaluation) == base.value(x, evaluation));
  for (const Index k : {1, 2})
    CHECK(problem.stage(k, x).objective(x, evaluation) == base.with_loss(SteLoss{lapse}).value(x, evaluation));
}

}  // namespace
}  // namespace lapse_problem_test
