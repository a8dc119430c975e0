#include "problems/triplet_sums/whole_table_kernel.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "problems/triplet_sums/triplet_sum.hpp"
#include "tests/support/evaluated_sum.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/test_paths.hpp"

namespace alidade::triplet::whole_table_kernel_test {
namespace {

using testing::evaluate;
using testing::random_table;
using Evaluated = testing::EvaluatedSum;

Evaluated by_class_blocks(const SoeLoss& loss, const AttributeTable& table, std::span<const double> y, Index d) {
  Evaluated out{0, std::vector<double>(y.size(), 0.0)};
  ClassBlockWorkspace work;
  out.value = add_class_blocks(loss, TableSelection{&table, {}}, anchor_blocks(table).blocks, y, d, out.gradient, work);
  return out;
}

Evaluated by_hinges(const SoeLoss& loss, const AttributeTable& table, std::span<const double> y, Index d,
                    HingePairs pairs) {
  Evaluated out{0, std::vector<double>(y.size(), 0.0)};
  WholeTableWorkspace work;
  const AnchorBlocks blocks = anchor_blocks(table);
  out.value = add_distance_hinges(loss.margin, table, blocks.blocks, y, d, out.gradient, work, pairs);
  // The value alone is the same value, with a workspace that has seen other work too.
  CHECK(add_distance_hinges(loss.margin, table, blocks.blocks, y, d, {}, work, pairs) == out.value);
  return out;
}

void check_equal(const Evaluated& a, const Evaluated& b) {
  CHECK(a.value == doctest::Approx(b.value).epsilon(1e-12));
  double scale = 0;
  for (const double g : b.gradient) scale = std::max(scale, std::abs(g));
  for (std::size_t i = 0; i < b.gradient.size(); ++i) CHECK(std::abs(a.gradient[i] - b.gradient[i]) <= 1e-12 * scale);
}

constexpr HingePairs kAllPairs[] = {HingePairs::automatic, HingePairs::each, HingePairs::sorted};

}  // namespace

TEST_CASE("hinges of distances, single or sorted, agree with the class block kernel") {
  constexpr std::uint64_t kSeed = 91;
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const Index n : {3, 7, 16, 45, 130})
    for (const Index d : {1, 2, 3, 5}) {
      const auto table = random_table(n, n < 100 ? 6 : 3, rng);
      std::vector<double> random(static_cast<std::size_t>(n * d));
      for (double& entry : random) entry = rng.normal();
      std::vector<double> rounded = random, clustered = random;
      for (double& entry : rounded) entry = std::round(2 * entry);  // ties, distances of 0
      clustered.front() += 1e4;                                     // all others in one bucket
      for (const std::vector<double>* y : {&random, &rounded, &clustered})
        for (const double margin : {1e-3, 0.1, 1.0, 20.0})
          for (const HingePairs pairs : kAllPairs) {
            CAPTURE(n);
            CAPTURE(d);
            CAPTURE(margin);
            CAPTURE(static_cast<int>(pairs));
            check_equal(by_hinges({margin}, *table, *y, d, pairs), by_class_blocks({margin}, *table, *y, d));
          }
    }
}

TEST_CASE("satisfied triplets cost nothing, and a collapsed map costs the margin without a slope") {
  const auto table = std::make_shared<AttributeTable>(
      6, std::vector<AttributeTable::Aspect>{{"t", {0, 0, 0, 1, 1, 2}, {"a", "b", "c"}}});
  const std::vector<double> apart{0, 0.1, 0.2, 10, 10.1, 100}, collapsed(6, 0.7);
  for (const HingePairs pairs : kAllPairs) {
    const Evaluated good = by_hinges({1}, *table, apart, 1, pairs), bad = by_hinges({0.5}, *table, collapsed, 1, pairs);
    CHECK(good.value == 0);
    CHECK(good.gradient == std::vector<double>(6, 0.0));
    CHECK(bad.value == doctest::Approx(0.25 * static_cast<double>(table->size())));
    CHECK(bad.gradient == std::vector<double>(6, 0.0));
  }
}

TEST_CASE("value and gradient on the reference classes agree with an independent computation") {
  std::ifstream in(std::string(alidade::testing::test_folder()) + "/problems/data/multiview_reference.json");
  REQUIRE(in.good());
  const nlohmann::json reference = nlohmann::json::parse(in)["class_triplets"];
  const std::vector<std::int32_t> labels = reference["labels"];
  std::vector<double> y;
  for (const auto& point : reference["points"])
    for (const double entry : point) y.push_back(entry);
  const AttributeTable table(static_cast<Index>(labels.size()), {{"label", labels, {"0", "1", "2"}}});
  for (const HingePairs pairs : kAllPairs) {
    const Evaluated evaluated = by_hinges({reference["soe_delta"]}, table, y, 2, pairs);
    CHECK(evaluated.value == doctest::Approx(reference["soe_sum_of_squared_hinges"].get<double>()).epsilon(1e-13));
    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK(evaluated.gradient[i] == doctest::Approx(reference["soe_grad"][i / 2][i % 2].get<double>()).epsilon(1e-12));
  }
}

TEST_CASE("a place that is not finite makes the value NaN") {
  Rng rng(92);
  const auto table = random_table(20, 3, rng);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> y(40);
    for (double& entry : y) entry = rng.normal();
    y[7] = bad;
    for (const HingePairs pairs : kAllPairs) {
      std::vector<double> gradient(40, 0.0);
      WholeTableWorkspace work;
      CHECK(std::isnan(add_distance_hinges(1, *table, anchor_blocks(*table).blocks, y, 2, gradient, work, pairs)));
    }
  }
}

TEST_CASE("SOE's sum over a whole table takes this way and has the same bits for any number of threads") {
  Rng rng(93);
  const auto table = random_table(230, 4, rng);
  std::vector<double> y(460);
  for (double& entry : y) entry = rng.normal();
  const TripletSum sum(table, SoeLoss{0.1}, {1e-4, 0.1}, false), plain(table, SoeLoss{0.1}, {}, false);
  const Evaluated one = evaluate(sum, y, 2, 1), two = evaluate(sum, y, 2, 2), four = evaluate(sum, y, 2, 4);
  CHECK(one.value == two.value);
  CHECK(one.gradient == two.gradient);
  CHECK(one.gradient == four.gradient);
  const Evaluated whole = evaluate(plain, y, 2, 1);
  check_equal(whole, by_class_blocks({0.1}, *table, y, 2));
  check_equal(evaluate(TripletSum(table, SteLoss{}, {}, false).with_loss(SoeLoss{0.1}), y, 2, 1), whole);
}

TEST_CASE("STE's sum over a whole table takes this way, within the range of exponentials and beyond, on threads") {
  constexpr std::uint64_t kSeed = 94;
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const auto table = random_table(230, 4, rng);
  const AnchorBlocks blocks = anchor_blocks(*table);
  for (const double scale : {1e-3, 1.0, 4.0, 50.0}) {  // 4: of some anchors only
    CAPTURE(scale);
    std::vector<double> y(460);
    for (double& entry : y) entry = scale * rng.normal();
    Evaluated general{0, std::vector<double>(460, 0.0)}, here = general;
    ClassBlockWorkspace work;
    WholeTableWorkspace whole;
    general.value =
        add_class_blocks(SteLoss{}, TableSelection{table.get(), {}}, blocks.blocks, y, 2, general.gradient, work);
    here.value = add_logistic_pairs(*table, blocks.blocks, y, 2, here.gradient, whole);
    check_equal(here, general);
    CHECK(add_logistic_pairs(*table, blocks.blocks, y, 2, {}, whole) == here.value);
    const TripletSum sum(table, SteLoss{}, {}, false);
    const Evaluated one = evaluate(sum, y, 2, 1), four = evaluate(sum, y, 2, 4);
    CHECK(one.value == four.value);
    CHECK(one.gradient == four.gradient);
    check_equal(one, general);
  }
}

}  // namespace alidade::triplet::whole_table_kernel_test
