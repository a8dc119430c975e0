#include "problems/evidence/object_holdout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/derived_signs.hpp"

namespace object_holdout_test {
namespace {

using namespace alidade;

Observations rich(Index n) {
  Observations out;
  Rng rng(12);
  auto triplets = std::make_shared<TripletList>(n);
  std::vector<std::uint32_t> answers;
  for (Index i = 0; i < n; ++i) {
    out.objects.push_back("o" + std::to_string(i));
    out.labels.push_back(i % 2 ? "odd" : "even");
  }
  out.truth = Matrix::Zero(n, 2);
  out.truth.col(0).setLinSpaced(0, static_cast<double>(n - 1));
  out.features = std::make_shared<FeatureMatrix>((10 * out.truth).cast<float>());
  for (int i = 0; i < 300; ++i) {
    const auto a = static_cast<ObjectId>(rng.below(static_cast<std::uint64_t>(n)));
    const auto b = static_cast<ObjectId>((a + 1) % static_cast<ObjectId>(n));
    const auto c = static_cast<ObjectId>((a + 2) % static_cast<ObjectId>(n));
    triplets->add({a, b, c, 0, 1.0 + i});
    answers.push_back(static_cast<std::uint32_t>(i));
  }
  out.triplets = triplets;
  out.answer = std::make_shared<std::vector<std::uint32_t>>(answers);
  Matrix D(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) D(i, j) = static_cast<double>(std::abs(i - j));
  out.dissimilarities.push_back({"", D, Matrix::Ones(n, n)});
  out.pair_signs = std::make_shared<PairSigns>(cylinder_signs(n, 1));
  return out;
}

}  // namespace

TEST_CASE("the evidence among some objects is theirs, in the chosen order") {
  const Observations all = rich(10);
  const std::vector<Index> objects = {7, 0, 9, 8};
  const Observations part = observations_among(all, objects);
  REQUIRE(part.object_count() == 4);
  CHECK(part.objects == std::vector<std::string>{"o7", "o0", "o9", "o8"});
  CHECK(part.labels == std::vector<std::string>{"odd", "even", "odd", "even"});
  for (std::size_t r = 0; r < 4; ++r) {
    const auto row = static_cast<Index>(r);
    CHECK(part.truth(row, 0) == static_cast<double>(objects[r]));
    CHECK((*part.features)(row, 0) == static_cast<float>(10 * objects[r]));
    for (std::size_t s = 0; s < 4; ++s) {
      const auto column = static_cast<Index>(s);
      CHECK(part.dissimilarities[0].values(row, column) == std::abs(objects[r] - objects[s]));
      CHECK(part.pair_signs->sign(row, column) == all.pair_signs->sign(objects[r], objects[s]));
    }
  }
  CHECK(part.dissimilarities[0].weights.rows() == 4);
  // 7, 8, 9 and 8, 9, 0 are chosen, with whatever was said of them.
  std::uint64_t among = 0;
  for (std::uint64_t u = 0; u < all.triplets->size(); ++u) {
    const Triplet t = all.triplets->at(u);
    if (t.anchor != 7 && t.anchor != 8) continue;
    REQUIRE(among < part.triplets->size());
    const Triplet kept = part.triplets->at(among);
    CHECK(objects[kept.anchor] == t.anchor);
    CHECK(objects[kept.near] == t.near);
    CHECK(objects[kept.far] == t.far);
    CHECK(kept.weight == t.weight);
    CHECK(part.answer->at(among) == all.answer->at(u));
    ++among;
  }
  CHECK(among > 20);
  CHECK(part.triplets->size() == among);
  CHECK_THROWS_AS(observations_among(all, std::vector<Index>{0, 0}), DataError);
  CHECK_THROWS_AS(observations_among(all, std::vector<Index>{10}), DataError);
  CHECK_THROWS_AS(observations_among(all, std::vector<Index>{0, 3, 6}), DataError);  // no triplet
}

TEST_CASE("a table's part is a table, and signs of triplets are those of the triplets left") {
  Observations all;
  all.objects.resize(6);
  all.attributes = std::make_shared<AttributeTable>(
      6, std::vector<AttributeTable::Aspect>{{"kind", {0, 0, 0, 1, 1, 1}, {"x", "y"}}});
  all.triplets = all.attributes;
  all.signs_of_triplets = true;
  renew_signs_of_triplets(all);
  const Observations part = observations_among(all, std::vector<Index>{0, 1, 5});
  CHECK(part.triplets == part.attributes);
  CHECK(part.triplets->size() == 2);
  CHECK(part.pair_signs->object_count() == 3);
  CHECK(part.pair_signs->sign(0, 1) == 1);
  CHECK(part.pair_signs->sign(0, 2) == -1);
  CHECK(part.pair_signs->sign(2, 0) == 0);  // no triplet of 5 is left
}

TEST_CASE("objects are held out by fraction or number, and a larger holdout of one key includes a smaller") {
  const Observations all = rich(40);
  const ObjectSplit quarter = hold_out_objects(all, 0.25, 5), ten = hold_out_objects(all, 10, 5);
  CHECK(quarter.heldout.size() == 10);
  CHECK(quarter.heldout == ten.heldout);
  CHECK(quarter.kept.size() == 30);
  CHECK(std::ranges::is_sorted(quarter.kept));
  CHECK(quarter.training.object_count() == 30);
  CHECK(quarter.training.objects[3] == all.objects[static_cast<std::size_t>(quarter.kept[3])]);
  std::set<Index> both(quarter.kept.begin(), quarter.kept.end());
  both.insert(quarter.heldout.begin(), quarter.heldout.end());
  CHECK(both.size() == 40);
  const ObjectSplit more = hold_out_objects(all, 15, 5);
  CHECK(std::ranges::includes(more.heldout, ten.heldout));
  CHECK(hold_out_objects(all, 10, 6).heldout != ten.heldout);

  CHECK_THROWS_AS(hold_out_objects(all, 0, 5), ConfigError);
  CHECK_THROWS_AS(hold_out_objects(all, 1.5, 5), ConfigError);
  CHECK_THROWS_AS(hold_out_objects(all, 39, 5), DataError);
  CHECK_THROWS_AS(hold_out_objects(all, 0.01, 5), DataError);
}

}  // namespace object_holdout_test
