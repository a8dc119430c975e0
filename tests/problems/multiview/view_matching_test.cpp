#include "problems/multiview/view_matching.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/core/error.hpp"
#include "problems/multiview/preservation.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace alidade::multiview::view_matching_test {
namespace {

using testing::holds_all;

constexpr std::uint64_t kSeed = 20240611;

/// `aspects` maps of 12 objects each, and triplets that map t alone answers.
struct Case {
  std::vector<Matrix> maps;
  TripletList triplets{12};
};

Case aspects_of_their_own(Index aspects) {
  Case out;
  Rng rng = Rng::stream(kSeed, "maps");
  for (Index t = 0; t < aspects; ++t) {
    out.maps.push_back(testing::gaussian_points(12, 2, rng));
    const TripletList own = testing::triplets_of(out.maps.back(), 80, 0, rng);
    for (std::uint64_t i = 0; i < own.size(); ++i) {
      Triplet triplet = own.at(i);
      triplet.aspect = static_cast<std::uint32_t>(t);
      out.triplets.add(triplet);
    }
  }
  return out;
}

Embedding views(const std::vector<Matrix>& maps) {
  Embedding out;
  out.latent_views = true;
  for (const Matrix& map : maps) out.maps.push_back({"", map});
  out.estimates = {{"weight", 0.5}};
  return out;
}

using Views = std::vector<Index>;

}  // namespace

TEST_CASE("the gain is the share of an aspect's triplets that a view satisfies") {
  const Case c = aspects_of_their_own(3);
  const ViewMatching matching(views({c.maps[2], c.maps[0], c.maps[1]}), c.triplets, {"a", "b", "c"});
  CHECK(matching.gain()(1, 0) == 1);
  CHECK(matching.gain()(2, 1) == 1);
  CHECK(matching.gain()(0, 2) == 1);
  CHECK(matching.gain()(0, 0) < 0.9);
  const auto counts = satisfied_by_aspect(c.maps[2], c.triplets);
  for (std::size_t t = 0; t < 3; ++t) CHECK(matching.gain()(0, static_cast<Index>(t)) == counts[t].satisfied / 80);
  CHECK(matching.cost() == -matching.gain());
  const AssignmentSolution right{{2, 0, 1}, {}, {}};
  Executor executor;
  Evaluation evaluation(executor);
  CHECK(matching.objective(right, evaluation) == -3);
  const MatchedViews matched = matching.matched(right);
  CHECK(matched.view_of == Views{1, 2, 0});
  CHECK(matched.satisfied == std::vector<double>{1, 1, 1});
  CHECK(matched.unmatched_views.empty());
  CHECK(matched.notes.empty());
  CHECK_FALSE(matched.embedding.latent_views);
  REQUIRE(matched.embedding.maps.size() == 3);
  CHECK(matched.embedding.estimates.size() == 1);
  for (std::size_t t = 0; t < 3; ++t) CHECK(matched.embedding.maps[t].coordinates == c.maps[t]);
  CHECK(matched.embedding.maps[1].name == "b");
  CHECK(matching.decode(right).maps[0].coordinates == c.maps[0]);
}

TEST_CASE("with more views than aspects the unmatched views are listed") {
  const Case c = aspects_of_their_own(2);
  const ViewMatching matching(views({c.maps[1], Matrix::Zero(12, 2), c.maps[0]}), c.triplets, {"a", "b"});
  CHECK(matching.gain().row(1).isZero());
  const MatchedViews matched = matching.matched({{1, -1, 0}, {}, {}});
  CHECK(matched.view_of == Views{2, 0});
  CHECK(matched.unmatched_views == Views{1});
  CHECK(matched.embedding.maps.size() == 2);
  Rng rng(kSeed);
  CHECK(std::get<AssignmentSolution>(matching.start(rng)).column_of == Views{0, 1, -1});
}

TEST_CASE(
    "fewer views than aspects: what is left over takes the view that suits it best, and it is "
    "said") {
  const Case c = aspects_of_their_own(3);
  const ViewMatching matching(views({c.maps[1], c.maps[2]}), c.triplets, {"a", "b", "c"});
  const MatchedViews matched = matching.matched({{1, 2}, {}, {}});
  CHECK(matched.view_of[1] == 0);
  CHECK(matched.view_of[2] == 1);
  CHECK(matched.view_of[0] == (matching.gain()(0, 0) >= matching.gain()(1, 0) ? 0 : 1));
  CHECK(matched.shared == std::vector<bool>{true, false, false});
  REQUIRE(matched.notes.size() == 1);
  CHECK(holds_all(matched.notes[0], {"2 views for 3 aspects", "a takes the view"}));
}

TEST_CASE("an aspect without a triplet keeps a view, and its share is NaN") {
  Case c = aspects_of_their_own(2);
  TripletList more(12);
  for (std::uint64_t i = 0; i < c.triplets.size(); ++i) {
    Triplet triplet = c.triplets.at(i);
    triplet.aspect *= 2;  // aspect 1 is empty
    more.add(triplet);
  }
  const ViewMatching matching(views({c.maps[0], c.maps[1], c.maps[1]}), more, {"a", "b", "c"});
  CHECK(matching.gain().col(1).isZero());
  const MatchedViews matched = matching.matched({{0, 1, 2}, {}, {}});
  CHECK(std::isnan(matched.satisfied[1]));
  CHECK(matched.notes == std::vector<std::string>{"No triplet shows which view belongs to b."});
  CHECK_THROWS_AS(ViewMatching(views({c.maps[0]}), more, {"a", "b"}), DataError);
  CHECK_THROWS_AS(ViewMatching(Embedding{}, more, {"a", "b", "c"}), DataError);
}

}  // namespace alidade::multiview::view_matching_test
