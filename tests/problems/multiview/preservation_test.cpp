#include "problems/multiview/preservation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "problems/core/error.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"

namespace alidade::multiview::preservation_test {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
constexpr double kFarAway = std::numeric_limits<double>::infinity();

using Counts = std::vector<SatisfiedCount>;

/// One triplet after the other, by the definition.
Counts brute_force(const std::vector<Matrix>& maps, const TripletSource& source) {
  Counts out(static_cast<std::size_t>(source.aspect_count()));
  for (std::uint64_t u = 0; u < source.size(); ++u) {
    const Triplet t = source.at(u);
    const Matrix& y = maps[maps.size() > 1 ? t.aspect : 0];
    double near = 0, far = 0;
    for (Index c = 0; c < y.cols(); ++c) {
      near += std::pow(y(t.anchor, c) - y(t.near, c), 2);
      far += std::pow(y(t.anchor, c) - y(t.far, c), 2);
    }
    ++out[t.aspect].total;
    if (near < far) ++out[t.aspect].satisfied;
  }
  return out;
}

std::vector<AspectMap> named(const std::vector<Matrix>& maps) {
  std::vector<AspectMap> out;
  for (const Matrix& map : maps) out.push_back({"", map});
  return out;
}

nlohmann::json class_triplets() {
  std::ifstream in(std::string(alidade::testing::test_folder()) + "/problems/data/multiview_reference.json");
  REQUIRE(in.good());
  return nlohmann::json::parse(in)["class_triplets"];
}

}  // namespace

TEST_CASE(
    "counts over a table equal those over its triplets one by one, ties and missing places "
    "included") {
  constexpr std::uint64_t kSeed = 71;
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const Index n : {2, 5, 17, 40})
    for (const Index d : {1, 2, 4}) {
      const Observations all = testing::attribute_observations(n, 5, rng);
      std::vector<Matrix> maps;
      for (int t = 0; t < 5; ++t) maps.push_back(testing::gaussian_points(n, d, rng));
      maps[1] = maps[1].array().round();  // many ties
      maps[2].setConstant(0.5);
      maps[3].row(n / 2).setConstant(kNowhere);
      maps[4](0, 0) = kFarAway;
      maps[4](n - 1, d - 1) = -kFarAway;
      const TripletList list = TripletList::copy_of(*all.triplets);
      CAPTURE(n);
      CAPTURE(d);
      CHECK(satisfied_by_aspect(named(maps), *all.triplets) == brute_force(maps, *all.triplets));
      const Counts listed = satisfied_by_aspect(named(maps), list), counted = brute_force(maps, list);
      CHECK(listed == counted);
      for (const Matrix& one : maps) {
        CHECK(satisfied_by_aspect(one, *all.triplets) == brute_force({one}, *all.triplets));
        CHECK(satisfied_by_aspect(named({one}), *all.triplets) == brute_force({one}, *all.triplets));
      }
      if (all.triplets->size() < 4) continue;
      const TripletSplit split = hold_out(all.triplets, 0.3, rng.next());
      const Counts whole = satisfied_by_aspect(named(maps), *all.triplets),
                   train = satisfied_by_aspect(named(maps), *split.train),
                   test = satisfied_by_aspect(named(maps), *split.heldout);
      for (std::size_t t = 0; t < whole.size(); ++t) {
        CHECK(train[t].satisfied + test[t].satisfied == whole[t].satisfied);
        CHECK(train[t].total + test[t].total == whole[t].total);
      }
    }
}

TEST_CASE(
    "counts on the reference classes are those computed elsewhere, with distances rounded to "
    "integers too") {
  const nlohmann::json reference = class_triplets();
  const std::vector<std::int32_t> labels = reference["labels"];
  const std::vector<std::vector<double>> points = reference["points"];
  const auto n = static_cast<Index>(labels.size());
  Matrix map(n, 2);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < 2; ++c) map(i, c) = points[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
  std::vector<AttributeTable::Aspect> column{{"label", labels, {"0", "1", "2"}}};
  const AttributeTable table(n, std::move(column));
  const Counts counts = satisfied_by_aspect(map, table);
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].total == reference["number_of_ordered_triplets"].get<double>());
  CHECK(counts[0].satisfied == reference["satisfied"].get<double>());

  std::uint64_t rounded = 0;
  for (Index j = 0; j < n; ++j) {
    std::vector<double> near, far;
    for (Index o = 0; o < n; ++o) {
      if (o == j) continue;
      const bool together = labels[static_cast<std::size_t>(o)] == labels[static_cast<std::size_t>(j)];
      (together ? near : far).push_back(std::round((map.row(o) - map.row(j)).norm()));
    }
    rounded += ordered_pair_count(near, far);
  }
  CHECK(rounded == reference["satisfied_with_distances_rounded_to_integers_strict"].get<std::uint64_t>());
}

TEST_CASE("an aspect without triplets counts zero, and maps that do not fit are refused") {
  const AttributeTable table(
      3, {{"constant", {0, 0, 0}, {"a"}}, {"unknown", {-1, -1, -1}, {"a"}}, {"split", {0, 0, 1}, {"a", "b"}}});
  Matrix map(3, 1);
  map << 0, 1, 3;
  CHECK(satisfied_by_aspect(map, table) == Counts{{0, 0}, {0, 0}, {2, 2}});
  CHECK_THROWS_AS(static_cast<void>(satisfied_by_aspect(named({map, map}), table)), DataError);
  CHECK_THROWS_AS(static_cast<void>(satisfied_by_aspect(Matrix(map.topRows(2)), table)), DataError);
}

TEST_CASE("a map of scalar products is judged by them, and a coin decides their ties") {
  Rng rng(72);
  Matrix axes = testing::gaussian_points(40, 3, rng).cwiseMax(0.8).array() - 0.8;  // most are 0
  const TripletList answers = testing::triplets_of(testing::gaussian_points(40, 3, rng), 4000, 0, rng);
  double decided = 0, right = 0, ties = 0;
  TripletList tied(40);
  answers.each([&](std::uint64_t, const Triplet& t) {
    const double near = axes.row(t.anchor).dot(axes.row(t.near)), far = axes.row(t.anchor).dot(axes.row(t.far));
    if (near == far) {
      tied.add(t);
      tied.add({t.anchor, t.far, t.near});
      ++ties;
    } else {
      ++decided;
      right += near > far ? 1 : 0;
    }
  });
  REQUIRE(ties > 1000);
  REQUIRE(decided > 500);
  const AspectMap map{"", axes, {}, Similarity::scalar_product};
  const SatisfiedCount of_ties = satisfied_by_aspect(std::span(&map, 1), tied).front();
  CHECK(of_ties.satisfied == ties);  // a triplet or its reverse
  const SatisfiedCount of_all = satisfied_by_aspect(std::span(&map, 1), answers).front();
  const double by_coin = of_all.satisfied - right;
  CHECK(std::abs(by_coin / ties - 0.5) < 0.05);
  // By distances ties fail.
  const AspectMap same{"", Matrix::Zero(40, 3)};
  CHECK(satisfied_by_aspect(std::span(&same, 1), answers).front().satisfied == 0);
}

TEST_CASE("pairs with a NaN are not in order") {
  std::vector<double> near{3, kNowhere, 1, 1, kFarAway}, far{1, 2, kNowhere, kFarAway, -kFarAway};
  // 2 exceeds two of the numbers, infinity three.
  CHECK(ordered_pair_count(near, far) == 5);
  CHECK(ordered_pair_count({}, far) == 0);
  CHECK(ordered_pair_count(near, {}) == 0);
}

}  // namespace alidade::multiview::preservation_test
