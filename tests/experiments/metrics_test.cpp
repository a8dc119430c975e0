#include "experiments/metrics/metric.hpp"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <memory>

#include "problems/core/random.hpp"

using namespace alidade;
using namespace alidade::metrics;

namespace {

constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

Matrix line(const std::vector<double>& places) {
  Matrix out(static_cast<Index>(places.size()), 1);
  for (std::size_t i = 0; i < places.size(); ++i) out(static_cast<Index>(i), 0) = places[i];
  return out;
}

Embedding one_map(Matrix coordinates) { return {{{"", std::move(coordinates)}}}; }

TripletList triplets(Index objects, const std::vector<Triplet>& all) {
  TripletList out(objects);
  for (const Triplet& t : all) out.add(t);
  return out;
}

Matrix random_points(Index n, Index d, Rng& rng) {
  Matrix out(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < d; ++c) out(i, c) = rng.normal();
  return out;
}

Matrix random_rotation(Index d, Rng& rng) {
  const Eigen::MatrixXd square = random_points(d, d, rng);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(square);
  return Eigen::MatrixXd(qr.householderQ());
}

}  // namespace

TEST_CASE("triplet error is the share of triplets whose far object is not farther") {
  const Embedding map = one_map(line({0, 1, 3, 7}));
  CHECK(triplet_error(map, triplets(4, {{0, 1, 2}, {3, 2, 0}, {1, 0, 2}})) == 0);
  CHECK(triplet_error(map, triplets(4, {{0, 2, 1}})) == 1);
  // Shares are exact quotients, as a reader of rows expects: 1 of 20 is 0.05.
  std::vector<Triplet> twenty(19, {0, 1, 2});
  twenty.push_back({0, 2, 1});
  CHECK(triplet_error(map, triplets(4, twenty)) == 0.05);
}

TEST_CASE("triplet error counts ties and objects without coordinates as errors") {
  CHECK(triplet_error(one_map(line({0, 1, -1})), triplets(3, {{0, 1, 2}, {0, 2, 1}})) == 1);
  const Embedding gap = one_map(line({0, 1, kNowhere, 5}));
  CHECK(triplet_error(gap, triplets(4, {{2, 0, 1}})) == 1);
  CHECK(triplet_error(gap, triplets(4, {{0, 2, 1}})) == 1);
  CHECK(triplet_error(gap, triplets(4, {{0, 1, 2}})) == 1);
  CHECK(triplet_error(gap, triplets(4, {{0, 1, 3}})) == 0);
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(triplet_error(one_map(line({0, inf, -inf})), triplets(3, {{0, 1, 2}})) == 1);
}

TEST_CASE("triplet error of a collapsed map is 1, and that of no triplets does not apply") {
  Rng rng(1);
  TripletList list(5);
  for (int i = 0; i < 200; ++i) {
    const auto a = static_cast<ObjectId>(rng.below(5));
    list.add({a, (a + 1) % 5, (a + 2) % 5});
  }
  CHECK(triplet_error(one_map(Matrix::Constant(5, 2, 0.3)), list) == 1);
  CHECK(std::isnan(triplet_error(one_map(Matrix::Zero(5, 2)), TripletList(5))));
}

TEST_CASE("triplet error ignores weights and reads sources of any length in full") {
  const Embedding map = one_map(line({0, 1, 3}));
  for (const int count : {1, 1023, 1024, 1025, 3000}) {
    CAPTURE(count);
    TripletList list(3);
    for (int i = 0; i < count; ++i)
      list.add({0, i % 4 == 0 ? 2U : 1U, i % 4 == 0 ? 1U : 2U, 0, i % 4 == 0 ? 100.0 : 0.0});
    CHECK(triplet_error(map, list) == static_cast<double>((count + 3) / 4) / count);
  }
}

TEST_CASE("with a map an aspect each triplet is judged in its own; with one map all are") {
  const TripletList list = triplets(3, {{0, 1, 2, 0}, {0, 1, 2, 1}, {0, 2, 1, 1}, {0, 2, 1, 2}});
  Embedding maps;
  maps.maps = {
      {"near 1", line({0, 1, 2})}, {"near 2", line({0, 2, 1})}, {"tied", line({0, 1, -1})}};
  CHECK(triplet_error(maps, list) == 0.5);                      // right, wrong, right, wrong
  CHECK(triplet_error(one_map(line({0, 1, 2})), list) == 0.5);  // right, right, wrong, wrong
}

TEST_CASE("triplet error of an attribute table equals that of its triplets") {
  const AttributeTable table(6, {{"a", {0, 0, 1, 1, 2, 2}, {"x", "y", "z"}},
                                 {"b", {0, 1, 1, 1, 0, AttributeTable::kMissing}, {"p", "q"}}});
  Rng rng(2);
  const Embedding map = one_map(random_points(6, 2, rng));
  const double error = triplet_error(map, table);
  CHECK(error == triplet_error(map, TripletList::copy_of(table)));
  CHECK(error > 0);
  CHECK(error < 1);
}

TEST_CASE("nearest neighbour accuracy on a line drawn by hand") {
  // Neighbours: 0-1, 1-0, 2-1, 3-4, 4-3; 2 ("a") has 1 ("b") nearest.
  const Matrix map = line({0, 1, 2.5, 10, 11});
  CHECK(knn_accuracy(map, {"b", "b", "a", "c", "c"}, 1) == 4.0 / 5);
  CHECK(knn_accuracy(map, {"a", "b", "c", "d", "e"}, 1) == 0);
  CHECK(knn_accuracy(map, {"a", "a", "a", "a", "a"}, 1) == 1);
}

TEST_CASE("equal distances go by index and equal votes to the nearer neighbour") {
  // 1 lies between 0 and 2 at equal distances: 0 counts.
  CHECK(knn_accuracy(line({0, 1, 2}), {"a", "a", "b"}, 1) == 2.0 / 3);
  CHECK(knn_accuracy(line({0, 1, 2}), {"b", "a", "a"}, 1) == 1.0 / 3);
  // k = 2: object 0 sees 1 ("a") and 2 ("b"), one vote each, and 1 is nearer; 1 sees 0 and 2; 2 sees 1 and 0.
  CHECK(knn_accuracy(line({0, 1, 3}), {"a", "a", "b"}, 2) == 2.0 / 3);
  // k = 3: 0 sees b, c, c: two votes beat the nearest.
  CHECK(knn_accuracy(line({0, 1, 3, 4}), {"c", "b", "c", "c"}, 3) == 3.0 / 4);
}

TEST_CASE("objects without a label take no part, and k is cut to those there are") {
  const Matrix map = line({0, 0.1, 1, 2});
  CHECK(knn_accuracy(map, {"a", "", "a", "b"}, 1) == 2.0 / 3);  // 0 sees 2, not the unknown 1
  CHECK(knn_accuracy(map, {"a", "", "a", "a"}, 50) == 1);
  CHECK(std::isnan(knn_accuracy(map, {"a", "", "", ""}, 1)));
  CHECK(std::isnan(knn_accuracy(map, {"", "", "", ""}, 1)));
  CHECK(std::isnan(knn_accuracy(map, {}, 1)));
}

TEST_CASE("an object without coordinates is wrong and is nobody's neighbour") {
  // Were it placed somewhere, object 2 would take "a" from object 0.
  CHECK(knn_accuracy(line({0, 1, kNowhere}), {"a", "a", "a"}, 1) == 2.0 / 3);
  CHECK(knn_accuracy(line({kNowhere, kNowhere, kNowhere}), {"a", "a", "a"}, 1) == 0);
  CHECK(knn_accuracy(line({0, 1, kNowhere, kNowhere}), {"a", "b", "a", "a"}, 3) == 0);
}

TEST_CASE("Procrustes disparity is 0 after any similarity transform") {
  Rng rng(3);
  for (const Index d : {1, 2, 3}) {
    CAPTURE(d);
    const Matrix truth = random_points(20, d, rng);
    Matrix moved = -7.5 * truth * random_rotation(d, rng);
    moved.rowwise() += random_points(1, d, rng).row(0);
    CHECK(procrustes_disparity(moved, truth) == doctest::Approx(0).epsilon(1e-12));
    Matrix mirrored = truth;
    mirrored.col(0) *= -1;
    CHECK(procrustes_disparity(mirrored, truth) == doctest::Approx(0).epsilon(1e-12));
  }
}

TEST_CASE("Procrustes disparity of a triangle worked out by hand") {
  // Centred: (-1, 0, 1) and (-1, 2, -1). Unit norm: their inner product is 0, so nothing is explained.
  CHECK(procrustes_disparity(line({0, 1, 2}), line({0, 3, 0})) == doctest::Approx(1));
  // (-1, 0, 1)/sqrt 2 and (-4, -1, 5)/sqrt 42: inner product 9 / sqrt 84, so 1 - 81/84.
  CHECK(procrustes_disparity(line({0, 1, 2}), line({0, 3, 9})) == doctest::Approx(1 - 81.0 / 84));
  CHECK(procrustes_disparity(line({0, 3, 9}), line({0, 1, 2})) == doctest::Approx(1 - 81.0 / 84));
}

TEST_CASE(
    "Procrustes disparity is symmetric, and the narrower configuration is padded with zeros") {
  Rng rng(4);
  const Matrix wide = random_points(12, 3, rng), narrow = random_points(12, 2, rng);
  const double disparity = procrustes_disparity(wide, narrow);
  CHECK(disparity == doctest::Approx(procrustes_disparity(narrow, wide)).epsilon(1e-12));
  Matrix padded = Matrix::Zero(12, 3);
  padded.leftCols(2) = narrow;
  CHECK(disparity == doctest::Approx(procrustes_disparity(wide, padded)).epsilon(1e-12));
  CHECK(disparity > 0.01);
  CHECK(disparity < 1);
  // A plane in space keeps what lies in it.
  CHECK(procrustes_disparity(padded * random_rotation(3, rng), narrow) ==
        doctest::Approx(0).epsilon(1e-12));
}

TEST_CASE("Procrustes disparity where there is little to compare") {
  Rng rng(5);
  const Matrix truth = random_points(6, 2, rng);
  CHECK(procrustes_disparity(Matrix::Constant(6, 2, 4.0), truth) == 1);
  Matrix gap = truth;
  gap(3, 1) = kNowhere;
  CHECK(procrustes_disparity(gap, truth) == 1);
  CHECK(std::isnan(procrustes_disparity(random_points(5, 2, rng), truth)));
  CHECK(std::isnan(procrustes_disparity(random_points(1, 2, rng), random_points(1, 2, rng))));
}

TEST_CASE("a map turned to the truth keeps its distances and lies as well as it can") {
  Rng rng(6);
  const Matrix truth = random_points(15, 2, rng);
  Matrix map = 3 * truth * random_rotation(2, rng);
  map.rowwise() += random_points(1, 2, rng).row(0);
  const Matrix turned = turned_to(map, truth);
  for (Index i = 0; i < 15; ++i)
    CHECK((turned.row(i) - turned.row(0)).norm() ==
          doctest::Approx((map.row(i) - map.row(0)).norm()));
  const Matrix centred = truth.rowwise() - truth.colwise().mean();
  CHECK((turned - 3 * centred).norm() < 1e-10);

  Matrix gap = map;
  gap(0, 0) = kNowhere;
  CHECK(turned_to(gap, truth).bottomRows(14) == gap.bottomRows(14));
  CHECK(turned_to(random_points(15, 3, rng), truth).cols() == 3);
}

TEST_CASE("every metric of the catalog stays in its range, or says that it does not apply") {
  Rng rng(7);
  const auto list = std::make_shared<TripletList>(triplets(4, {{0, 1, 2}, {1, 2, 3}, {2, 3, 0}}));
  Observations rich;
  rich.objects = {"p", "q", "r", "s"};
  rich.labels = {"a", "a", "b", "b"};
  rich.truth = random_points(4, 2, rng);
  rich.triplets = list;
  Observations poor;
  poor.objects = rich.objects;
  const Embedding map = one_map(random_points(4, 2, rng));
  Embedding two = map;
  two.maps.push_back({"other", random_points(4, 2, rng)});
  for (const Metric& metric : metric_catalog().entries()) {
    CAPTURE(metric.name);
    CHECK_FALSE(metric.summary.empty());
    const double value = metric.compute({map, rich, list.get()});
    CHECK(value >= 0);
    CHECK(value <= 1);
    CHECK(std::isnan(metric.compute({map, poor, nullptr})));
    const double of_two = metric.compute({two, rich, list.get()});
    CHECK((std::isnan(of_two) || (of_two >= 0 && of_two <= 1)));
  }
  CHECK(std::isnan(metric_catalog().at("heldout_error").compute({map, rich, nullptr})));
  CHECK(metric_catalog().at("knn_accuracy").higher_is_better);
  CHECK_FALSE(metric_catalog().at("heldout_error").higher_is_better);
}
