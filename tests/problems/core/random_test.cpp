#include "problems/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace random_test {
namespace {

using namespace alidade;

// Expected numbers come from a second implementation, in Python, of SplitMix64, FNV-1a and xoshiro256++, which
// was itself checked against published vectors. A change here changes every result ever recorded.
TEST_CASE("the generator and its streams give the numbers written down here") {
  Rng one(1);
  CHECK(one.next() == 0xcfc5d07f6f03c29bULL);
  CHECK(one.next() == 0xbf424132963fe08dULL);
  CHECK(one.next() == 0x19a37d5757aaf520ULL);
  CHECK(one.next() == 0xbf08119f05cd56d6ULL);

  CHECK(Rng::derive(20240611) == 0x635ef3cd5c35877ULL);
  CHECK(Rng::derive(20240611, "split") == 0xddfa1e3d5e8a7f9dULL);
  CHECK(Rng::derive(20240611, "split", 3) == 0x7d49e2a7ae2d5cULL);
  CHECK(Rng::derive(0, "a", "b") == 0xe8559a259794b8afULL);
  CHECK(Rng::derive(0, "ab") == 0x302a9c9fc7fec225ULL);
  Rng stream = Rng::stream(20240611, "split", 3);
  CHECK(stream.next() == 0x293a2490a445d20aULL);
  CHECK(stream.next() == 0xbe3d37f9bfa72355ULL);

  Rng seven(7);
  CHECK(seven.uniform01() == 0.05536043647833311);
  CHECK(seven.uniform01() == 0.17211585444811772);
  CHECK(seven.uniform01() == 0.7175761283586594);
}

TEST_CASE("the distributions give the numbers written down here") {
  Rng normal(7);
  for (const double expected : {0.15864398364230053, 0.29788548717637203, -1.4267532562805325, 0.7021877504972655})
    CHECK(normal.normal() == doctest::Approx(expected).epsilon(1e-14));
  Rng below(7);
  for (const std::uint64_t expected : {0U, 1U, 7U, 4U, 9U, 4U, 7U, 3U, 9U, 0U, 1U, 1U})
    CHECK(below.below(10) == expected);
  Rng shuffle(7);
  std::vector<int> items(10);
  std::iota(items.begin(), items.end(), 0);
  shuffle.shuffle(std::span(items));
  CHECK(items == std::vector<int>{3, 8, 9, 4, 6, 7, 2, 5, 1, 0});
}

TEST_CASE("a stream depends on its names alone, not on what is drawn elsewhere") {
  Rng other = Rng::stream(5, "data");
  Rng split = Rng::stream(5, "split", 2);
  const std::uint64_t first = split.next();
  for (int i = 0; i < 1000; ++i) static_cast<void>(other.next());
  CHECK(Rng::stream(5, "split", 2).next() == first);
  CHECK(Rng::stream(5, std::string("split"), std::int64_t{2}).next() == first);
}

TEST_CASE("different names, orders, kinds and roots give different streams") {
  std::set<std::uint64_t> seeds;
  std::size_t count = 0;
  const auto add = [&](std::uint64_t seed) {
    seeds.insert(seed);
    ++count;
  };
  for (std::uint64_t root = 0; root < 50; ++root) {
    add(Rng::derive(root));
    add(Rng::derive(root, "a", "b"));
    add(Rng::derive(root, "b", "a"));
    add(Rng::derive(root, "ab"));
    add(Rng::derive(root, "ab", ""));
    add(Rng::derive(root, "1"));
    for (int i = -50; i < 50; ++i) add(Rng::derive(root, i));
    for (int i = 0; i < 50; ++i) add(Rng::derive(root, "a", i));
  }
  CHECK(seeds.size() == count);
}

TEST_CASE("below is unbiased and below its bound, even near 2^64") {
  Rng rng(11);
  // 3 * 2^62 is the worst case of a plain remainder: a third of the values would come twice as often.
  constexpr std::uint64_t kBound = 3ULL << 62;
  constexpr int kDraws = 30'000;
  int low = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t value = rng.below(kBound);
    REQUIRE(value < kBound);
    if (value < kBound / 3) ++low;
  }
  CHECK(low == doctest::Approx(kDraws / 3.0).epsilon(0.03));  // 3.7 standard deviations

  std::vector<int> seen(7, 0);
  for (int i = 0; i < 70'000; ++i) ++seen[rng.below(7)];
  double chi_squared = 0;
  for (const int n : seen) chi_squared += (n - 10'000.0) * (n - 10'000.0) / 10'000;
  CHECK(chi_squared < 22.5);  // 6 degrees of freedom, 0.1 %
  for (int i = 0; i < 100; ++i) CHECK(rng.below(1) == 0);
}

TEST_CASE("normal has the moments of a normal, uniform those of a uniform") {
  Rng rng(3);
  constexpr int kDraws = 200'000;
  double sum = 0, squares = 0, fourths = 0, flat = 0, inside = 0, neighbours = 0, last = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    if (std::abs(x) < 1) ++inside;
    neighbours += x * last;
    last = x;
    const double u = rng.uniform(-2, 4);
    REQUIRE((u >= -2 && u < 4));
    flat += u;
  }
  CHECK(std::abs(sum / kDraws) < 0.01);
  CHECK(squares / kDraws == doctest::Approx(1).epsilon(0.015));
  CHECK(fourths / kDraws == doctest::Approx(3).epsilon(0.04));
  CHECK(inside / kDraws == doctest::Approx(0.6827).epsilon(0.01));
  CHECK(std::abs(neighbours / kDraws) < 0.01);
  CHECK(flat / kDraws == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("a shuffle keeps the items and reaches every order about equally often") {
  Rng rng(19);
  std::vector<int> count(24, 0);
  for (int i = 0; i < 24'000; ++i) {
    std::array<int, 4> items{0, 1, 2, 3};
    rng.shuffle(std::span<int>(items));
    int rank = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      int smaller = 0;
      for (std::size_t b = a + 1; b < 4; ++b) smaller += items[b] < items[a] ? 1 : 0;
      rank = rank * static_cast<int>(4 - a) + smaller;
    }
    ++count[static_cast<std::size_t>(rank)];
  }
  CHECK(std::ranges::all_of(count, [](int n) { return std::abs(n - 1000) < 130; }));
  std::vector<int> empty;
  rng.shuffle(std::span(empty));
}

}  // namespace
}  // namespace random_test
