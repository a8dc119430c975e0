// SPoSE: the likelihood of odd ones out by hand, and its gradient by differences.
#include "problems/triplet/odd_one_out_map.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/contract/problem_model.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/odd_one_out_study.hpp"

namespace odd_one_out_map_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::triplet;

struct Evaluated {
  double value;
  Point gradient;
};
Evaluated evaluated(const OddOneOutMap& problem, const Point& x, int threads = 1) {
  Executor executor(threads);
  Evaluation evaluation(executor);
  Evaluated out{0, problem.domain().zero()};
  out.value = problem.value_and_gradient(x, out.gradient, evaluation);
  CHECK(out.value == problem.value(x, evaluation));
  return out;
}

Point drawn(const OddOneOutMap& problem, Rng& rng) {
  Point out = problem.domain().zero();
  for (double& number : out.flat()) number = rng.uniform(0, 1.5);
  return out;
}

TEST_CASE("an odd one out is one answer of three, and all others are a choice of two") {
  Rng rng(71);
  OddOneOutStudy study(8, 2, 30, rng);
  const OddOneOutMap together(study.observations, {.n_components = 3, .l1_scale = 0});
  CHECK(together.notes().empty());
  Observations untagged = study.observations;
  untagged.answer = nullptr;
  const OddOneOutMap apart(untagged, {.n_components = 3, .l1_scale = 0});
  REQUIRE(apart.notes().size() == 1);
  CHECK(apart.notes().front() == "60 of 60 answers choose between two objects, not the odd one of three.");
  CHECK(close(evaluated(together, together.domain().zero()).value, 30 * std::log(3.0), kSum));
  CHECK(close(evaluated(apart, apart.domain().zero()).value, 60 * std::log(2.0), kSum));

  const Point x = drawn(together, rng);
  const auto similar = [&](ObjectId a, ObjectId b) {
    return std::exp(x.block(0).row(static_cast<Index>(a)).dot(x.block(0).row(static_cast<Index>(b))));
  };
  double of_three = 0, of_two = 0;
  for (std::uint64_t t = 0; t < 60; ++t) {
    const Triplet answer = study.observations.triplets->at(t);
    const double chosen = similar(answer.anchor, answer.near), other = similar(answer.anchor, answer.far);
    of_two -= std::log(chosen / (chosen + other));
    if (t % 2 == 0) of_three -= std::log(chosen / (chosen + other + similar(answer.near, answer.far)));
  }
  CHECK(close(evaluated(together, x).value, of_three, kSum));
  CHECK(close(evaluated(apart, x).value, of_two, kSum));
}

TEST_CASE("gradients are differences of values, weights count, and threads change no bit") {
  Rng rng(72);
  OddOneOutStudy study(12, 3, 9000, rng);  // more than one chunk
  study.observations.triplets =
      std::make_shared<TripletList>(weighted(TripletList::copy_of(*study.observations.triplets), rng));
  const OddOneOutMap problem(study.observations, {.n_components = 58});  // loops over 8, 4, 2 and 1 vectors
  CHECK(problem.lambda1() > 0);
  const Point x = drawn(problem, rng);
  const Evaluated at = evaluated(problem, x);
  for (std::size_t k = 0; k < x.flat().size(); ++k) {
    constexpr double kStep = 1e-6;
    Point above = x, below = x;
    above.flat()[k] += kStep;
    below.flat()[k] -= kStep;
    CHECK(close(at.gradient.flat()[k],
                (evaluated(problem, above).value - evaluated(problem, below).value) / (2 * kStep), {1e-5, 1e-3}));
  }
  const Evaluated parallel = evaluated(problem, x, 3);
  CHECK(parallel.value == at.value);
  CHECK(parallel.gradient.vector() == at.gradient.vector());
}

TEST_CASE("similarities of any size stay finite") {
  Rng rng(73);
  OddOneOutStudy study(6, 2, 40, rng);
  const OddOneOutMap problem(study.observations, {.n_components = 2});
  CHECK(close(problem.lambda1(), 0.8 * std::cbrt(40.0 / 6), kSum));
  Point x = drawn(problem, rng);
  x.vector() *= 1e3;
  const Evaluated at = evaluated(problem, x);
  CHECK(std::isfinite(at.value));
  CHECK(at.gradient.vector().allFinite());
}

}  // namespace
}  // namespace odd_one_out_map_test
