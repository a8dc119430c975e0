#include "problems/distances/nearest_neighbors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/distance_blocks.hpp"

namespace alidade::neighbor::nearest_neighbors_test {
namespace {

constexpr std::uint64_t kSeed = 20240611;

FeatureMatrix gaussian(Index n, Index p, Rng& rng) {
  FeatureMatrix out(n, p);
  for (float& entry : out.reshaped<Eigen::RowMajor>()) entry = static_cast<float>(rng.normal());
  return out;
}

/// By sorting all distances of every row.
NearestNeighbors by_sorting(const FeatureMatrix& X, Index count) {
  NearestNeighbors out(X.rows(), count);
  const Matrix exact = X.cast<double>();
  for (Index i = 0; i < X.rows(); ++i) {
    std::vector<std::pair<double, ObjectId>> all;
    for (Index j = 0; j < X.rows(); ++j)
      if (j != i) all.emplace_back((exact.row(i) - exact.row(j)).squaredNorm(), static_cast<ObjectId>(j));
    std::ranges::sort(all);
    for (Index k = 0; k < count; ++k) {
      out.squared_distances(i, k) = all[static_cast<std::size_t>(k)].first;
      out.ids(i, k) = all[static_cast<std::size_t>(k)].second;
    }
  }
  return out;
}

NearestNeighbors search(const FeatureMatrix& X, Index count, SearchMethod method, int threads = 1) {
  Executor executor(threads);
  return nearest_neighbors(X, count, method, 1, executor);
}

void check_exact(const FeatureMatrix& X, Index count) {
  const NearestNeighbors got = search(X, count, SearchMethod::exact);
  const NearestNeighbors expected = by_sorting(X, count);
  CHECK(got.ids == expected.ids);
  CHECK((got.squared_distances - expected.squared_distances).cwiseAbs().maxCoeff() <=
        1e-12 * expected.squared_distances.maxCoeff());
}

TEST_CASE("exact search finds what sorting all distances finds, in few and in many dimensions") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const Index p : {1, 2, 5, 6, 16, 17, 300})
    for (const Index n : {2, 17, 300}) {
      CAPTURE(p);
      CAPTURE(n);
      const FeatureMatrix X = gaussian(n, p, rng);
      for (const Index count : {Index{1}, std::min<Index>(n - 1, 12), n - 1}) check_exact(X, count);
    }
}

TEST_CASE("ties go to the lower id: grids, duplicates, all equal") {
  Rng rng(kSeed);
  for (const Index p : {2, 3, 8, 40}) {
    CAPTURE(p);
    FeatureMatrix grid(400, p);
    for (float& entry : grid.reshaped<Eigen::RowMajor>()) entry = static_cast<float>(rng.below(2));
    check_exact(grid, 10);
    FeatureMatrix twice = gaussian(300, p, rng);
    for (Index i = 0; i < 300; ++i) twice.row(i) = twice.row(i % 7).eval();
    check_exact(twice, 20);
    check_exact(FeatureMatrix::Constant(50, p, 3.5F), 5);
  }
}

TEST_CASE("kept rows of distances have the bits of rows made again, with any number of threads") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  Observations observations;
  observations.objects.resize(75, "x");
  observations.features = std::make_shared<const FeatureMatrix>(gaussian(75, 33, rng));
  const DissimilarityRows rows(observations, "test");
  const std::vector<Index> chosen{74, 0, 3, 3, 40};
  for (const int threads : {1, 3}) {
    Executor executor(threads);
    const DissimilarityRows kept = rows.kept(executor);
    CHECK(kept.features() == rows.features());
    std::vector<std::vector<double>> made;
    rows.for_each(chosen, [&](Index, std::span<const double> row) { made.emplace_back(row.begin(), row.end()); });
    REQUIRE(made.size() == chosen.size());
    kept.for_each(chosen, [&](Index a, std::span<const double> row) {
      CHECK(std::ranges::equal(row, made[static_cast<std::size_t>(a)]));
    });
  }
}

TEST_CASE("nearest neighbours in a matrix of dissimilarities are found by rows, ties to the lower id, on threads") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  constexpr Index kObjects = 70;
  const FeatureMatrix X = gaussian(kObjects, 3, rng);
  Matrix values(kObjects, kObjects);
  for (Index i = 0; i < kObjects; ++i)
    for (Index j = 0; j < kObjects; ++j)  // halves: many ties
      values(i, j) = std::round(2 * (X.row(i) - X.row(j)).cast<double>().norm()) / 2;
  Observations observations;
  for (Index i = 0; i < kObjects; ++i) observations.objects.push_back(std::to_string(i));
  observations.dissimilarities.push_back({"", values, {}});
  const DissimilarityRows rows(observations, "test");
  for (const int threads : {1, 3}) {
    Executor executor(threads);
    const NearestNeighbors got = nearest_neighbors(rows, 9, SearchMethod::automatic, kSeed, executor);
    for (Index i = 0; i < kObjects; ++i) {
      std::vector<std::pair<double, ObjectId>> all;
      for (Index j = 0; j < kObjects; ++j)
        if (j != i) all.emplace_back(values(i, j) * values(i, j), static_cast<ObjectId>(j));
      std::ranges::sort(all);
      for (Index k = 0; k < 9; ++k) {
        CHECK(got.squared_distances(i, k) == all[static_cast<std::size_t>(k)].first);
        CHECK(got.ids(i, k) == all[static_cast<std::size_t>(k)].second);
      }
    }
  }
}

TEST_CASE("numbers far from 1, near duplicates and far offsets keep the search exact") {
  Rng rng(kSeed);
  for (const float scale : {1e-30F, 1e-12F, 1e15F, 1e37F}) {
    CAPTURE(scale);
    check_exact(scale * gaussian(200, 8, rng), 6);
  }
  FeatureMatrix shifted = gaussian(200, 8, rng);
  shifted.array() = 1e4F + 1e-2F * shifted.array();
  check_exact(shifted, 6);
  FeatureMatrix mixed = 1e-18F * gaussian(200, 8, rng);
  mixed.bottomRows(20) = gaussian(20, 8, rng);
  check_exact(mixed, 6);
}

TEST_CASE("threads change no bit, exact or approximate") {
  Rng rng(kSeed);
  const FeatureMatrix wide = gaussian(1500, 12, rng), narrow = gaussian(1500, 3, rng);
  for (const auto& [X, method] :
       {std::pair{&wide, SearchMethod::exact}, {&narrow, SearchMethod::exact}, {&wide, SearchMethod::approximate}}) {
    const NearestNeighbors one = search(*X, 10, method), two = search(*X, 10, method, 2);
    CHECK(one.ids == two.ids);
    CHECK(one.squared_distances == two.squared_distances);
    CHECK(one.search == two.search);
  }
}

TEST_CASE("a search for neighbours that is asked to stop ends, by whatever method it searches") {
  Rng rng(kSeed);
  const FeatureMatrix wide = gaussian(1500, 12, rng), narrow = gaussian(1500, 3, rng);
  for (const auto& [X, method] :
       {std::pair{&wide, SearchMethod::exact}, {&narrow, SearchMethod::exact}, {&wide, SearchMethod::approximate}})
    for (const int allowed : {0, 1, 2}) {
      Executor executor;
      int looks = 0;
      const Executor::Breakable breaks(executor, [&] { return looks++ == allowed; });
      CHECK_THROWS_AS(static_cast<void>(nearest_neighbors(*X, 10, method, kSeed, executor)), WorkStopped);
      CHECK(looks == allowed + 1);
    }
}

TEST_CASE("approximate search finds at least 95 of 100 neighbours, sorted, with exact distances") {
  Rng rng(kSeed);
  const FeatureMatrix X = gaussian(3000, 20, rng);
  const NearestNeighbors got = search(X, 10, SearchMethod::approximate);
  const NearestNeighbors exact = search(X, 10, SearchMethod::exact);
  CHECK(got.search.starts_with("approximate"));
  Index value = 0;
  for (Index i = 0; i < X.rows(); ++i)
    for (Index k = 0; k < 10; ++k) {
      const ObjectId id = got.ids(i, k);
      REQUIRE(static_cast<Index>(id) != i);
      value += (exact.ids.row(i).array() == id).any();
      CHECK(got.squared_distances(i, k) ==
            doctest::Approx((X.row(i).cast<double>() - X.row(id).cast<double>()).squaredNorm()));
      if (k > 0) CHECK(got.squared_distances(i, k - 1) <= got.squared_distances(i, k));
    }
  // 29,998 of 30,000 with kernels of AVX-512, AVX2 and SSE2.
  CHECK(static_cast<double>(value) >= 0.95 * 10 * 3000);
}

TEST_CASE("rows of distances have the same bits by any instructions, and are those of the plain sum") {
  Rng rng(kSeed);
  const std::vector<Index> anchors = {0, 49, 7, 7, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33};
  for (const Index p : {1, 3, 15, 16, 17, 64, 100, 3000}) {  // the last in several tiles
    CAPTURE(p);
    const FeatureMatrix X = gaussian(50, p, rng);
    for (const InstructionSet set : {InstructionSet::baseline, best_instruction_set()}) {
      std::size_t calls = 0;
      for_each_distance_row(
          X, anchors,
          [&](std::size_t a, std::span<const float> row) {
            REQUIRE(a == calls++);
            REQUIRE(row.size() == 50);
            for (Index j = 0; j < 50; ++j) {
              const float distance = row[static_cast<std::size_t>(j)];
              const double exact = (X.row(anchors[a]).cast<double>() - X.row(j).cast<double>()).squaredNorm();
              CHECK(static_cast<double>(distance) == doctest::Approx(exact).epsilon(1e-5));
              CHECK(distance == squared_row_distance(X.row(anchors[a]).data(), X.row(j).data(), p));
            }
            CHECK(row[static_cast<std::size_t>(anchors[a])] == 0);
          },
          set);
      CHECK(calls == anchors.size());
    }
  }
}

TEST_CASE("every instruction set gives the distances to rounding") {
  Rng rng(kSeed);
  const FeatureMatrix X = gaussian(300, 37, rng);
  const PackedPoints points(X, 1);
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > best_instruction_set()) continue;
    std::vector<float> tile(13 * kTilePoints);
    tile_distances(X.data(), 13, points, 256, tile.data(), set);
    for (Index q = 0; q < 13; ++q)
      for (Index t = 0; t < 300 - 256; ++t) {
        const float expected = (X.row(q) - X.row(256 + t)).squaredNorm();
        CHECK(tile[static_cast<std::size_t>(q) * kTilePoints + static_cast<std::size_t>(t)] ==
              doctest::Approx(expected).epsilon(1e-5));
      }
  }
}

TEST_CASE("bad input is refused in one line") {
  Rng rng(kSeed);
  FeatureMatrix X = gaussian(10, 4, rng);
  CHECK_THROWS_AS(search(X, 0, SearchMethod::exact), ConfigError);
  CHECK_THROWS_AS(search(X, 10, SearchMethod::exact), ConfigError);
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    X(3, 2) = bad;
    for (const SearchMethod method : {SearchMethod::exact, SearchMethod::approximate, SearchMethod::automatic})
      CHECK_THROWS_AS(search(X, 2, method), DataError);
  }
  CHECK(search_method("auto") == SearchMethod::automatic);
  CHECK_THROWS_AS(static_cast<void>(search_method("fast")), ConfigError);
}

}  // namespace
}  // namespace alidade::neighbor::nearest_neighbors_test
