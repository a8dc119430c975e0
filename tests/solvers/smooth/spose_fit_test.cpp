// SPoSE by L-BFGS within bounds: the axes that made the answers come out again.
#include <doctest/doctest.h>

#include <algorithm>

#include "problems/contract/problem_model.hpp"
#include "problems/multiview/preservation.hpp"
#include "problems/triplet/spose_problem.hpp"
#include "solvers/public/solve.hpp"
#include "tests/support/odd_one_out_study.hpp"

namespace spose_fit_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::triplet;

TEST_CASE("the axes that made the answers are found, with their number") {
  Rng rng(76);
  constexpr Index kAxes = 5;
  OddOneOutStudy study(60, kAxes, 20'000, rng);
  const Problem problem{"spose", SposeProblem(study.observations, {.n_components = 15})};
  const Solved found = solve(problem, "projected_lbfgs", {.seed = 3});
  const AspectMap map = problem.decode(found.solution).maps.front();
  CHECK(map.similarity == Similarity::scalar_product);
  REQUIRE(map.coordinates.cols() == kAxes);
  CHECK(map.coordinates.minCoeff() >= 0);
  const Vector sums = map.coordinates.colwise().sum();
  CHECK(std::ranges::is_sorted(sums, std::greater{}));
  const auto correlation = [&](Index a, Index b) {
    const Vector x = map.coordinates.col(a).array() - map.coordinates.col(a).mean(),
                 y = study.truth.col(b).array() - study.truth.col(b).mean();
    return x.dot(y) / (x.norm() * y.norm());
  };
  for (Index b = 0; b < kAxes; ++b) {
    CAPTURE(b);
    double best = 0;
    for (Index a = 0; a < kAxes; ++a) best = std::max(best, correlation(a, b));
    CHECK(best > 0.95);
  }
  // Judged by scalar products, ties among them, it errs no more often than what made the answers.
  const auto error_of = [&](const AspectMap& shown) {
    const auto count = multiview::satisfied_by_aspect(std::span(&shown, 1), *study.observations.triplets).front();
    return 1 - static_cast<double>(count.satisfied) / static_cast<double>(count.total);
  };
  CHECK(error_of(map) < error_of({"", study.truth, {}, Similarity::scalar_product}) + 0.002);
}

TEST_CASE("answers that say nothing leave one axis") {
  auto list = std::make_shared<TripletList>(Index{3});
  list->add({0, 1, 2});
  list->add({0, 2, 1});
  const Problem problem{"spose", SposeProblem(observations_of(list), {.n_components = 4, .l1_scale = 3})};
  const Solved found = solve(problem, "projected_lbfgs");
  const Embedding map = problem.decode(found.solution);
  CHECK(map.only().cols() == 1);
  CHECK(map.only().maxCoeff() == 0);
}

}  // namespace
}  // namespace spose_fit_test
