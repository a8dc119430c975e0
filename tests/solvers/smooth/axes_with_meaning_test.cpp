// Methods whose axes have a meaning: those that made the answers come out again, by SPoSE and by common axes (INDSCAL).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "problems/catalog.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/multiview/preservation.hpp"
#include "problems/triplet/odd_one_out_map.hpp"
#include "solvers/public/solve.hpp"
#include "tests/support/odd_one_out_study.hpp"

namespace axes_with_meaning_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::triplet;

/// Of the axes of a map with one that is true, without its sign.
double best_correlation(const Matrix& map, const Vector& truth) {
  const Vector y = truth.array() - truth.mean();
  double best = 0;
  for (Index c = 0; c < map.cols(); ++c) {
    const Vector x = map.col(c).array() - map.col(c).mean();
    best = std::max(best, std::abs(x.dot(y)) / (x.norm() * y.norm()));
  }
  return best;
}

TEST_CASE("the axes that made the answers are found, with their number") {
  Rng rng(76);
  constexpr Index kAxes = 5;
  OddOneOutStudy study(60, kAxes, 20'000, rng);
  const Problem problem{"spose", OddOneOutMap(study.observations, {.n_components = 15})};
  const Solved found = solve(problem, "projected_lbfgs", {.seed = 3});
  const AspectMap map = problem.decode(found.solution).maps.front();
  CHECK(map.similarity == Similarity::scalar_product);
  REQUIRE(map.coordinates.cols() == kAxes);
  CHECK(map.coordinates.minCoeff() >= 0);
  const Vector sums = map.coordinates.colwise().sum();
  CHECK(std::ranges::is_sorted(sums, std::greater{}));
  for (Index b = 0; b < kAxes; ++b) {
    CAPTURE(b);
    CHECK(best_correlation(map.coordinates, study.truth.col(b)) > 0.95);
  }
  // Judged by scalar products, ties among them, it errs no more often than what made the answers.
  const auto error_of = [&](const AspectMap& shown) {
    const auto count = multiview::satisfied_by_aspect(std::span(&shown, 1), *study.observations.triplets).front();
    return 1 - count.satisfied / count.total;
  };
  CHECK(error_of(map) < error_of({"", study.truth, {}, Similarity::scalar_product}) + 0.002);
}

TEST_CASE("many weak axes are found by the default weight of the L1 term, none of noise with them") {
  Rng rng(78);
  constexpr Index kAxes = 20;
  const OddOneOutStudy study(100, kAxes, 53'000, rng, 0.6);
  const Problem problem{"spose", OddOneOutMap(study.observations, {.n_components = 40})};
  const Matrix map = problem.decode(solve(problem, "projected_lbfgs", {.seed = 3}).solution).only();
  CHECK(map.cols() == kAxes);
  for (Index b = 0; b < kAxes; ++b) {
    CAPTURE(b);
    CHECK(best_correlation(map, study.truth.col(b)) > 0.8);
  }
}

TEST_CASE("vice: the axes that made the answers are found, and the intervals of their numbers hold most true ones") {
  Rng rng(77);
  constexpr Index kAxes = 4;
  const OddOneOutStudy study(40, kAxes, 6000, rng);
  ValueTable options;
  options.set("n_components", 8);
  options.set("seed", 1);
  const Problem problem = problem_catalog().at("vice").make(study.observations, options);
  const Solved found = solve(problem, "ceres", {.seed = 3});
  const Matrix map = problem.decode(found.solution).only();
  REQUIRE(map.cols() == kAxes);
  const Point& x = std::get<Point>(found.solution);
  Index held = 0, all = 0;
  for (Index b = 0; b < kAxes; ++b) {
    CAPTURE(b);
    CHECK(best_correlation(map, study.truth.col(b)) > 0.95);
    Index own = 0;  // the axis among those of the posterior distribution
    for (Index c = 1; c < x.block(0).cols(); ++c)
      if ((x.block(0).col(c) - study.truth.col(b)).norm() < (x.block(0).col(own) - study.truth.col(b)).norm()) own = c;
    for (Index o = 0; o < 40; ++o) {
      if (study.truth(o, b) == 0) continue;
      ++all;
      held += std::abs(x.block(0)(o, own) - study.truth(o, b)) < 1.96 * std::exp(x.block(1)(o, own));
    }
  }
  CAPTURE(held);
  CHECK(static_cast<double>(held) > 0.8 * static_cast<double>(all));
}

TEST_CASE("answers that say nothing leave one axis") {
  auto list = std::make_shared<TripletList>(Index{3});
  list->add({0, 1, 2});
  list->add({0, 2, 1});
  const Problem problem{"spose", OddOneOutMap(observations_of(list), {.n_components = 4, .l1_scale = 3})};
  const Solved found = solve(problem, "projected_lbfgs");
  const Embedding map = problem.decode(found.solution);
  CHECK(map.only().cols() == 1);
  CHECK(map.only().maxCoeff() == 0);
}

TEST_CASE("aspects that weight the same axes show them on every map") {
  Rng rng(75);
  const Matrix axes = gaussian_points(40, 3, rng);
  Matrix weights(4, 3);
  weights << 2, 0.3, 1, 0.3, 2, 1, 1, 1, 0.2, 1.5, 0.5, 2;
  TripletList list(40);
  for (Index t = 0; t < weights.rows(); ++t)
    triplets_of(axes * weights.row(t).asDiagonal(), 3000, 0.05, rng).each([&](std::uint64_t, Triplet answer) {
      answer.aspect = static_cast<std::uint32_t>(t);
      list.add(answer);
    });
  const Observations data = observations_of(std::make_shared<TripletList>(std::move(list)));
  ValueTable options;
  options.set("views", "diagonal");
  options.set("n_components", 3);
  const Problem problem = problem_catalog().at("common_space").make(data, options);
  const Embedding found = problem.decode(solve(problem, "ceres", {.seed = 2}).solution);
  REQUIRE(found.maps.size() == 4);
  for (const AspectMap& map : found.maps)
    for (Index c = 0; c < 3; ++c) CHECK(best_correlation(map.coordinates, axes.col(c)) > 0.97);
  // 2 : 0.3 on the first map, for axes of about the same width.
  const Vector widths = found.maps.front().coordinates.colwise().norm();
  CHECK(widths.maxCoeff() / widths.minCoeff() > 4);
}

}  // namespace
}  // namespace axes_with_meaning_test
