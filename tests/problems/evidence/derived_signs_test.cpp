#include "problems/evidence/derived_signs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/distances/neighbor_signs.hpp"

namespace derived_signs_test {
namespace {

using namespace alidade;

constexpr std::uint64_t kSeed = 730;

std::vector<ObjectPair> pairs_of(const PairSigns& signs) { return signs.similar_pairs(); }

Matrix random_places(Index n, Index d, std::uint64_t seed) {
  Rng rng(seed);
  Matrix out(n, d);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = rng.normal();
  return out;
}

/// j is among the k nearest of i iff fewer than k others are nearer, or as near with a lower id.
bool among_nearest(const Matrix& places, Index i, Index j, Index k) {
  const auto squared = [&](Index a) { return (places.row(i) - places.row(a)).squaredNorm(); };
  Index before = 0;
  for (Index a = 0; a < places.rows(); ++a)
    if (a != i && (squared(a) < squared(j) || (squared(a) == squared(j) && a < j))) ++before;
  return before < k;
}

}  // namespace

TEST_CASE("nearest neighbours are similar, and in a union from either side, on threads") {
  const Index n = 300, k = 5;
  const Matrix places = random_places(n, 3, kSeed);
  Executor executor(2);
  const PairSigns directed = signs_of_places(places, k, Symmetry::directed, executor);
  const PairSigns either = signs_of_places(places, k, Symmetry::either_way, executor);
  CHECK(directed.similar_count() == static_cast<std::uint64_t>(n * k));
  CHECK_FALSE(directed.symmetric());
  CHECK(either.symmetric());
  int wrong = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      const bool here = among_nearest(places, i, j, k), there = among_nearest(places, j, i, k);
      wrong += directed.sign(i, j) != (here ? 1 : -1);
      wrong += either.sign(i, j) != (here || there ? 1 : -1);
    }
  CHECK(wrong == 0);

  SUBCASE("distances and features of the same places say the same") {
    Matrix D(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) D(i, j) = (places.row(i) - places.row(j)).norm();
    D.diagonal().setConstant(std::nan(""));  // not read
    CHECK(pairs_of(signs_of_distances(D, k, Symmetry::directed)) == pairs_of(directed));
    const FeatureMatrix X = places.cast<float>();
    CHECK(pairs_of(signs_of_features(X, k, Symmetry::either_way, 1, executor)) ==
          pairs_of(signs_of_places(X.cast<double>(), k, Symmetry::either_way, executor)));
  }
  SUBCASE("threads change nothing") {
    Executor alone;
    CHECK(pairs_of(signs_of_places(places, k, Symmetry::directed, alone)) == pairs_of(directed));
  }
}

TEST_CASE("objects at equal distances up to rounding are taken by id, however many there are") {
  const Index n = 42;
  // 40 round object 0, in distances that differ by less than a billionth, farthest first.
  Matrix places = Matrix::Zero(n, 2);
  for (Index i = 1; i <= 40; ++i) {
    const double angle = static_cast<double>(i), radius = 1 + 1e-12 * static_cast<double>(50 - i);
    places.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  places.row(41) << 0, 1 - 1e-6;  // truly nearer
  Executor executor;
  const PairSigns signs = signs_of_places(places, 4, Symmetry::directed, executor);
  CHECK(std::vector<ObjectId>(signs.similar(0).begin(), signs.similar(0).end()) == std::vector<ObjectId>{1, 2, 3, 41});

  // Exact ties in features: more of them than the search looks at beyond the k-th.
  FeatureMatrix X = FeatureMatrix::Zero(64, 64);
  for (Index i = 0; i < 64; ++i) X(i, i) = 1;  // all 63 others are at one distance
  const PairSigns corners = signs_of_features(X, 3, Symmetry::directed, 1, executor);
  CHECK(std::vector<ObjectId>(corners.similar(40).begin(), corners.similar(40).end()) ==
        std::vector<ObjectId>{0, 1, 2});
}

TEST_CASE("impossible numbers of neighbours are refused") {
  Executor executor;
  Matrix places = random_places(4, 2, kSeed);
  for (const Index k : {0, 4, 5}) {
    CAPTURE(k);
    CHECK_THROWS_AS(signs_of_places(places, k, Symmetry::directed, executor), ConfigError);
    CHECK_THROWS_AS(signs_of_features(places.cast<float>(), k, Symmetry::directed, 1, executor), ConfigError);
  }
  CHECK_THROWS_AS(signs_of_distances(Matrix::Ones(2, 3), 1, Symmetry::directed), DataError);
  CHECK_THROWS_AS(signs_of_distances(-Matrix::Ones(3, 3), 1, Symmetry::directed), DataError);
  places(2, 1) = std::nan("");
  CHECK_THROWS_AS(signs_of_places(places, 1, Symmetry::directed, executor), DataError);
  CHECK_THROWS_AS(static_cast<void>(symmetry_of("both")), ConfigError);
}

TEST_CASE("objects of one label are similar, and nothing is known of those without one") {
  const std::vector<std::string> all = {"a", "b", "a", "b", "a"};
  const PairSigns signs = signs_of_labels(all);
  CHECK(signs.similar_count() == 6 + 2);
  CHECK(signs.dissimilar_count() == 12);
  CHECK(signs.sign(0, 4) == 1);
  CHECK(signs.sign(0, 1) == -1);

  const std::vector<std::string> some = {"a", "", "a", "b"};
  const PairSigns known = signs_of_labels(some);
  CHECK(known.sign(0, 2) == 1);
  CHECK(known.sign(3, 0) == -1);
  CHECK(known.sign(0, 1) == 0);
  CHECK(known.sign(1, 3) == 0);
  CHECK(known.dissimilar_count() == 4);

  CHECK_THROWS_AS(signs_of_labels(std::vector<std::string>{"", ""}), DataError);
  CHECK_THROWS_AS(signs_of_labels(all, 7), DataError);
}

TEST_CASE("triplets make near objects similar and far ones dissimilar by the greater weight") {
  auto triplets = std::make_shared<TripletList>(6);
  triplets->add({0, 1, 2});
  triplets->add({0, 3, 1});  // 1 is near once and far once: a tie
  triplets->add({0, 3, 4});
  triplets->add({0, 4, 3, 0, 0.5});  // 3 is near by 2 against 0.5, 4 far by 1 against 0.5
  const TripletSigns made = signs_of_triplets(*triplets);
  CHECK(made.signs.sign(0, 1) == 0);
  CHECK(made.signs.sign(0, 2) == -1);
  CHECK(made.signs.sign(0, 3) == 1);
  CHECK(made.signs.sign(0, 4) == -1);
  CHECK(made.signs.sign(3, 0) == 0);
  CHECK(made.signs.sign(0, 5) == 0);
  CHECK(made.undecided == 1);
  CHECK(made.outvoted == 2);

  SUBCASE("and follow the triplets that are left") {
    Observations observations;
    observations.objects.resize(6);
    observations.triplets = triplets;
    CHECK(renew_signs_of_triplets(observations).empty());
    CHECK_FALSE(observations.pair_signs);
    observations.signs_of_triplets = true;
    CHECK(renew_signs_of_triplets(observations).find("3 pairs: 2 follow the majority; 1 are ties") !=
          std::string::npos);
    observations.triplets = std::make_shared<TripletSelection>(triplets, std::vector<std::uint64_t>{0});
    CHECK(renew_signs_of_triplets(observations) == "The triplets make 1 ordered pairs similar and 1 dissimilar.");
    CHECK(observations.pair_signs->sign(0, 1) == 1);
  }
}

TEST_CASE("sums of weights that differ by rounding are a tie, in any unit") {
  for (const double unit : {1.0, 10.0, 3.0, 1e-3, 1e6}) {
    TripletList list(4);
    list.add({0, 1, 2, 0, 0.1 * unit});
    list.add({0, 1, 3, 0, 0.2 * unit});
    list.add({0, 2, 1, 0, 0.3 * unit});
    const TripletSigns signs = signs_of_triplets(list);
    CHECK(signs.undecided == 1);
    CHECK(signs.outvoted == 1);
  }
}

TEST_CASE("counts of many triplets agree with a table of votes") {
  const Index n = 40;
  // Of few objects and of many, which are counted in another way.
  TripletList few(n), many(3000);
  Rng rng(kSeed);
  Matrix net = Matrix::Zero(n, n);
  for (int i = 0; i < 700'000; ++i) {
    const auto a = static_cast<ObjectId>(rng.below(n)), b = static_cast<ObjectId>(rng.below(n)),
               c = static_cast<ObjectId>(rng.below(n));
    if (a == b || b == c || a == c) continue;
    few.add({a, b, c});
    many.add({a, b, c});
    net(a, b) += 1;
    net(a, c) -= 1;
  }
  for (const TripletList* triplets : {&few, &many}) {
    const TripletSigns made = signs_of_triplets(*triplets);
    int wrong = 0;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) wrong += made.signs.sign(i, j) != (net(i, j) > 0) - (net(i, j) < 0);
    CHECK(wrong == 0);
    CHECK(made.signs.object_count() == triplets->object_count());
  }
}

TEST_CASE("a cylinder has as many similar and dissimilar pairs as the reference instances") {
  struct Instance {
    Index azimuths, elevations;
    std::uint64_t similar, dissimilar;
  };
  for (const Instance& instance : {Instance{6, 4, 156, 396}, Instance{9, 5, 306, 1674}, Instance{12, 6, 504, 4608},
                                   Instance{18, 9, 1188, 24894}}) {
    CAPTURE(instance.azimuths);
    const PairSigns signs = cylinder_signs(instance.azimuths, instance.elevations);
    CHECK(signs.similar_count() == instance.similar);
    CHECK(signs.dissimilar_count() == instance.dissimilar);
    CHECK(signs.symmetric());
  }
  const PairSigns signs = cylinder_signs(6, 4);
  CHECK(signs.sign(0, 5) == 1);    // azimuths wrap
  CHECK(signs.sign(0, 11) == 1);   // ... with a step in elevation
  CHECK(signs.sign(0, 18) == -1);  // elevations do not
  CHECK(signs.sign(0, 2) == -1);
  CHECK(cylinder_signs(2, 1).similar_count() == 2);
  CHECK(cylinder_signs(1, 1).similar_count() == 0);
  CHECK_THROWS_AS(cylinder_signs(0, 3), ConfigError);
}

TEST_CASE("signs among some objects keep their values, in the chosen order") {
  const PairSigns all(5, {{0, 1}, {1, 4}, {4, 0}}, {{3, 1}, {1, 0}}, PairSigns::Others::unknown);
  const std::vector<Index> chosen = {4, 1, 3};
  const PairSigns some = signs_among(all, chosen);
  REQUIRE(some.object_count() == 3);
  for (Index r = 0; r < 3; ++r)
    for (Index s = 0; s < 3; ++s)
      CHECK(some.sign(r, s) == all.sign(chosen[static_cast<std::size_t>(r)], chosen[static_cast<std::size_t>(s)]));
  CHECK(some.sign(1, 0) == 1);
  CHECK(some.sign(2, 1) == -1);
  CHECK(signs_among(cylinder_signs(4, 2), chosen).others() == PairSigns::Others::dissimilar);
  const PairSigns weighted = signs_among(
      PairSigns::weighted_graph(4, {{0, 1}, {1, 3}, {3, 0}}, std::vector<double>{5, 6, 7}), std::vector<Index>{3, 1});
  CHECK(weighted.similar_pairs() == std::vector<ObjectPair>{{1, 0}});
  CHECK(weighted.weights()[0] == 6);
  CHECK_THROWS_AS(signs_among(all, std::vector<Index>{1, 1}), DataError);
  CHECK_THROWS_AS(signs_among(all, std::vector<Index>{5}), DataError);
}

}  // namespace derived_signs_test
