#include "problems/evidence/observations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/table_triplets.hpp"

namespace observations_test {
namespace {

using alidade::AttributeTable;
using alidade::DataError;
using alidade::Index;
using alidade::Matrix;
using alidade::ObjectId;
using alidade::ObservationKind;
using alidade::Observations;
using alidade::ReversedTriplets;
using alidade::Rng;
using alidade::Triplet;
using alidade::TripletList;
using alidade::TripletSelection;
using alidade::TripletSource;
using alidade::TripletView;

using Key = alidade::testing::TripletKey;

Key key_of(const Triplet& t) { return {t.aspect, t.anchor, t.near, t.far}; }

std::vector<AttributeTable::Aspect> random_aspects(ObjectId n, std::size_t count, Rng& rng) {
  std::vector<AttributeTable::Aspect> out(count);
  for (std::size_t t = 0; t < count; ++t) {
    const std::uint64_t classes = 1 + rng.below(5);
    const double missing = t % 3 == 0 ? 0 : rng.uniform(0, 0.6);
    out[t].name = std::string("a").append(std::to_string(t));
    for (std::uint64_t c = 0; c < classes; ++c) out[t].values.push_back(std::to_string(c));
    for (ObjectId i = 0; i < n; ++i)
      out[t].codes.push_back(rng.uniform01() < missing ? AttributeTable::kMissing
                                                       : static_cast<std::int32_t>(rng.below(classes)));
  }
  return out;
}

/// The table's triplets are those of the definition, each once, and index_of inverts at.
void check_bijection(const std::vector<AttributeTable::Aspect>& aspects, ObjectId n) {
  const std::set<Key> expected = alidade::testing::triplets_by_definition(aspects, n);
  const AttributeTable table(static_cast<Index>(n), aspects);
  REQUIRE(table.size() == expected.size());
  std::set<Key> seen;
  std::vector<std::uint64_t> by_aspect(aspects.size(), 0);
  for (std::uint64_t u = 0; u < table.size(); ++u) {
    const Triplet triplet = table.at(u);
    CAPTURE(u);
    REQUIRE(expected.contains(key_of(triplet)));
    REQUIRE(seen.insert(key_of(triplet)).second);
    REQUIRE(table.index_of(triplet) == u);
    ++by_aspect[triplet.aspect];
  }
  for (std::size_t t = 0; t < aspects.size(); ++t) REQUIRE(table.aspect_size(static_cast<Index>(t)) == by_aspect[t]);
}

}  // namespace

TEST_CASE("a triplet list returns what was added, with aspects and weights only if there are any") {
  TripletList list(5);
  list.add({.anchor = 0, .near = 1, .far = 2});
  list.add({.anchor = 3, .near = 1, .far = 4});
  CHECK_FALSE(list.weighted());
  CHECK(list.weights().empty());
  CHECK(list.aspect_count() == 1);
  CHECK(list.at(1) == Triplet{3, 1, 4, 0, 1.0});

  list.add({.anchor = 4, .near = 2, .far = 0, .aspect = 6});
  list.add({.anchor = 4, .near = 0, .far = 2, .aspect = 1, .weight = 0.25});
  list.add({.anchor = 1, .near = 0, .far = 2});
  CHECK(list.size() == 5);
  CHECK(list.object_count() == 5);
  CHECK(list.stored());
  CHECK(list.weighted());
  CHECK(list.aspect_count() == 7);
  CHECK(list.weights().size() == 5);
  CHECK(list.at(0) == Triplet{0, 1, 2, 0, 1.0});
  CHECK(list.at(2) == Triplet{4, 2, 0, 6, 1.0});
  CHECK(list.at(3) == Triplet{4, 0, 2, 1, 0.25});
  CHECK(list.at(4) == Triplet{1, 0, 2, 0, 1.0});
  CHECK(list.anchors()[3] == 4);
  CHECK(list.nears()[3] == 0);
  CHECK(list.fars()[3] == 2);

  const TripletList copy = TripletList::copy_of(list);
  REQUIRE(copy.size() == list.size());
  for (std::uint64_t i = 0; i < list.size(); ++i) CHECK(copy.at(i) == list.at(i));
}

TEST_CASE("a triplet list refuses an invalid triplet and stays unchanged") {
  TripletList list(3);
  list.add({.anchor = 0, .near = 1, .far = 2});
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Triplet> bad = {{3, 1, 2},        {0, 3, 2},         {0, 1, 3},
                                    {0, 0, 1},        {0, 1, 0},         {1, 0, 0},
                                    {0, 1, 2, 0, -1}, {0, 1, 2, 0, nan}, {0, 1, 2, 0, infinity}};
  for (const Triplet& triplet : bad) {
    CAPTURE(triplet.anchor);
    CAPTURE(triplet.near);
    CAPTURE(triplet.far);
    CAPTURE(triplet.weight);
    CHECK_THROWS_AS(list.add(triplet), DataError);
  }
  CHECK(list.size() == 1);
  CHECK_FALSE(list.weighted());
  list.add({.anchor = 0, .near = 2, .far = 1, .weight = 0});
  CHECK(list.at(1).weight == 0);
}

TEST_CASE("an attribute table is a bijection between indices and the triplets of its definition") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const auto n = static_cast<ObjectId>(3 + rng.below(12));
    CAPTURE(n);
    check_bijection(random_aspects(n, 1 + rng.below(5), rng), n);
  }
}

TEST_CASE("an attribute table counts correctly with an aspect without information") {
  const std::int32_t m = AttributeTable::kMissing;
  SUBCASE("all equal, all different, all missing, a class nobody is in") {
    check_bijection({{"equal", {0, 0, 0, 0}, {"x"}},
                     {"different", {0, 1, 2, 3}, {"a", "b", "c", "d"}},
                     {"missing", {m, m, m, m}, {"a"}},
                     {"halves", {2, 0, 0, 2}, {"a", "nobody", "c"}},
                     {"one apart", {1, 0, 1, 1}, {"a", "b"}}},
                    4);
  }
  SUBCASE("no aspects at all") {
    const AttributeTable table(4, {});
    CHECK(table.size() == 0);
    CHECK(table.class_blocks().empty());
  }
  SUBCASE("by hand: two pairs in four objects give 2 * 1 * 2 triplets a class") {
    const AttributeTable table(4, {{"t", {0, 1, 0, 1}, {"a", "b"}}});
    CHECK(table.size() == 8);
    CHECK(table.class_blocks().size() == 2);
    CHECK(table.at(0) == Triplet{0, 2, 1, 0, 1.0});
    CHECK(table.at(7) == Triplet{3, 1, 2, 0, 1.0});
  }
}

TEST_CASE("class blocks describe the triplets that indices reach") {
  Rng rng(7);
  const ObjectId n = 13;
  const AttributeTable table(static_cast<Index>(n), random_aspects(n, 4, rng));
  std::uint64_t next = 0;
  for (const AttributeTable::ClassBlock& block : table.class_blocks()) {
    REQUIRE(block.first == next);
    for (std::size_t a = 0; a < block.members.size(); ++a)
      for (std::size_t b = 0; b + 1 < block.members.size(); ++b)
        for (std::size_t f = 0; f < block.far_count(); ++f) {
          const ObjectId near = block.members[b < a ? b : b + 1];
          const ObjectId far = f < block.before.size() ? block.before[f] : block.after[f - block.before.size()];
          REQUIRE(table.at(next++) == Triplet{block.members[a], near, far, block.aspect, 1.0});
        }
    REQUIRE(next == block.first + block.size());
  }
  CHECK(next == table.size());
}

TEST_CASE("an attribute table refuses codes that fit neither its objects nor its values") {
  CHECK_THROWS_AS(AttributeTable(3, {{"t", {0, 1}, {"a", "b"}}}), DataError);
  CHECK_THROWS_AS(AttributeTable(3, {{"t", {0, 1, 2}, {"a", "b"}}}), DataError);
  CHECK_THROWS_AS(AttributeTable(3, {{"t", {0, 1, -2}, {"a", "b"}}}), DataError);
  CHECK_NOTHROW(AttributeTable(3, {{"t", {0, 1, -1}, {"a", "b"}}}));
}

TEST_CASE("reading a run, scattered triplets or all of them equals reading each") {
  Rng rng(3);
  const ObjectId n = 40;
  const auto table = std::make_shared<AttributeTable>(static_cast<Index>(n), random_aspects(n, 3, rng));
  REQUIRE(table->size() > 600);  // more than two blocks
  const auto list = std::make_shared<const TripletList>(TripletList::copy_of(*table));
  const TripletView of_table(table, 5, 3, 590), of_list(list, 5, 3, 590);
  const ReversedTriplets reversed(list, 0.5, 1);
  std::vector<std::uint64_t> scattered;
  for (int i = 0; i < 600; ++i) scattered.push_back(rng.below(590));
  const TripletSelection selection(std::make_shared<TripletView>(table, 7, 1, 599), scattered);
  for (const TripletSource* source :
       std::vector<const TripletSource*>{table.get(), list.get(), &of_table, &of_list, &reversed, &selection}) {
    std::vector<Triplet> run(580), gathered(scattered.size());
    source->read(2, run);
    for (std::size_t i = 0; i < run.size(); ++i) CHECK(run[i] == source->at(2 + i));
    source->gather(scattered, gathered);
    for (std::size_t i = 0; i < gathered.size(); ++i) CHECK(gathered[i] == source->at(scattered[i]));
    std::uint64_t next = 0;
    source->each([&](std::uint64_t index, const Triplet& triplet) {
      CHECK(index == next++);
      CHECK(triplet == source->at(index));
    });
    CHECK(next == source->size());
  }
}

TEST_CASE("a view that wraps around its base shows each of its triplets once") {
  TripletList list(30);
  for (ObjectId i = 0; i < 28; ++i) list.add({.anchor = i, .near = i + 1, .far = i + 2});
  const auto base = std::make_shared<const TripletList>(std::move(list));
  const TripletView whole(base, 99, 17, 28);
  std::set<ObjectId> anchors;
  for (std::uint64_t i = 0; i < whole.size(); ++i) {
    CHECK(whole.at(i) == base->at(whole.base_index(i)));
    anchors.insert(whole.at(i).anchor);
  }
  CHECK(anchors.size() == 28);
  CHECK(whole.object_count() == 30);
  CHECK(whole.stored());
}

TEST_CASE("reversed triplets swap near and far at their rate, and at every larger one too") {
  TripletList list(5002);
  for (ObjectId i = 0; i < 5000; ++i) list.add({.anchor = i, .near = i + 1, .far = i + 2});
  const auto base = std::make_shared<const TripletList>(std::move(list));
  const ReversedTriplets fifth(base, 0.2, 7), third(base, 0.3, 7), none(base, 0, 7), all(base, 1, 7);
  int swapped = 0;
  for (std::uint64_t i = 0; i < base->size(); ++i) {
    const Triplet was = base->at(i), is = fifth.at(i);
    const bool reversed = is.near == was.far && is.far == was.near;
    CHECK((reversed || is == was));
    CHECK(fifth.reversed(i) == reversed);
    if (reversed) CHECK(third.reversed(i));
    CHECK(none.at(i) == was);
    CHECK(all.at(i).near == was.far);
    swapped += reversed;
  }
  CHECK(swapped > 850);  // 1000 expected, standard deviation 28
  CHECK(swapped < 1150);
  CHECK_THROWS_AS(ReversedTriplets(base, 1.5, 7), alidade::ConfigError);
}

TEST_CASE("observations list their kinds of evidence") {
  Observations observations;
  CHECK(observations.kinds().empty());
  observations.triplets = std::make_shared<TripletList>(3);
  CHECK_FALSE(observations.offers(ObservationKind::triplets));
  const auto table =
      std::make_shared<AttributeTable>(3, std::vector<AttributeTable::Aspect>{{"t", {0, 0, 1}, {"a", "b"}}});
  observations.triplets = table;
  observations.attributes = table;
  observations.labels = {"x", "y", ""};
  CHECK(observations.kinds() == std::vector<std::string>{"triplets", "attributes", "labels"});
  observations.truth = Matrix::Zero(3, 2);
  CHECK(observations.offers(ObservationKind::truth));
}

TEST_CASE("indices beyond 32 bits are unranked as those below") {
  constexpr Index kObjects = 4000;
  std::vector<AttributeTable::Aspect> aspects(2);
  Rng rng(7);
  for (auto& aspect : aspects) {
    aspect.values = {"a", "b"};
    for (Index i = 0; i < kObjects; ++i) aspect.codes.push_back(static_cast<std::int32_t>(rng.below(2)));
  }
  const AttributeTable table(kObjects, aspects);
  REQUIRE(table.class_blocks().front().size() > (std::uint64_t{1} << 32));
  for (const auto& block : table.class_blocks()) {
    CHECK(table.index_of(table.at(block.first)) == block.first);
    CHECK(table.index_of(table.at(block.first + block.size() - 1)) == block.first + block.size() - 1);
    CHECK(block.order().size() == kObjects);
  }
  for (int draw = 0; draw < 20'000; ++draw) {
    const std::uint64_t index = rng.below(table.size());
    const Triplet t = table.at(index);
    REQUIRE(table.index_of(t) == index);
    const auto& codes = table.aspects()[t.aspect].codes;
    REQUIRE(codes[t.anchor] == codes[t.near]);
    REQUIRE(codes[t.anchor] != codes[t.far]);
    REQUIRE(t.anchor != t.near);
  }
}

}  // namespace observations_test
