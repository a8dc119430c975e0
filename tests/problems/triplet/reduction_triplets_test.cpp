#include "problems/triplet/reduction_triplets.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "problems/core/error.hpp"

namespace alidade::triplet::reduction_triplets_test {
namespace {

constexpr std::uint64_t kSeed = 20240611;

FeatureMatrix gaussian(Index n, Index p, Rng& rng) {
  FeatureMatrix out(n, p);
  for (float& entry : out.reshaped<Eigen::RowMajor>()) entry = static_cast<float>(rng.normal());
  return out;
}

NearestNeighbors neighbors_of(const FeatureMatrix& X, const ReductionTriplets& options) {
  Executor executor;
  return nearest_neighbors(X, options.neighbors_needed(X.rows()), SearchMethod::exact, 1, executor);
}

ProductBlocks blocks_of(const FeatureMatrix& X, const ReductionTriplets& options, int threads = 1) {
  Executor executor(threads);
  return product_blocks(X, neighbors_of(X, options), options, executor);
}

double squared(const FeatureMatrix& X, Index i, Index j) {
  return (X.row(i).cast<double>() - X.row(j).cast<double>()).squaredNorm();
}

/// Weights by the formulas, from all triplets of the blocks, in the simplest order; scaled to mean 1.
std::vector<double> weights_by_formula(const FeatureMatrix& X, const ProductBlocks& blocks,
                                       const ReductionTriplets& options) {
  const Index n = X.rows();
  Vector sigma(n);
  for (Index i = 0; i < n; ++i) {
    std::vector<double> all;
    for (Index j = 0; j < n; ++j)
      if (j != i) all.push_back(squared(X, i, j));
    std::ranges::sort(all);
    sigma[i] = std::sqrt(all[static_cast<std::size_t>(options.sigma_neighbor - 1)]);
  }
  std::vector<double> out;
  for (Index i = 0; i < n; ++i)
    for (std::size_t j = 0; j < blocks.inliers; ++j)
      for (std::size_t k = 0; k < blocks.outliers; ++k) {
        const auto near = static_cast<Index>(blocks.inliers_of(static_cast<std::size_t>(i))[j]);
        const auto far = static_cast<Index>(blocks.outliers_of(static_cast<std::size_t>(i))[k]);
        out.push_back(squared(X, i, far) / (sigma[i] * sigma[far]) - squared(X, i, near) / (sigma[i] * sigma[near]));
      }
  const auto [least, highest] = std::ranges::minmax(out);
  double sum = 0;
  for (double& zeta : out) {
    if (options.weights == TripletWeights::uniform) zeta = 1;
    if (options.weights == TripletWeights::tempered_log) zeta = (std::pow(1 + zeta - least, 0.5) - 1) / 0.5;
    if (options.weights == TripletWeights::exponential) zeta = std::exp(zeta - highest) + options.gamma;
    sum += zeta;
  }
  for (double& weight : out) weight *= static_cast<double>(out.size()) / sum;
  return out;
}

double weight_of(const ProductBlocks& blocks, std::size_t i, std::size_t j, std::size_t k) {
  return static_cast<double>(blocks.weights_of(i)[j * blocks.weight_stride() + k]);
}

TEST_CASE("weights follow the formulas, with mean 1, and are 0 for padding") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const FeatureMatrix X = gaussian(120, 4, rng);
  for (const TripletWeights kind :
       {TripletWeights::uniform, TripletWeights::tempered_log, TripletWeights::exponential}) {
    ReductionTriplets options;
    options.inliers = 7;
    options.outliers = 19;
    options.weights = kind;
    const ProductBlocks blocks = blocks_of(X, options);
    CHECK(blocks.places == 32);
    CHECK(blocks.uniform() == (kind == TripletWeights::uniform));
    const std::vector<double> expected = weights_by_formula(X, blocks, options);
    std::size_t at = 0;
    double sum = 0;
    for (std::size_t i = 0; i < 120; ++i)
      for (std::size_t j = 0; j < 7; ++j)
        for (std::size_t k = 0; k < 32; ++k) {
          const double weight = weight_of(blocks, i, j, k);
          if (k >= 19) {
            CHECK(weight == 0);
            continue;
          }
          CHECK(weight == doctest::Approx(expected[at++]).epsilon(1e-6));
          sum += weight;
        }
    CHECK(sum / static_cast<double>(blocks.triplet_count()) == doctest::Approx(1).epsilon(1e-6));
  }
}

TEST_CASE("inliers are the nearest objects; outliers are distinct, uniform and among the others") {
  Rng rng(kSeed);
  const Index n = 60;
  const FeatureMatrix X = gaussian(n, 3, rng);
  ReductionTriplets options;
  options.inliers = 5;
  options.outliers = 12;
  std::vector<int> drawn(static_cast<std::size_t>(n), 0);  // of object 0
  constexpr int kSeeds = 2000;
  const auto neighbors = neighbors_of(X, options);
  Executor executor;
  for (int seed = 0; seed < kSeeds; ++seed) {
    options.seed = static_cast<std::uint64_t>(seed);
    const ProductBlocks blocks = product_blocks(X, neighbors, options, executor);
    for (std::size_t i = 0; i < (seed == 0 ? 60U : 1U); ++i) {
      std::set<ObjectId> seen{static_cast<ObjectId>(i)};
      for (std::size_t j = 0; j < 5; ++j) {
        CHECK(blocks.inliers_of(i)[j] == neighbors.ids(static_cast<Index>(i), static_cast<Index>(j)));
        seen.insert(blocks.inliers_of(i)[j]);
      }
      for (std::size_t k = 0; k < 12; ++k) seen.insert(blocks.outliers_of(i)[k]);
      CHECK(seen.size() == 1 + 5 + 12);
      CHECK(*seen.rbegin() < 60);
    }
    for (std::size_t k = 0; k < 12; ++k) ++drawn[blocks.outliers_of(0)[k]];
  }
  // 54 objects at rate 12/54 each: standard deviation 18.6 of 444.
  int outside = 0;
  for (const int count : drawn) {
    if (count == 0) {
      ++outside;
      continue;
    }
    CHECK(std::abs(count - kSeeds * 12 / 54) < 5 * 19);
  }
  CHECK(outside == 6);
}

TEST_CASE("a spread beyond the exponential's range overflows nothing") {
  Rng rng(kSeed);
  FeatureMatrix X = 1e-3F * gaussian(60, 3, rng);
  X.bottomRows(30).array() += 1e3F;  // zeta is some 1e12
  for (const TripletWeights kind : {TripletWeights::tempered_log, TripletWeights::exponential}) {
    ReductionTriplets options;
    options.weights = kind;
    const ProductBlocks blocks = blocks_of(X, options);
    double sum = 0;
    for (const float weight : blocks.weights) {
      REQUIRE(std::isfinite(weight));
      REQUIRE(weight >= 0);
      sum += static_cast<double>(weight);
    }
    CHECK(sum / static_cast<double>(blocks.triplet_count()) == doctest::Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("duplicates cause no division by zero, and triplets without a difference have weight 0") {
  Rng rng(kSeed);
  FeatureMatrix X(90, 5);
  const FeatureMatrix points = gaussian(3, 5, rng);
  for (Index i = 0; i < 90; ++i) X.row(i) = points.row(i % 3);
  for (const TripletWeights kind :
       {TripletWeights::uniform, TripletWeights::tempered_log, TripletWeights::exponential}) {
    ReductionTriplets options;
    options.weights = kind;
    const ProductBlocks blocks = blocks_of(X, options);
    for (std::size_t i = 0; i < 90; ++i)
      for (std::size_t j = 0; j < blocks.inliers; ++j)
        for (std::size_t k = 0; k < blocks.outliers; ++k) {
          const double weight = weight_of(blocks, i, j, k);
          REQUIRE(std::isfinite(weight));
          const ObjectId near = blocks.inliers_of(i)[j], far = blocks.outliers_of(i)[k];
          if (!(squared(X, static_cast<Index>(i), far) > squared(X, static_cast<Index>(i), near))) CHECK(weight == 0);
        }
  }
  ReductionTriplets options;
  CHECK_THROWS_AS(blocks_of(FeatureMatrix::Constant(20, 3, 1.5F), options), DataError);
}

TEST_CASE("few objects give as many inliers and outliers as there are") {
  Rng rng(kSeed);
  for (const Index n : {3, 4, 8, 12, 30}) {
    CAPTURE(n);
    const FeatureMatrix X = gaussian(n, 2, rng);
    const ProductBlocks blocks = blocks_of(X, {});
    CHECK(blocks.inliers == static_cast<std::size_t>(std::min<Index>(10, n - 2)));
    CHECK(blocks.outliers == std::min<std::size_t>(32, static_cast<std::size_t>(n) - 1 - blocks.inliers));
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      std::set<ObjectId> seen{static_cast<ObjectId>(i)};
      for (std::size_t j = 0; j < blocks.inliers; ++j) seen.insert(blocks.inliers_of(i)[j]);
      for (std::size_t k = 0; k < blocks.outliers; ++k) seen.insert(blocks.outliers_of(i)[k]);
      CHECK(seen.size() == 1 + blocks.inliers + blocks.outliers);
    }
  }
}

TEST_CASE("threads change no bit; another seed draws other outliers") {
  Rng rng(kSeed);
  const FeatureMatrix X = gaussian(1000, 6, rng);
  ReductionTriplets options;
  const ProductBlocks one = blocks_of(X, options), two = blocks_of(X, options, 2);
  CHECK(one.inlier_ids == two.inlier_ids);
  CHECK(one.outlier_ids == two.outlier_ids);
  CHECK(one.weights == two.weights);
  options.seed = 2;
  CHECK(blocks_of(X, options).outlier_ids != one.outlier_ids);
}

TEST_CASE("drawn triplets hold in the features, m by m, with mean weight 1") {
  Rng rng(kSeed);
  const FeatureMatrix X = gaussian(100, 4, rng);
  for (const TripletWeights kind :
       {TripletWeights::uniform, TripletWeights::tempered_log, TripletWeights::exponential}) {
    ReductionTriplets options;
    options.inliers = 6;
    options.weights = kind;
    const auto neighbors = neighbors_of(X, options);
    const TripletList list = drawn_triplets(X, neighbors, options);
    CHECK(list.size() == 100 * 6 * 6);
    CHECK(list.weighted() == (kind != TripletWeights::uniform));
    double sum = 0;
    for (std::uint64_t t = 0; t < list.size(); ++t) {
      const Triplet one = list.at(t);
      CHECK(squared(X, one.anchor, one.near) < squared(X, one.anchor, one.far));
      CHECK(one.near == neighbors.ids(static_cast<Index>(one.anchor), static_cast<Index>(t / 6 % 6)));
      sum += one.weight;
    }
    CHECK(sum / static_cast<double>(list.size()) == doctest::Approx(1));
  }
}

}  // namespace
}  // namespace alidade::triplet::reduction_triplets_test
