#include "problems/multiview/preservation.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <memory>

namespace alidade::multiview::map_dissimilarities_test {
namespace {

Observations table_of(std::vector<std::vector<std::int32_t>> codes) {
  std::vector<AttributeTable::Aspect> aspects;
  for (auto& column : codes) aspects.push_back({"", std::move(column), {"a", "b"}});
  Observations out;
  out.objects = {"p", "q", "r", "s"};
  out.attributes = std::make_shared<const AttributeTable>(4, std::move(aspects));
  out.triplets = out.attributes;
  return out;
}

Matrix line(double a, double b, double c, double d) {
  Matrix out(4, 1);
  out << a, b, c, d;
  return out;
}

/// The pairs with a weight, as digits: 12 for objects 1 and 2.
std::vector<int> known_pairs(const Dissimilarities& view) {
  std::vector<int> out;
  for (Index i = 0; i < 4; ++i) {
    CHECK(view.weights(i, i) == 0);
    for (Index j = i + 1; j < 4; ++j) {
      CHECK(view.weights(i, j) == view.weights(j, i));
      CHECK(view.values(i, j) == view.values(j, i));
      if (view.weights(i, j) == 1) out.push_back(static_cast<int>(10 * i + j));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("every map gives distances of the objects that its aspect observed, and of no others") {
  const Observations data = table_of({{0, 1, 0, -1}, {-1, -1, 1, 0}});
  const auto views = map_dissimilarities({{{"t", line(0, 1, 3, 9)}, {"s", line(5, 5, 5, 7)}}}, data);
  REQUIRE(views.size() == 2);
  CHECK(views[0].name == "t");
  CHECK(known_pairs(views[0]) == std::vector<int>{1, 2, 12});
  CHECK(views[0].values(0, 2) == 3);
  CHECK(views[0].values(0, 3) == 9);  // known, of weight 0
  CHECK(known_pairs(views[1]) == std::vector<int>{23});
  CHECK(views[1].values(3, 2) == 2);
}

TEST_CASE(
    "of one map, or of views that show no aspect in particular, objects count that any aspect "
    "observed") {
  const Observations data = table_of({{0, 1, -1, -1}, {-1, 1, 0, -1}});
  CHECK(known_pairs(map_dissimilarities({{{"", line(0, 1, 2, 3)}}}, data)[0]) == std::vector<int>{1, 2, 12});
  const auto views = map_dissimilarities({{{"", line(0, 1, 2, 3)}, {"", line(0, 1, 2, 3)}}, {}, true}, data);
  CHECK(known_pairs(views[1]) == std::vector<int>{1, 2, 12});
}

TEST_CASE(
    "listed triplets observe those they mention, and an object without a place is known to "
    "nobody") {
  Observations data = table_of({{0, 0, 0, 0}});
  auto list = std::make_shared<TripletList>(4);
  list->add({0, 1, 2});
  data.attributes = nullptr;
  data.triplets = list;
  CHECK(known_pairs(map_dissimilarities({{{"", line(0, 1, 2, 3)}}}, data)[0]) == std::vector<int>{1, 2, 12});
  const double nowhere = std::numeric_limits<double>::quiet_NaN();
  const auto views = map_dissimilarities({{{"", line(0, nowhere, 2, 3)}}}, data);
  CHECK(known_pairs(views[0]) == std::vector<int>{2});
  CHECK(views[0].values.allFinite());
  data.triplets = nullptr;
  CHECK(known_pairs(map_dissimilarities({{{"", line(0, 1, 2, 3)}}}, data)[0]).size() == 6);
}

}  // namespace alidade::multiview::map_dissimilarities_test
