// The groups that people's piles have in common, and none where they sort at random.
#include "experiments/datasets/readers/common_piles.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "problems/core/random.hpp"
#include "tests/support/text_holds.hpp"

namespace common_piles_test {
namespace {

using namespace alidade;
using namespace alidade::datasets;

constexpr std::size_t kItems = 15;
const std::vector<std::string> kNames = {"a", "b", "c", "d", "e"};

/// Of 12 people; item i belongs to group i % 3, and a share of the items is put anywhere.
Piles piles_with(double astray, Rng& rng) {
  Piles out(12);
  for (auto& pile : out)
    for (std::size_t item = 0; item < kItems; ++item)
      pile.emplace_back(kNames[rng.uniform01() < astray ? rng.below(5) : item % 3]);
  out[4][2] = "";
  return out;
}

}  // namespace

TEST_CASE("the groups that piles have in common are found, with how well they predict the piles of others") {
  Rng rng(21);
  std::vector<std::string> items;
  for (std::size_t item = 0; item < kItems; ++item) items.push_back(fmt::format("i{}", item));
  const CommonPiles exact = common_piles(piles_with(0, rng));
  CHECK(exact.agreement == doctest::Approx(1));
  REQUIRE(exact.groups.size() == 3);
  CHECK(exact.groups[1] == std::vector<std::size_t>{1, 4, 7, 10, 13});
  for (int round = 0; round < 5; ++round) {
    const CommonPiles noisy = common_piles(piles_with(0.3, rng));
    CHECK(noisy.groups.size() >= 3);
    CHECK(noisy.groups.size() <= 4);  // an item may stand alone
    CHECK(noisy.groups[2].size() >= 4);
    CHECK(noisy.agreement > 0.2);
    CHECK(noisy.agreement < 0.7);
  }
  CHECK(
      testing::holds_all(note_on_common_piles(piles_with(0.2, rng), items),
                         {"The piles have 3 groups in common: i0, i3, i6, i9, i12; i1, ", "people who were left out"}));
  int found = 0;
  for (int round = 0; round < 20; ++round)
    found += note_on_common_piles(piles_with(1, rng), items).starts_with("The piles have no groups") ? 0 : 1;
  CHECK(found <= 1);
  CHECK(note_on_common_piles({piles_with(0, rng)[0]}, items).empty());
}

}  // namespace common_piles_test
