#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/observations.hpp"

namespace splits_test {
namespace {

using alidade::AttributeTable;
using alidade::ConfigError;
using alidade::DataError;
using alidade::hold_out;
using alidade::hold_out_fold;
using alidade::Index;
using alidade::ObjectId;
using alidade::Permutation;
using alidade::Rng;
using alidade::Triplet;
using alidade::TripletList;
using alidade::TripletSource;
using alidade::TripletSplit;

/// `count` triplets that can be told apart by their anchor and near.
std::shared_ptr<const TripletSource> distinct_triplets(std::uint64_t count) {
  auto list = std::make_shared<TripletList>(1002);
  for (std::uint64_t i = 0; i < count; ++i)
    list->add({.anchor = static_cast<ObjectId>(i % 1000),
               .near = 1000,
               .far = 1001,
               .aspect = static_cast<std::uint32_t>(i / 1000)});
  return list;
}

std::uint64_t number_of(const Triplet& t) { return t.aspect * 1000ULL + t.anchor; }

std::vector<std::uint64_t> numbers(const std::shared_ptr<const TripletSource>& source) {
  std::vector<std::uint64_t> out;
  if (source)
    for (std::uint64_t i = 0; i < source->size(); ++i) out.push_back(number_of(source->at(i)));
  return out;
}

std::vector<std::uint64_t> first_numbers(std::uint64_t count) {
  std::vector<std::uint64_t> out(count);
  for (std::uint64_t i = 0; i < count; ++i) out[i] = i;
  return out;
}

void check_partition(const TripletSplit& split, std::uint64_t count) {
  std::vector<std::uint64_t> all = numbers(split.train);
  const std::vector<std::uint64_t> held = numbers(split.heldout);
  all.insert(all.end(), held.begin(), held.end());
  std::ranges::sort(all);
  REQUIRE(all == first_numbers(count));
}

}  // namespace

TEST_CASE("a permutation is a bijection whose inverse inverts it, for every size up to 200") {
  for (std::uint64_t size = 1; size <= 200; ++size)
    for (std::uint64_t key = 0; key < 3; ++key) {
      CAPTURE(size);
      CAPTURE(key);
      const Permutation permutation(size, key);
      std::vector<bool> seen(size, false);
      for (std::uint64_t i = 0; i < size; ++i) {
        const std::uint64_t image = permutation(i);
        REQUIRE(image < size);
        REQUIRE_FALSE(seen[image]);
        seen[image] = true;
        REQUIRE(permutation.inverse(image) == i);
        REQUIRE(permutation(permutation.inverse(i)) == i);
      }
    }
}

TEST_CASE("a permutation of many indices inverts where it is sampled") {
  Rng rng(11);
  for (const std::uint64_t size : {47'034'770ULL, 3'233'424ULL, (1ULL << 40) + 17}) {
    const Permutation permutation(size, 5);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t index = rng.below(size);
      REQUIRE(permutation(index) < size);
      REQUIRE(permutation.inverse(permutation(index)) == index);
    }
  }
}

TEST_CASE("a permutation puts an index anywhere with about the same chance") {
  // Counts of the image of one index over keys: chi-squared with 199 degrees of freedom, whose 99.99 %
  // point is 281. Four rounds are measurably uneven below about 100 items, so this claims no more.
  const std::uint64_t size = 200;
  const int keys = 100'000;
  for (const std::uint64_t index : {0ULL, 77ULL, 199ULL}) {
    std::vector<double> counts(size, 0);
    for (int key = 0; key < keys; ++key) counts[Permutation(size, Rng::derive(1, "keys", key))(index)] += 1;
    const double expected = static_cast<double>(keys) / static_cast<double>(size);
    double chi_squared = 0;
    for (const double count : counts) chi_squared += std::pow(count - expected, 2) / expected;
    CAPTURE(index);
    CHECK(chi_squared < 281);
  }
}

TEST_CASE("holding out splits the triplets in two and loses none") {
  for (const std::uint64_t count : {1ULL, 2ULL, 3ULL, 10ULL, 1000ULL, 2345ULL}) {
    const auto all = distinct_triplets(count);
    for (const double fraction : {0.0, 0.1, 0.2, 0.25, 1.0 / 3.0, 0.49}) {
      CAPTURE(count);
      CAPTURE(fraction);
      const TripletSplit split = hold_out(all, fraction, 42);
      const auto held = static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(count)));
      CHECK(split.train->size() == count - held);
      CHECK((split.heldout ? split.heldout->size() : 0) == held);
      check_partition(split, count);
    }
  }
}

TEST_CASE("holding out nothing keeps the triplets and their order") {
  const auto all = distinct_triplets(50);
  const TripletSplit split = hold_out(all, 0, 1);
  CHECK(split.train == all);
  CHECK(split.heldout == nullptr);
}

TEST_CASE("a split depends on its key and on nothing else") {
  const auto all = distinct_triplets(1500);
  CHECK(numbers(hold_out(all, 0.2, 7).heldout) == numbers(hold_out(all, 0.2, 7).heldout));
  CHECK(numbers(hold_out(all, 0.2, 7).train) == numbers(hold_out(all, 0.2, 7).train));
  CHECK(numbers(hold_out(all, 0.2, 7).heldout) != numbers(hold_out(all, 0.2, 8).heldout));
  CHECK(numbers(hold_out_fold(all, 2, 5, 7).heldout) == numbers(hold_out_fold(all, 2, 5, 7).heldout));
  CHECK(numbers(hold_out_fold(all, 2, 5, 7).heldout) != numbers(hold_out_fold(all, 2, 5, 8).heldout));
}

TEST_CASE("the triplets held out are a fair sample") {
  // 400 of 2000 under 200 keys: every triplet is held out about 40 times; five standard deviations of
  // that binomial are 28.
  const auto all = distinct_triplets(2000);
  std::vector<int> counts(2000, 0);
  for (std::uint64_t key = 0; key < 200; ++key)
    for (const std::uint64_t i : numbers(hold_out(all, 0.2, Rng::derive(3, "split", key)).heldout)) ++counts[i];
  CHECK(*std::ranges::min_element(counts) >= 12);
  CHECK(*std::ranges::max_element(counts) <= 68);
}

TEST_CASE("folds of one key partition the triplets, with sizes that differ by at most one") {
  for (const std::uint64_t count : {5ULL, 7ULL, 100ULL, 1003ULL})
    for (const Index folds : {Index{2}, Index{3}, Index{5}}) {
      CAPTURE(count);
      CAPTURE(folds);
      const auto all = distinct_triplets(count);
      std::vector<std::uint64_t> together;
      std::set<std::uint64_t> sizes;
      for (Index fold = 0; fold < folds; ++fold) {
        const TripletSplit split = hold_out_fold(all, fold, folds, 9);
        check_partition(split, count);
        const auto held = numbers(split.heldout);
        sizes.insert(held.size());
        together.insert(together.end(), held.begin(), held.end());
      }
      std::ranges::sort(together);
      CHECK(together == first_numbers(count));
      CHECK(*sizes.rbegin() - *sizes.begin() <= 1);
    }
}

TEST_CASE("a split of a training set stays within it") {
  const auto all = distinct_triplets(1000);
  const TripletSplit outer = hold_out(all, 0.2, 1);
  std::vector<std::uint64_t> train = numbers(outer.train);
  std::ranges::sort(train);
  SUBCASE("holding out") {
    const TripletSplit inner = hold_out(outer.train, 0.25, 2);
    CHECK(inner.heldout->size() == 200);
    std::vector<std::uint64_t> both = numbers(inner.train);
    const auto held = numbers(inner.heldout);
    both.insert(both.end(), held.begin(), held.end());
    std::ranges::sort(both);
    CHECK(both == train);
  }
  SUBCASE("folds, with the very key of the outer split") {
    std::vector<std::uint64_t> both;
    for (Index fold = 0; fold < 4; ++fold) {
      const auto held = numbers(hold_out_fold(outer.train, fold, 4, 1).heldout);
      both.insert(both.end(), held.begin(), held.end());
    }
    std::ranges::sort(both);
    CHECK(both == train);
  }
}

TEST_CASE("splits of an attribute table partition its triplets without storing them") {
  const auto table = std::make_shared<AttributeTable>(
      8, std::vector<AttributeTable::Aspect>{{"a", {0, 1, 0, 1, 2, 2, 0, AttributeTable::kMissing}, {"x", "y", "z"}},
                                             {"b", {0, 0, 0, 1, 1, 1, 1, 0}, {"x", "y"}}});
  const TripletSplit split = hold_out(table, 0.3, 4);
  CHECK_FALSE(split.train->stored());
  std::vector<bool> seen(table->size(), false);
  for (const auto& part : {split.train, split.heldout})
    for (std::uint64_t i = 0; i < part->size(); ++i) {
      const std::uint64_t index = table->index_of(part->at(i));
      REQUIRE_FALSE(seen[index]);
      seen[index] = true;
    }
  CHECK(std::ranges::count(seen, true) == static_cast<std::ptrdiff_t>(table->size()));
}

TEST_CASE("impossible splits are refused") {
  const auto all = distinct_triplets(4);
  CHECK_THROWS_AS(static_cast<void>(hold_out(all, -0.1, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(hold_out(all, 1.0, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(hold_out(all, std::nan(""), 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(hold_out(all, 0.9, 1)), DataError);
  CHECK_THROWS_AS(static_cast<void>(hold_out_fold(all, 0, 1, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(hold_out_fold(all, -1, 3, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(hold_out_fold(all, 3, 3, 1)), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(hold_out_fold(all, 0, 5, 1)), DataError);
}

namespace {

/// Triplets 0, 1, ... with tags: runs of 1, 2, ..., `longest`, 1, 2, ... mixed up.
struct Tagged {
  std::shared_ptr<const TripletSource> all;
  alidade::TripletTags tags;
};
Tagged tagged(std::uint64_t count, std::uint64_t longest) {
  std::vector<std::uint32_t> tags;
  for (std::uint32_t tag = 0; tags.size() < count; ++tag)
    for (std::uint64_t i = 0; i <= tag % longest && tags.size() < count; ++i) tags.push_back(tag);
  Rng rng(3);
  rng.shuffle(std::span(tags));
  return {distinct_triplets(count), std::make_shared<const std::vector<std::uint32_t>>(std::move(tags))};
}

std::set<std::uint32_t> tags_of(const std::shared_ptr<const TripletSource>& part, const Tagged& data) {
  std::set<std::uint32_t> out;
  for (const std::uint64_t i : numbers(part)) out.insert((*data.tags)[i]);
  return out;
}

void check_whole(const TripletSplit& split, const Tagged& data) {
  const auto held = tags_of(split.heldout, data);
  for (const std::uint32_t tag : tags_of(split.train, data)) REQUIRE_FALSE(held.contains(tag));
}

}  // namespace

TEST_CASE("triplets of one answer stay on one side, and the fraction is as near as possible") {
  for (const std::uint64_t longest : {1ULL, 2ULL, 7ULL})
    for (const double fraction : {0.1, 0.2, 0.5}) {
      CAPTURE(longest);
      CAPTURE(fraction);
      const Tagged data = tagged(1000, longest);
      const TripletSplit split = hold_out(data.all, fraction, 5, data.tags);
      check_partition(split, 1000);
      check_whole(split, data);
      CHECK(std::abs(static_cast<double>(split.heldout->size()) - fraction * 1000) <= static_cast<double>(longest) / 2);
      CHECK(numbers(hold_out(data.all, fraction, 5, data.tags).heldout) == numbers(split.heldout));
      CHECK(numbers(hold_out(data.all, fraction, 6, data.tags).heldout) != numbers(split.heldout));
    }
}

TEST_CASE("at least one answer is held out and at least one is kept") {
  const auto all = distinct_triplets(10);
  const auto tags =
      std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1});
  CHECK(hold_out(all, 0.1, 1, tags).heldout->size() == 5);
  CHECK(hold_out(all, 0, 1, tags).heldout == nullptr);
  CHECK_THROWS_AS(static_cast<void>(hold_out(all, 0.9, 1, tags)), DataError);
  const auto one = std::make_shared<const std::vector<std::uint32_t>>(10, 0U);
  CHECK_THROWS_AS(static_cast<void>(hold_out(all, 0.2, 1, one)), DataError);
  CHECK_THROWS_AS(static_cast<void>(hold_out_fold(all, 0, 3, 1, tags)), DataError);
  const auto few = std::make_shared<const std::vector<std::uint32_t>>(9, 0U);
  CHECK_THROWS_AS(static_cast<void>(hold_out(all, 0.2, 1, few)), DataError);
}

TEST_CASE("folds of whole answers partition the triplets") {
  const Tagged data = tagged(1003, 6);
  std::vector<std::uint64_t> together;
  for (Index fold = 0; fold < 5; ++fold) {
    const TripletSplit split = hold_out_fold(data.all, fold, 5, 9, data.tags);
    check_partition(split, 1003);
    check_whole(split, data);
    const auto held = numbers(split.heldout);
    CHECK(std::abs(static_cast<double>(held.size()) - 200.6) < 6);
    together.insert(together.end(), held.begin(), held.end());
  }
  std::ranges::sort(together);
  CHECK(together == first_numbers(1003));
}

TEST_CASE("where one person gave most answers, folds hold as many people each") {
  std::vector<std::uint32_t> people(100, 0);
  for (std::uint32_t i = 0; i < 9; ++i) people[i] = 1 + i;
  const auto tags = std::make_shared<const std::vector<std::uint32_t>>(people);
  const auto all = distinct_triplets(100);
  for (const Index folds : {2, 5, 10}) {
    std::vector<std::uint64_t> together;
    for (Index fold = 0; fold < folds; ++fold) {
      const auto held = numbers(hold_out_fold(all, fold, folds, 9, tags).heldout);
      std::set<std::uint32_t> whom;
      for (const std::uint64_t number : held) whom.insert(people[number]);
      CHECK(std::ssize(whom) == 10 / folds);
      together.insert(together.end(), held.begin(), held.end());
    }
    std::ranges::sort(together);
    CHECK(together == first_numbers(100));
  }
  CHECK_THROWS_AS(static_cast<void>(hold_out_fold(all, 0, 11, 9, tags)), DataError);
}

TEST_CASE("answers stay whole in splits of splits and of reversed triplets") {
  const Tagged data = tagged(1000, 4);
  const TripletSplit outer = hold_out(data.all, 0.2, 1, data.tags);
  const auto noisy = std::make_shared<alidade::ReversedTriplets>(outer.train, 0.5, 7);
  for (std::uint64_t i = 0; i < outer.train->size(); ++i) {
    REQUIRE(number_of(outer.train->at(i)) == outer.train->origin_index(i));
    REQUIRE(noisy->origin_index(i) == outer.train->origin_index(i));
  }
  for (const std::uint64_t key : {1ULL, 2ULL}) {  // also with the key of the outer split
    const TripletSplit inner = hold_out(noisy, 0.25, key, data.tags);
    CHECK(inner.train->size() + inner.heldout->size() == outer.train->size());
    std::set<std::uint32_t> held;
    for (std::uint64_t i = 0; i < inner.heldout->size(); ++i) held.insert((*data.tags)[inner.heldout->origin_index(i)]);
    for (std::uint64_t i = 0; i < inner.train->size(); ++i)
      REQUIRE_FALSE(held.contains((*data.tags)[inner.train->origin_index(i)]));
  }
  const TripletSplit plain = hold_out(hold_out(data.all, 0.2, 1).train, 0.2, 2);
  for (std::uint64_t i = 0; i < plain.train->size(); ++i)
    REQUIRE(number_of(plain.train->at(i)) == plain.train->origin_index(i));
}

}  // namespace splits_test
