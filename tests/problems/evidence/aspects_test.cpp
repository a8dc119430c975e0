#include "problems/evidence/aspects.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "problems/core/error.hpp"

namespace aspects_test {

using namespace alidade;

namespace {

AttributeTable::Aspect aspect(std::string name, std::vector<std::int32_t> codes, std::size_t values) {
  AttributeTable::Aspect out{std::move(name), std::move(codes), {}};
  for (std::size_t v = 0; v < values; ++v) out.values.push_back(std::string(1, static_cast<char>('a' + v)));
  return out;
}

/// 20 objects; "parity" of them, "third" by thirds with five unknown, "one" value for all.
Observations table_data() {
  std::vector<std::int32_t> parity(20), third(20), one(20, 0);
  for (std::int32_t i = 0; i < 20; ++i) {
    parity[static_cast<std::size_t>(i)] = i % 2;
    third[static_cast<std::size_t>(i)] = i < 5 ? AttributeTable::kMissing : i % 3;
  }
  Observations out;
  out.name = "table";
  for (int i = 0; i < 20; ++i) out.objects.push_back(std::to_string(i));
  out.attributes = std::make_shared<AttributeTable>(
      20, std::vector<AttributeTable::Aspect>{aspect("parity", parity, 2), aspect("third", third, 3),
                                              aspect("one", one, 1)});
  out.triplets = out.attributes;
  out.aspects = {"parity", "third", "one"};
  return out;
}

Observations list_data() {
  auto list = std::make_shared<TripletList>(6);
  for (const Triplet& t : {Triplet{0, 1, 2, 0, 1}, Triplet{3, 4, 5, 2, 2.5}, Triplet{1, 2, 3, 2, 1},
                           Triplet{5, 4, 0, 0, 1}, Triplet{2, 1, 0, 2, 1}})
    list->add(t);
  Observations out;
  out.name = "list";
  out.objects = {"a", "b", "c", "d", "e", "f"};
  out.triplets = list;
  return out;
}

std::size_t known(const AttributeTable::Aspect& a) {
  return a.codes.size() - static_cast<std::size_t>(std::ranges::count(a.codes, AttributeTable::kMissing));
}

}  // namespace

TEST_CASE("each aspect of a table is a table of its own with the same triplets") {
  const Observations all = table_data();
  const std::vector<Observations> parts = by_aspect(all);
  REQUIRE(parts.size() == 3);
  CHECK(aspect_names(all) == std::vector<std::string>{"parity", "third", "one"});
  std::uint64_t before = 0;
  for (std::size_t t = 0; t < 3; ++t) {
    CHECK(parts[t].name == all.aspects[t]);
    CHECK(whole_table(parts[t]) != nullptr);
    REQUIRE(parts[t].triplets->size() == all.attributes->aspect_size(static_cast<Index>(t)));
    for (std::uint64_t i = 0; i < parts[t].triplets->size(); i += 7) {
      Triplet expected = all.triplets->at(before + i);
      expected.aspect = 0;
      CHECK(parts[t].triplets->at(i) == expected);
    }
    before += parts[t].triplets->size();
  }
  CHECK(before == all.triplets->size());
  CHECK(parts[2].triplets->size() == 0);  // one value induces nothing
}

TEST_CASE("each aspect of a list is a list, and one in the middle may be empty") {
  const Observations all = list_data();
  const std::vector<Observations> parts = by_aspect(all);
  REQUIRE(parts.size() == 3);
  CHECK(aspect_names(all) == std::vector<std::string>{"1", "2", "3"});
  CHECK(parts[0].triplets->size() == 2);
  CHECK(parts[1].triplets->size() == 0);
  REQUIRE(parts[2].triplets->size() == 3);
  CHECK(parts[2].triplets->at(0) == Triplet{3, 4, 5, 0, 2.5});
  CHECK(parts[2].triplets->object_count() == 6);
}

TEST_CASE("each aspect keeps its own random fraction of the objects") {
  const Observations all = table_data();
  const Observations part = with_hidden_objects(all, 0.5, HideUnit::object, 3);
  const auto& aspects = part.attributes->aspects();
  CHECK(known(aspects[0]) == 10);
  CHECK(known(aspects[1]) == 8);  // of the 15 that are known
  CHECK(known(aspects[2]) == 10);
  CHECK(part.triplets == part.attributes);
  bool independent = false;
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t t = 0; t < 3; ++t) {
      const std::int32_t code = aspects[t].codes[i];
      CHECK((code == AttributeTable::kMissing || code == all.attributes->aspects()[t].codes[i]));
    }
    independent |=
        (aspects[0].codes[i] == AttributeTable::kMissing) != (aspects[2].codes[i] == AttributeTable::kMissing);
  }
  CHECK(independent);
  // The same key hides the same objects, another one others.
  CHECK(with_hidden_objects(all, 0.5, HideUnit::object, 3).attributes->aspects()[0].codes == aspects[0].codes);
  CHECK(with_hidden_objects(all, 0.5, HideUnit::object, 4).attributes->aspects()[0].codes != aspects[0].codes);
}

TEST_CASE("each value keeps its own random fraction of the objects") {
  const Observations all = table_data();
  const Observations part = with_hidden_objects(all, 0.3, HideUnit::value, 3);
  const auto& parity = part.attributes->aspects()[0];
  CHECK(std::ranges::count(parity.codes, 0) == 3);
  CHECK(std::ranges::count(parity.codes, 1) == 3);
  const auto& third = part.attributes->aspects()[1];
  for (std::int32_t v = 0; v < 3; ++v) CHECK(std::ranges::count(third.codes, v) == 2);  // of 5
}

TEST_CASE("a list keeps the triplets whose objects are all observed") {
  const Observations all = list_data();
  for (std::uint64_t key = 0; key < 20; ++key) {
    // Aspect 0 mentions 0, 1, 2, 4, 5, aspect 2 all six: four and five stay.
    const Observations part = with_hidden_objects(all, 0.8, HideUnit::object, key);
    std::set<ObjectId> seen;
    for (std::uint64_t i = 0; i < part.triplets->size(); ++i) {
      const Triplet t = part.triplets->at(i);
      if (t.aspect == 2) seen.insert({t.anchor, t.near, t.far});
    }
    CHECK(seen.size() <= 5);
    CHECK(part.triplets->size() < all.triplets->size());
  }
}

TEST_CASE("some aspects, drawn by a key, keep their names, codes and triplets") {
  const Observations all = table_data();
  std::set<std::string> met;
  for (std::uint64_t key = 0; key < 30; ++key) {
    const Observations some = with_some_aspects(all, 2, key);
    REQUIRE(some.attributes->aspect_count() == 2);
    REQUIRE(some.aspects.size() == 2);
    for (std::size_t t = 0; t < 2; ++t) {
      CHECK(some.attributes->aspects()[t].name == some.aspects[t]);
      met.insert(some.aspects[t]);
    }
    CHECK(some.triplets == some.attributes);
  }
  CHECK(met.size() == 3);
  CHECK_THROWS_AS(static_cast<void>(with_some_aspects(all, 4, 0)), DataError);

  Observations listed = list_data();
  listed.answer = std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{7, 8, 9, 10, 11});
  for (std::uint64_t key = 0; key < 30; ++key) {
    const Observations one = with_some_aspects(listed, 1, key);
    CHECK(one.triplets->size() == (one.aspects[0] == "1" ? 2U : one.aspects[0] == "2" ? 0U : 3U));
    if (one.aspects[0] != "3") continue;
    CHECK(one.triplets->at(0) == Triplet{3, 4, 5, 0, 2.5});
    CHECK(*one.answer == std::vector<std::uint32_t>{8, 9, 11});
  }
}

TEST_CASE("impossible hidden objects are refused") {
  CHECK_THROWS_AS(static_cast<void>(with_hidden_objects(table_data(), 0, HideUnit::object, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(with_hidden_objects(table_data(), 1.1, HideUnit::object, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(with_hidden_objects(list_data(), 0.9, HideUnit::value, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(with_hidden_objects(table_data(), 0.02, HideUnit::object, 1)), DataError);
  CHECK(with_hidden_objects(list_data(), 1, HideUnit::object, 1).triplets->size() == 5);
}

}  // namespace aspects_test
