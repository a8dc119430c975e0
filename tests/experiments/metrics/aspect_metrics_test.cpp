// Metrics of maps of aspects: what they preserve, what hidden objects have near them, how the maps are related.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/metrics/relatedness.hpp"
#include "problems/evidence/aspects.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"

namespace aspect_metrics_test {

using namespace alidade;
using namespace alidade::metrics;

namespace {

Embedding random_maps(const Observations& data, Rng& rng) {
  Embedding out;
  for (const std::string& name : aspect_names(data))
    out.maps.push_back({name, testing::gaussian_points(data.object_count(), 2, rng)});
  return out;
}

/// Per aspect the triplets of `all` that are not among those of `without`, one by one; mean of shares.
double share_of_rest(const Embedding& embedding, const AttributeTable& all, const AttributeTable& without) {
  double sum = 0;
  int aspects = 0;
  std::vector<std::uint64_t> right(static_cast<std::size_t>(all.aspect_count())), total = right;
  for (std::uint64_t u = 0; u < all.size(); ++u) {
    const Triplet t = all.at(u);
    const auto& codes = without.aspects()[t.aspect].codes;
    const auto seen = [&](ObjectId i) { return codes[i] != AttributeTable::kMissing; };
    if (seen(t.anchor) && seen(t.near) && seen(t.far)) continue;
    const Matrix& y = embedding.maps[t.aspect].coordinates;
    right[t.aspect] += (y.row(t.anchor) - y.row(t.near)).squaredNorm() < (y.row(t.anchor) - y.row(t.far)).squaredNorm();
    ++total[t.aspect];
  }
  for (std::size_t t = 0; t < total.size(); ++t) {
    if (total[t] == 0) continue;
    sum += static_cast<double>(right[t]) / static_cast<double>(total[t]);
    ++aspects;
  }
  return sum / aspects;
}

double metric(const char* name, const MetricInput& input) { return metric_catalog().at(name).compute(input); }

}  // namespace

TEST_CASE("preservation is a mean over aspects with triplets, not over triplets") {
  CHECK(mean_satisfied({{1, 2}, {0, 0}, {100, 100}}) == 0.75);
  CHECK(std::isnan(mean_satisfied({{0, 0}})));
  CHECK(std::isnan(mean_satisfied({})));
}

TEST_CASE("hidden preservation is that of all triplets but the observed ones, counted one by one") {
  constexpr std::uint64_t kSeed = 5;
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Observations all = testing::attribute_observations(30, 6, rng);
  const Embedding maps = random_maps(all, rng);
  for (const double fraction : {0.2, 0.5, 0.8}) {
    const Observations seen = with_hidden_objects(all, fraction, HideUnit::object, 3);
    const MetricInput input{maps, {seen, nullptr, &all}};
    CAPTURE(fraction);
    CHECK(metric("preservation_hidden", input) ==
          doctest::Approx(share_of_rest(maps, *all.attributes, *seen.attributes)).epsilon(1e-14));
    const AttributeTable none(30, [&] {
      auto columns = all.attributes->aspects();
      for (auto& column : columns) column.codes.assign(30, AttributeTable::kMissing);
      return columns;
    }());
    CHECK(metric("preservation_overall", input) ==
          doctest::Approx(share_of_rest(maps, *all.attributes, none)).epsilon(1e-14));
    CHECK(metric("preservation_observed", input) ==
          doctest::Approx(share_of_rest(maps, *seen.attributes, none)).epsilon(1e-14));
    // Listed triplets are judged alike.
    Observations listed_all = all, listed_seen = seen;
    listed_all.triplets = std::make_shared<TripletList>(TripletList::copy_of(*all.triplets));
    listed_seen.triplets = std::make_shared<TripletList>(TripletList::copy_of(*seen.triplets));
    const MetricInput listed{maps, {listed_seen, nullptr, &listed_all}};
    for (const char* name : {"preservation_overall", "preservation_observed", "preservation_hidden"})
      CHECK(metric(name, listed) == metric(name, input));
  }
}

TEST_CASE("where nothing is hidden, overall covers training and held-out triplets, and hidden does not apply") {
  Rng rng(6);
  const Observations all = testing::attribute_observations(20, 3, rng);
  const Embedding maps = random_maps(all, rng);
  const MetricInput whole{maps, {all}};
  CHECK(metric("preservation_overall", whole) == metric("preservation_observed", whole));
  CHECK(std::isnan(metric("preservation_hidden", whole)));

  Observations train = all;
  const TripletSplit split = hold_out(all.triplets, 0.4, 9);
  train.triplets = split.train;
  const MetricInput input{maps, {train, split.heldout.get()}};
  CHECK(metric("preservation_overall", input) == metric("preservation_overall", whole));
  CHECK(metric("preservation_observed", input) != metric("preservation_observed", whole));
}

TEST_CASE("all aspects judge a single map; none judges unmatched views") {
  Rng rng(7);
  const Observations all = testing::attribute_observations(20, 3, rng);
  Embedding one{{{"", testing::gaussian_points(20, 2, rng)}}};
  Embedding copies;
  for (int t = 0; t < 3; ++t) copies.maps.push_back({"", one.only()});
  CHECK(metric("preservation_overall", {one, {all}}) == metric("preservation_overall", {copies, {all}}));
  one.latent_views = copies.latent_views = true;
  CHECK(std::isfinite(metric("preservation_overall", {one, {all}})));
  for (const char* name : {"preservation_overall", "preservation_observed", "preservation_hidden"})
    CHECK(std::isnan(metric(name, {copies, {all, nullptr, &all}})));
  const Observations nothing = [] {
    Observations out;
    out.objects = {"a", "b", "c"};
    return out;
  }();
  CHECK(std::isnan(metric("preservation_overall", {one, {nothing}})));
}

TEST_CASE("hidden preservation does not apply if training triplets were reversed") {
  Rng rng(8);
  const Observations all = testing::attribute_observations(20, 3, rng);
  const Embedding maps = random_maps(all, rng);
  const Observations seen = with_hidden_objects(all, 0.5, HideUnit::object, 3);
  CHECK(std::isfinite(metric("preservation_hidden", {maps, {seen, nullptr, &all}})));
  CHECK(std::isnan(metric("preservation_hidden", {maps, {seen, nullptr, &all, nullptr, true}})));
}

TEST_CASE("hidden objects are judged by the observed objects of their aspect, by hand") {
  // Aspect 0: 0, 1 (value a) and 4 (value b) are observed; hidden are 2 (a) and 3 (b). Ten neighbours are all three,
  // so a wins: 2 is right and 3 wrong. Aspect 1: nothing is hidden, it does not count.
  Observations all, seen;
  const auto table = [](std::vector<std::int32_t> first) {
    return std::make_shared<const AttributeTable>(
        5,
        std::vector<AttributeTable::Aspect>{{"t", std::move(first), {"a", "b"}}, {"s", {0, 0, 0, 1, 1}, {"c", "d"}}});
  };
  all.attributes = table({0, 0, 0, 1, 1});
  seen.attributes = table({0, 0, -1, -1, 1});
  all.triplets = all.attributes;
  seen.triplets = seen.attributes;
  Matrix line(5, 1);
  line << 0, 1, 2, 9, 10;
  const Embedding one{{{"", line}}};
  CHECK(knn_accuracy_hidden({one, {seen, nullptr, &all}}) == 0.5);
  Matrix lost = line;
  lost(2, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK(knn_accuracy_hidden({Embedding{{{"", lost}, {"", line}}}, {seen, nullptr, &all}}) == 0);
  CHECK(std::isnan(knn_accuracy_hidden({one, {seen}})));
  CHECK(std::isnan(knn_accuracy_hidden({one, {all, nullptr, &all}})));
  CHECK(std::isnan(knn_accuracy_hidden({Embedding{{{"", line}, {"", line}}, {}, true}, {seen, nullptr, &all}})));

  // Equal votes go to the nearer: one of each value is left for 3.
  seen.attributes = table({0, -1, -1, -1, 1});
  CHECK(knn_accuracy_hidden({one, {seen, nullptr, &all}}) == 1);
}

TEST_CASE("mutual information over the smaller entropy: copies 1, independent ones 0, and a case by hand") {
  const AttributeTable table(4, {{"a", {0, 0, 1, 1}, {"x", "y"}},
                                 {"copy", {1, 1, 0, 0}, {"x", "y"}},
                                 {"independent", {0, 1, 0, 1}, {"x", "y"}},
                                 {"finer", {0, 1, 2, 3}, {"p", "q", "r", "s"}},
                                 {"skew", {0, 0, 0, 1}, {"x", "y"}},
                                 {"constant", {0, 0, 0, 0}, {"x"}},
                                 {"half known", {0, -1, 1, -1}, {"x", "y"}}});
  const Matrix nmi = normalized_mutual_information(table);
  CHECK(nmi(4, 0) == nmi(0, 4));
  CHECK(nmi(0, 0) == doctest::Approx(1));
  CHECK(nmi(0, 1) == doctest::Approx(1));
  CHECK(nmi(0, 2) == doctest::Approx(0));
  CHECK(nmi(0, 3) == doctest::Approx(1));
  const double h = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
  CHECK(nmi(0, 4) == doctest::Approx((h - 0.5 * std::log(2)) / h));
  CHECK(std::isnan(nmi(0, 5)));
  CHECK(nmi(0, 6) == doctest::Approx(1));
  CHECK(std::isnan(nmi(2, 6)));  // constant where both are known
}

TEST_CASE("similarity transforms do not change how alike maps are; maps without extent are not compared") {
  constexpr std::uint64_t kSeed = 21;
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Matrix x = testing::gaussian_points(25, 2, rng), y = testing::gaussian_points(25, 3, rng);
  Matrix turned(25, 2);
  turned << -x.col(1), x.col(0);
  turned = (3 * turned).rowwise() + Eigen::RowVector2d(4, -5);
  CHECK(linear_cka(x, x) == doctest::Approx(1));
  CHECK(linear_cka(x, turned) == doctest::Approx(1));
  CHECK(linear_cka(x, y) == doctest::Approx(linear_cka(turned, y)));
  CHECK(linear_cka(x, y) == doctest::Approx(linear_cka(y, x)));
  CHECK(linear_cka(x, y) < 0.7);
  CHECK(std::isnan(linear_cka(x, Matrix::Constant(25, 2, 1))));
  Matrix gap = turned;
  gap.row(3).setConstant(std::numeric_limits<double>::quiet_NaN());
  CHECK(linear_cka(x, gap) == doctest::Approx(1));
  // By hand: on a line 0, 1, 3 and 0, 1, 2 the centred products are 3, 14/3 and 2.
  Matrix a(3, 1), b(3, 1);
  a << 0, 1, 3;
  b << 0, 1, 2;
  CHECK(linear_cka(a, b) == doctest::Approx(9 / (14.0 / 3 * 2)));
}

TEST_CASE("agreement is Pearson's correlation per aspect over the others, and the median of those") {
  Matrix a(4, 4), b(4, 4);
  a << 9, 1, 2, 3,  //
      1, 9, 2, 4,   //
      2, 2, 9, 5,   //
      3, 4, 5, 9;
  b = (2 * a).array() + 1;
  CHECK(agreement_range(a, b).median == doctest::Approx(1));
  CHECK(agreement_range(a, -b).median == doctest::Approx(-1));
  b.diagonal().setConstant(-100);
  CHECK(agreement_range(a, b).median == doctest::Approx(1));  // an aspect is not compared with itself
  // Rows of others: (1 2 3) with (2 1 3), (1 2 4) with (2 3 1), (2 2 5) with (1 3 5), (3 4 5) with (3 1 5).
  b << 0, 2, 1, 3,  //
      2, 0, 3, 1,   //
      1, 3, 0, 5,   //
      3, 1, 5, 0;
  CHECK(agreement_range(a, b).median == doctest::Approx(0.5));
  CHECK(agreement_range(a, b).lowest < 0.5);
  CHECK(agreement_range(a, b).highest > 0.5);
  // Three aspects have two others each: too few.
  CHECK(std::isnan(agreement_range(Matrix(a.topLeftCorner(3, 3)), Matrix(b.topLeftCorner(3, 3))).median));
  CHECK(std::isnan(agreement_range(a, Matrix::Constant(4, 4, 0.1)).median));
}

TEST_CASE("agreement by planes ignores the sign of a normal, agreement by normals does not") {
  Rng rng(31);
  const Observations data = testing::attribute_observations(40, 5, rng);
  Embedding maps = random_maps(data, rng);
  CHECK(std::isnan(relatedness_angle({maps, {data}}).median));  // no normals
  CHECK(std::isfinite(relatedness_maps({maps, {data}}).median));
  for (AspectMap& map : maps.maps) map.normal = testing::gaussian_points(1, 3, rng).row(0).normalized();
  const double angle = relatedness_angle({maps, {data}}).median;
  CHECK(std::isfinite(angle));
  // Where all normals are within a right angle of one another, they are as alike as their planes but for the scale.
  const Embedding drawn = maps;
  for (AspectMap& map : maps.maps) map.normal = (map.normal.cwiseAbs()).eval();
  const auto of_normals = relatedness_angle({maps, {data}}), of_planes = relatedness_planes({maps, {data}});
  CHECK(of_normals.lowest == doctest::Approx(of_planes.lowest));
  CHECK(of_normals.median == doctest::Approx(of_planes.median));
  CHECK(of_normals.highest == doctest::Approx(of_planes.highest));
  // A negative normal is another normal of the same plane.
  maps.maps[2].normal *= -1;
  CHECK(relatedness_angle({maps, {data}}).median != doctest::Approx(of_normals.median));
  CHECK(relatedness_planes({maps, {data}}).median == doctest::Approx(of_planes.median));
  maps = drawn;
  // What is hidden from a method is no secret to its judge.
  const Observations seen = with_hidden_objects(data, 0.5, HideUnit::object, 3);
  CHECK(relatedness_angle({maps, {seen, nullptr, &data}}).median == angle);
  maps.latent_views = true;
  CHECK(std::isnan(relatedness_angle({maps, {data}}).median));
  CHECK(std::isnan(relatedness_maps({maps, {data}}).median));
}

TEST_SUITE("needs data") {
  TEST_CASE("Zoo and HouseVote have the triplets per aspect that were counted elsewhere, and are counted exactly") {
    ALIDADE_NEEDS_DATA();
    std::ifstream in(std::string(testing::test_folder()) + "/problems/data/multiview_reference.json");
    const nlohmann::json counts = nlohmann::json::parse(in)["data_counts"];
    const datasets::DatasetContext context{.folder = datasets::data_folder(std::nullopt)};
    for (const auto& [name, key] :
         {std::pair("zoo", "zoo_per_aspect"), std::pair("house_votes", "housevote_per_aspect")}) {
      const Observations data = datasets::dataset_catalog().at(name).load({}, context);
      const std::vector<double> expected = counts[key];
      Rng rng(11);
      const Embedding maps = random_maps(data, rng);
      const auto result = multiview::satisfied_by_aspect(maps.maps, *data.triplets);
      REQUIRE(result.size() == expected.size());
      for (std::size_t t = 0; t < result.size(); ++t) CHECK(result[t].total == expected[t]);
      if (data.triplets->size() < 10'000'000)
        CHECK(result == multiview::satisfied_by_aspect(maps.maps, TripletList::copy_of(*data.triplets)));
    }
  }

  TEST_CASE("mutual information of Zoo's attributes agrees with an independent computation") {
    ALIDADE_NEEDS_DATA();
    const Observations zoo =
        datasets::dataset_catalog().at("zoo").load({}, {.folder = datasets::data_folder(std::nullopt)});
    const auto find = [&](const std::string& name) {
      return static_cast<Index>(std::ranges::find(zoo.aspects, name) - zoo.aspects.begin());
    };
    const Matrix nmi = normalized_mutual_information(*zoo.attributes);
    CHECK(nmi(find("type"), find("legs")) == doctest::Approx(0.6701933820617754).epsilon(1e-12));
    CHECK(nmi(find("milk"), find("eggs")) == doctest::Approx(0.8078044624581868).epsilon(1e-12));
  }
}

}  // namespace aspect_metrics_test
