#include "problems/evidence/pair_signs.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/core/error.hpp"

namespace pair_signs_test {

using namespace alidade;

TEST_CASE("signs of listed pairs are found from either side's own list") {
  const PairSigns signs(4, {{0, 1}, {1, 0}, {0, 2}, {0, 1}}, {{3, 0}}, PairSigns::Others::unknown);
  CHECK(signs.similar_count() == 3);
  CHECK(signs.dissimilar_count() == 1);
  CHECK(signs.sign(0, 1) == 1);
  CHECK(signs.sign(0, 2) == 1);
  CHECK(signs.sign(2, 0) == 0);
  CHECK(signs.sign(3, 0) == -1);
  CHECK(signs.sign(0, 3) == 0);
  CHECK(signs.sign(1, 1) == 0);
  CHECK(signs.similar(0).size() == 2);
  CHECK(signs.similar(2).empty());
  CHECK(signs.listed_dissimilar(3).size() == 1);
  CHECK_FALSE(signs.symmetric());
  CHECK(signs.similar_pairs() == std::vector<ObjectPair>{{0, 1}, {0, 2}, {1, 0}});
}

TEST_CASE("a weighted graph has the weights of its pairs in their order") {
  const PairSigns graph =
      PairSigns::weighted_graph(4, {{3, 0}, {0, 3}, {1, 2}, {0, 1}}, std::vector<double>{-2, -2, 0.5, 7});
  CHECK(graph.similar_pairs() == std::vector<ObjectPair>{{0, 1}, {0, 3}, {1, 2}, {3, 0}});
  CHECK(std::vector(graph.weights().begin(), graph.weights().end()) == std::vector<double>{7, -2, 0.5, -2});
  CHECK(graph.sign(0, 2) == -1);
  CHECK(PairSigns::weighted_graph(2, {{0, 1}}, std::vector<double>{1}).weights().empty());
  CHECK_THROWS_AS((void)PairSigns::weighted_graph(2, {{0, 1}}, {}), DataError);
  CHECK_THROWS_AS((void)PairSigns::weighted_graph(2, {{0, 1}}, std::vector<double>{std::nan("")}), DataError);
  CHECK_THROWS_AS((void)PairSigns::weighted_graph(2, {{0, 1}, {0, 1}}, std::vector<double>{1, 2}), DataError);
  CHECK_THROWS_AS((void)PairSigns::weighted_graph(2, {{0, 1}, {1, 0}}, std::vector<double>{1, 2}), DataError);
}

TEST_CASE("if all others are dissimilar every ordered pair has a sign") {
  const PairSigns signs(4, {{0, 1}, {1, 0}}, {{2, 3}}, PairSigns::Others::dissimilar);
  CHECK(signs.similar_count() + signs.dissimilar_count() == 12);
  CHECK(signs.sign(2, 3) == -1);
  CHECK(signs.sign(3, 2) == -1);
  CHECK(signs.dissimilar_count(0) == 2);
  CHECK(signs.dissimilar_count(3) == 3);
  CHECK(signs.listed_dissimilar(2).empty());
  CHECK(signs.symmetric());
}

TEST_CASE("pairs without a sign or with two signs are refused") {
  CHECK_THROWS_AS(PairSigns(2, {{0, 2}}, {}, PairSigns::Others::unknown), DataError);
  CHECK_THROWS_AS(PairSigns(2, {{1, 1}}, {}, PairSigns::Others::unknown), DataError);
  CHECK_THROWS_AS(PairSigns(2, {{0, 1}}, {{0, 1}}, PairSigns::Others::unknown), DataError);
  CHECK_THROWS_AS(PairSigns(2, {{0, 1}}, {{0, 1}}, PairSigns::Others::dissimilar), DataError);
  CHECK(PairSigns(0, {}, {}, PairSigns::Others::dissimilar).dissimilar_count() == 0);
}

}  // namespace pair_signs_test
