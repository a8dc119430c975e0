#include "experiments/run/map_faults.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "experiments/metrics/metric.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"

namespace map_violations_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

std::vector<std::string> numbered_names(Index n) {
  std::vector<std::string> out;
  for (Index i = 0; i < n; ++i) out.push_back(i == 1 ? "a, \"b\"" : " object " + std::to_string(i));
  return out;
}

}  // namespace

TEST_CASE("every violated triplet is counted at its anchor, as the training error counts it") {
  Rng rng(7);
  constexpr Index kObjects = 9;
  const Embedding embedding{{{"", gaussian_points(kObjects, 2, rng)}}};
  TripletList triplets(kObjects);
  for (int k = 0; k < 600; ++k) {
    Triplet t;
    t.anchor = static_cast<ObjectId>(rng.below(kObjects));
    do t.near = static_cast<ObjectId>(rng.below(kObjects));
    while (t.near == t.anchor);
    do t.far = static_cast<ObjectId>(rng.below(kObjects));
    while (t.far == t.anchor || t.far == t.near);
    triplets.add(t);
  }
  const auto result = violated_triplets(embedding, triplets);
  REQUIRE(result.size() == 1);
  std::uint64_t violated = 0, all = 0;
  for (const ViolatedTriplets::Anchor& anchor : result.front().anchors) {
    violated += anchor.violated;
    all += anchor.triplets;
    CHECK(anchor.listed.size() <= 20);
    CHECK(std::ranges::is_sorted(anchor.listed, std::ranges::greater{}, &ViolatedTriplets::Violated::times));
    for (const auto& one : anchor.listed) {
      const auto row = [&](ObjectId i) { return embedding.only().row(static_cast<Index>(i)); };
      CHECK((row(anchor.object) - row(one.near)).norm() >= (row(anchor.object) - row(one.far)).norm());
      std::uint64_t times = 0;
      for (std::uint64_t k = 0; k < triplets.size(); ++k) {
        const Triplet t = triplets.at(k);
        times += t.anchor == anchor.object && t.near == one.near && t.far == one.far ? 1 : 0;
      }
      CHECK(one.times == times);
    }
  }
  CHECK(all == triplets.size());  // each of nine objects has a violated triplet here
  CHECK(static_cast<double>(violated) / static_cast<double>(all) ==
        doctest::Approx(metrics::triplet_error(embedding, triplets)));

  const auto names = numbered_names(kObjects);
  const std::string csv = violated_to_csv(result.front(), names);
  const ViolatedTriplets read = parse_violated_csv(csv, "v.csv", names);
  CHECK(violated_to_csv(read, names) == csv);
  CHECK(read.anchors.size() == result.front().anchors.size());
}

TEST_CASE("the map of an aspect is asked about the triplets of that aspect, and ties are violated") {
  Matrix map(3, 1), other(3, 1);
  map << 0, 1, 2;
  other << 0, 2, 2;
  TripletList triplets(3);
  triplets.add({0, 1, 2, 0, 1});  // obeyed on the first map
  triplets.add({0, 2, 1, 0, 1});
  triplets.add({0, 2, 1, 0, 1});
  triplets.add({0, 1, 2, 1, 1});  // a tie on the second
  const auto result = violated_triplets(Embedding{{{"x", map}, {"y", other}}}, triplets);
  REQUIRE(result.size() == 2);
  CHECK(violated_to_csv(result[0], {"a", "b", "c"}) == "anchor,near,far,times,violated,triplets\na,c,b,2,2,3\n");
  CHECK(violated_to_csv(result[1], {"a", "b", "c"}) == "anchor,near,far,times,violated,triplets\na,b,c,1,1,1\n");
  TripletList four(3);
  four.add({0, 1, 2, 3, 1});
  CHECK(violated_triplets(Embedding{{{"x", map}, {"y", other}}}, four).empty());  // no map of the fourth aspect
}

TEST_CASE("a file that is not of this map is refused, with its line") {
  const std::vector<std::string> names{"a", "b", "c"};
  const auto refusal = [&](std::string_view text) {
    return message_of<DataError>([&] { (void)parse_violated_csv(text, "v.csv", names); });
  };
  const std::string head = "anchor,near,far,times,violated,triplets\n";
  CHECK(refusal("object\n").starts_with("v.csv:1: The header"));
  CHECK(refusal(head + "a,b,c,1,1\n").starts_with("v.csv:2: The row has 5 values"));
  CHECK(refusal(head + "a,b,c,1,1,2\na,b,d,1,1,2\n").starts_with("v.csv:3: 'd' is no object"));
  CHECK(refusal(head + "a,b,c,half,1,2\n").starts_with("v.csv:2: 'half' is no count"));
  CHECK(parse_violated_csv(head, "v.csv", names).anchors.empty());
}

}  // namespace map_violations_test
