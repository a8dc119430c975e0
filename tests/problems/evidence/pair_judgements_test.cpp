// Judgements of pairs: their means, the triplets that they imply, and what is left without some people.
#include "problems/evidence/pair_judgements.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/evidence/object_holdout.hpp"

namespace pair_judgements_test {
namespace {

using namespace alidade;

/// Three objects, judged by "p" as (0 1) 2, (0 2) 5, (1 2) 2, and by "q" as (1 0) 4 and 6, (2 0) 1; (1 2) by q is 3.
Observations judged(bool weighted) {
  Observations out;
  out.objects = {"a", "b", "c"};
  out.annotators = {"p", "q"};
  PairJudgements judgements{
      {{0, 1, 0, 2}, {0, 2, 0, 5}, {1, 2, 0, 2}, {1, 0, 1, 4}, {1, 0, 1, 6}, {2, 0, 1, 1}}, false, weighted};
  if (!weighted) judgements.all.push_back({1, 2, 1, 3});
  out.dissimilarities = {means_of(judgements, 3)};
  out.judgements = std::make_shared<const PairJudgements>(std::move(judgements));
  return out;
}

}  // namespace

TEST_CASE("means of pairs in either order, with the number of their judgements") {
  const Dissimilarities means = judged(true).dissimilarities.front();
  CHECK(means.values(0, 1) == 4);
  CHECK(means.weights(1, 0) == 3);
  CHECK(means.values(2, 0) == 3);
  CHECK(means.weights(1, 2) == 1);
  CHECK(means.weights(0, 0) == 0);
}

TEST_CASE("means that are equal or ordered are so in every unit of the ratings") {
  constexpr Index kObjects = 12;
  Rng rng(41);
  Eigen::Matrix<std::uint64_t, Eigen::Dynamic, Eigen::Dynamic> sums(kObjects, kObjects), counts(kObjects, kObjects);
  std::vector<PairJudgement> whole;
  for (ObjectId i = 0; i < kObjects; ++i)
    for (ObjectId j = 0; j < i; ++j) {
      sums(i, j) = counts(i, j) = 0;
      for (std::uint64_t left = 1 + rng.below(7); left > 0; --left) {
        const std::uint64_t rating = 1 + rng.below(9), weight = 1 + rng.below(2);
        whole.push_back({i, j, 0, static_cast<double>(rating), static_cast<double>(weight)});
        sums(i, j) += weight * rating;
        counts(i, j) += weight;
      }
    }
  for (const double unit : {1.0, 0.1, 0.01, 10.0, 1.0 / 3, 0.123456, 1e-200, 1e-310, 1e200}) {
    CAPTURE(unit);
    for (const bool similar : {false, true}) {  // distances are the highest similarity less that of the pair
      PairJudgements judged{whole};
      for (PairJudgement& one : judged.all) {
        const double rated = one.apart * unit;
        one.apart = similar ? 9 * unit - rated : rated;
      }
      const Matrix means = means_of(judged, kObjects).values;
      int wrong = 0;
      for (Index i = 0; i < kObjects; ++i)
        for (Index j = 0; j < i; ++j)
          for (Index k = 0; k < kObjects; ++k)
            for (Index l = 0; l < k; ++l) {
              const std::uint64_t left = sums(i, j) * counts(k, l), right = sums(k, l) * counts(i, j);
              const bool less = similar ? right < left : left < right;
              wrong += (means(i, j) == means(k, l)) != (left == right) || (means(i, j) < means(k, l)) != less ? 1 : 0;
            }
      CHECK(wrong == 0);
    }
  }
  // So are they in every unit of the weights, to the bit.
  for (const bool with_step : {true, false}) {
    PairJudgements judged{whole};
    for (PairJudgement& one : judged.all) one.weight *= with_step ? 1 : std::sqrt(2 + one.apart);
    const Matrix means = means_of(judged, kObjects).values;
    for (const double unit : {0.1, 1.0 / 600, 7.0, 1e-50, 1e50}) {
      CAPTURE(unit);
      PairJudgements other = judged;
      for (PairJudgement& one : other.all) one.weight *= unit;
      CHECK(means_of(other, kObjects).values == means);
      CHECK(means_of(other, kObjects).weights.isApprox(unit * means_of(judged, kObjects).weights, 1e-10));
    }
  }
  // Numbers without a common step are summed without rounding, too: their order means nothing.
  PairJudgements times{{{0, 1, 0, std::sqrt(2.0)}, {0, 1, 0, 0.1}, {0, 1, 0, 0.7}}};
  for (const std::size_t k : {2U, 1U, 0U}) times.all.push_back({0, 2, 0, times.all[k].apart});
  const Matrix means = means_of(times, 3).values;
  CHECK(means(0, 1) == means(0, 2));
  CHECK(means(0, 1) == doctest::Approx((std::sqrt(2.0) + 0.8) / 3).epsilon(1e-11));
}

TEST_CASE("triplets are two pairs with an object in common that one person judged differently") {
  Observations all = judged(true);
  CHECK(fewest_judges(all) == 1);
  imply_triplets(all);
  // p: about a, b is nearer; about c, b is nearer; about b, both are as near. q: about a, c is nearer.
  REQUIRE(all.triplets->size() == 3);
  CHECK(all.triplets->at(0) == Triplet{0, 1, 2});
  CHECK(all.triplets->at(1) == Triplet{2, 1, 0});
  CHECK(all.triplets->at(2) == Triplet{0, 2, 1});
  CHECK(*all.annotator == std::vector<std::uint32_t>{0, 0, 1});
}

TEST_CASE("among some objects there are no judgements, whose numbers are those of all objects") {
  Observations all = judged(true);
  imply_triplets(all);
  const Observations two = observations_among(all, std::vector<Index>{0, 2});
  CHECK(two.judgements == nullptr);
  CHECK(two.triplets == nullptr);
  CHECK(two.dissimilarities.front().values(0, 1) == 3);
}

TEST_CASE("the means of the people whose triplets are left; a pair that must have a mean is missed") {
  for (const bool weighted : {true, false}) {
    Observations some = judged(weighted);
    imply_triplets(some);
    some.triplets = std::make_shared<TripletSelection>(some.triplets, std::vector<std::uint64_t>{2});
    renew_means_of_judgements(some);
    const Dissimilarities& means = some.dissimilarities.front();
    CHECK(means.values(0, 1) == 5);
    CHECK(means.values(0, 2) == 1);
    CHECK(means.weights.size() == (weighted ? 9 : 0));
    CHECK(some.judgements->all.size() == (weighted ? 3 : 4));
  }
  Observations few = judged(false);
  auto without = std::make_shared<PairJudgements>(*few.judgements);
  without->all.pop_back();
  few.judgements = std::move(without);
  imply_triplets(few);
  few.triplets = std::make_shared<TripletSelection>(few.triplets, std::vector<std::uint64_t>{2});
  CHECK_THROWS_AS(renew_means_of_judgements(few), DataError);
}

}  // namespace pair_judgements_test
