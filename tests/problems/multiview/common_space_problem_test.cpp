#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "problems/catalog.hpp"
#include "problems/core/decompositions/thin_svd.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/triplet/triplet_map.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"

namespace common_space_problem_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

/// Two aspects' triplets in a list, with weights.
Observations two_lists(Rng& rng) {
  const Matrix points = gaussian_points(15, 3, rng);
  TripletList list(15);
  for (std::uint32_t aspect = 0; aspect < 2; ++aspect) {
    const TripletList drawn = weighted(triplets_of(points, 80 + 40 * aspect, 0, rng), rng);
    for (std::uint64_t i = 0; i < drawn.size(); ++i) {
      Triplet t = drawn.at(i);
      t.aspect = aspect;
      list.add(t);
    }
  }
  return observations_of(std::make_shared<TripletList>(std::move(list)));
}

Point random_point(const Problem& problem, Rng& rng) {
  Point x = problem.domain()->random(rng);
  x.vector() *= 0.7;
  return x;
}

}  // namespace

TEST_CASE("common space: the gradient is the value's and threads change no bit") {
  for (const char* variant :
       {"{ loss = soe }", "{ loss = tste, lambda = 0.1 }", "{ loss = ste, width = 3, n_components = 1 }",
        "{ loss = ckl, aspect_weights = root }", "{ loss = ete, aspect_weights = triplets, n_components = 3 }",
        "{ loss = gnmds, lambda = 0 }", "{ views = diagonal, n_components = 3, lambda = 0.2 }"}) {
    CAPTURE(variant);
    Rng rng = Rng::stream(kSeed, variant);
    for (const Observations& data : {attribute_observations(14, 4, rng), two_lists(rng)}) {
      const Problem problem = made("common_space", data, variant);
      const Point x = random_point(problem, rng);
      check_gradient(problem, x, rng);
      check_thread_independence(problem, x);
    }
  }
}

TEST_CASE("common space: the objective is the mean over aspects of mean losses, and the ridge") {
  Rng rng(kSeed);
  const Observations data = attribute_observations(14, 4, rng);
  const Problem problem = made(
      "common_space", data, "{ loss = soe, lambda = 0.3, margin = 0.2, fit_components = 2, object_weights = equal }");
  const Point x = random_point(problem, rng);
  Executor executor;
  Evaluation evaluation(executor);
  const Matrix maps = x.block(0) * x.block(1);
  const std::vector<Observations> parts = by_aspect(data);
  double expected = 0.3 * (x.block(0).squaredNorm() / 14 + x.block(1).squaredNorm() / 4);
  for (std::size_t t = 0; t < parts.size(); ++t) {
    double sum = 0;
    const TripletSource& triplets = *parts[t].triplets;
    for (std::uint64_t i = 0; i < triplets.size(); ++i) {
      const Triplet u = triplets.at(i);
      const auto m = maps.middleCols(static_cast<Index>(2 * t), 2);
      const double hinge = 0.2 + (m.row(u.anchor) - m.row(u.near)).norm() - (m.row(u.anchor) - m.row(u.far)).norm();
      if (hinge > 0) sum += hinge * hinge;
    }
    expected += sum / static_cast<double>(triplets.size()) / 4;
  }
  CHECK(problem.objective(x, evaluation) == doctest::Approx(expected).epsilon(1e-12));
}

TEST_CASE("common space: diagonal views weight the same axes, and equal views of full width have the same value") {
  Rng rng(kSeed);
  const Observations data = attribute_observations(14, 4, rng);
  const Problem weighted_axes = made("common_space", data, "{ views = diagonal, n_components = 2 }");
  const Problem full = made("common_space", data, "{ n_components = 2, fit_components = 2, width = 2 }");
  const Point x = random_point(weighted_axes, rng);
  Point same = full.domain()->zero();
  same.block(0) = x.block(0);
  for (Index t = 0; t < 4; ++t) same.block(1).middleCols(2 * t, 2) = Matrix(x.block(1).row(t).asDiagonal());
  Executor executor;
  Evaluation evaluation(executor);
  CHECK(close(weighted_axes.objective(x, evaluation), full.objective(same, evaluation), kSum));
  const Embedding maps = weighted_axes.decode(x);
  REQUIRE(maps.estimates.size() == 1 + 4 * 2);
  CHECK(maps.estimates[1].first.starts_with("weight of axis 1 in "));
  for (std::size_t t = 0; t < 4; ++t)
    for (Index c = 0; c < 2; ++c) {
      const Vector here = maps.maps[t].coordinates.col(c), there = maps.maps.front().coordinates.col(c);
      CHECK(here.dot(there) > (1 - 1e-9) * here.norm() * there.norm());  // one axis, at another scale
      CHECK(close(maps.estimates[1 + 2 * t + static_cast<std::size_t>(c)].second, here.norm() / std::sqrt(14.0), kSum));
    }
  CHECK_THROWS_AS((void)made("common_space", data, "{ views = diagonal, width = 2 }"), ConfigError);
}

TEST_CASE("common space: one aspect at full width without a ridge has the values of a map of its own") {
  Rng rng(kSeed);
  Observations data = gaussian_observations(12, 2, rng);
  const Problem common = made("common_space", data, "{ loss = soe, lambda = 0, width = 2, fit_components = 2 }");
  const Problem single =
      problem_catalog().at("soe").make(data, *value_from_text("{ margin = 0.1, lambda0 = 0 }").get_if<ValueTable>());
  Executor executor;
  Evaluation evaluation(executor);
  Point x = random_point(common, rng), map = single.domain()->zero();
  map.block(0) = x.block(0) * x.block(1);
  CHECK(common.objective(x, evaluation) * static_cast<double>(data.triplets->size()) ==
        doctest::Approx(single.objective(map, evaluation)).epsilon(1e-12));
}

TEST_CASE("common space: maps keep the distances of the factors, and rank counts their directions") {
  Rng rng(kSeed);
  const Observations data = attribute_observations(14, 4, rng);
  const Problem problem = made("common_space", data, "{ width = 3, fit_components = 2 }");
  const Point x = random_point(problem, rng);
  const Embedding maps = problem.decode(x);
  REQUIRE(maps.maps.size() == 4);
  CHECK_FALSE(maps.latent_views);
  for (Index t = 0; t < 4; ++t) {
    const Matrix of_factors = x.block(0) * x.block(1).middleCols(2 * t, 2);
    const AspectMap& map = maps.maps[static_cast<std::size_t>(t)];
    CHECK(map.name == aspect_names(data)[static_cast<std::size_t>(t)]);
    for (Index i = 1; i < 14; ++i)
      CHECK((map.coordinates.row(i) - map.coordinates.row(0)).norm() ==
            doctest::Approx((of_factors.row(i) - of_factors.row(0)).norm()).epsilon(1e-12));
  }
  CHECK(maps.estimates.front() == std::pair<std::string, double>("rank", 3));
}

TEST_CASE("common space: a map fitted in more dimensions shows the widest ones") {
  Rng rng(kSeed);
  const Observations data = attribute_observations(14, 4, rng);
  const Problem problem = made("common_space", data, "{ fit_components = 5 }");
  Point x = random_point(problem, rng);
  const Matrix fitted = x.block(0) * x.block(1).middleCols(5, 5);
  const Matrix centred = fitted.rowwise() - fitted.colwise().mean();
  const Vector widths = ThinSvd(centred).values();
  const Matrix shown = problem.decode(x).maps[1].coordinates;
  REQUIRE(shown.cols() == 2);
  for (Index c = 0; c < 2; ++c) CHECK(shown.col(c).norm() == doctest::Approx(widths[c]).epsilon(1e-10));
  CHECK_THROWS_AS(static_cast<void>(made("common_space", data, "{ fit_components = 1 }")), ConfigError);
}

TEST_CASE("common space: an object's ridge grows with the number of aspects that observe it") {
  Rng rng(kSeed);
  Observations data = attribute_observations(14, 4, rng);
  std::vector<AttributeTable::Aspect> aspects = data.attributes->aspects();
  for (auto& aspect : aspects) std::ranges::fill(aspect.codes, 0);
  for (std::size_t i = 0; i < 14; ++i)
    for (std::size_t t = 0; t < 4; ++t) aspects[t].codes[i] = i % 4 == 3 && t > 1 ? AttributeTable::kMissing : i % 2;
  data.attributes = std::make_shared<AttributeTable>(14, std::move(aspects));
  data.triplets = data.attributes;
  const Problem weighted = made("common_space", data, "{ lambda = 1 }"),
                equal = made("common_space", data, "{ lambda = 1, object_weights = equal }");
  Executor executor;
  Evaluation evaluation(executor);
  const Point x = random_point(weighted, rng);
  double expected = 0, mean = 0;
  for (Index i = 0; i < 14; ++i) mean += (i % 4 == 3 ? 2.0 : 4.0) / 14;
  for (Index i = 0; i < 14; ++i)
    expected += ((i % 4 == 3 ? 2.0 : 4.0) / mean - 1) * x.block(0).row(i).squaredNorm() / 14;
  CHECK(weighted.objective(x, evaluation) - equal.objective(x, evaluation) == doctest::Approx(expected).epsilon(1e-10));
}

TEST_CASE(
    "common space: an aspect without a triplet is shown what the others share, and the row says "
    "so") {
  Rng rng(kSeed);
  Observations data = attribute_observations(14, 3, rng);
  std::vector<AttributeTable::Aspect> aspects = data.attributes->aspects();
  aspects.push_back({"constant", std::vector<std::int32_t>(14, 0), {"yes"}});
  for (auto& aspect : aspects) aspect.codes[5] = AttributeTable::kMissing;  // nothing is known of object 5
  data.attributes = std::make_shared<AttributeTable>(14, std::move(aspects));
  data.triplets = data.attributes;
  data.aspects = {"a", "b", "c", "constant"};
  const Problem problem = made("common_space", data);
  REQUIRE(problem.notes().size() == 2);
  CHECK(problem.notes()[0].find("constant") != std::string::npos);
  CHECK(problem.notes()[1].find("1 of 14 objects") != std::string::npos);
  const Embedding maps = problem.decode(random_point(problem, rng));
  for (const AspectMap& map : maps.maps) CHECK(map.coordinates.row(5).norm() < 0.01 * map.coordinates.norm());
  CHECK(maps.maps[3].coordinates.allFinite());
  CHECK(maps.maps[3].coordinates.norm() > 0.1);
  // One aspect alone, and none of whose triplets there are.
  CHECK(made("common_space", by_aspect(data)[0])
            .decode(made("common_space", by_aspect(data)[0]).start(rng))
            .maps.size() == 1);
  CHECK_THROWS_AS(static_cast<void>(made("common_space", by_aspect(data)[3])), DataError);
}

}  // namespace common_space_problem_test
