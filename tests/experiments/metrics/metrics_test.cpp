#include "experiments/metrics/metric.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/evidence/derived_signs.hpp"
#include "tests/support/observation_makers.hpp"

namespace metrics_test {

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

Matrix random_rotation(Index d, Rng& rng) { return orthonormal_columns(random_points(d, d, rng)); }

}  // namespace

TEST_CASE("triplet error is the rate of triplets whose far object is not farther") {
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

TEST_CASE("the error against the truth is that of random exact triplets") {
  const auto& entry = metric_catalog().at("truth_error");
  Rng rng(6);
  Observations data;
  data.truth = random_points(30, 2, rng);
  data.objects.resize(30);
  const auto error = [&](const Matrix& map) { return entry.compute({one_map(map), Evidence{.observations = data}}); };
  CHECK(error(data.truth) == 0);
  CHECK(error(3 * data.truth * random_rotation(2, rng)) == 0);
  CHECK(error(Matrix::Zero(30, 2)) == 1);
  CHECK(std::abs(error(random_points(30, 2, rng)) - 0.5) < 0.1);
  // Against a plain loop over all triplets of a map that is a little off: 20,000 draws of at most 11,000 triplets.
  const Matrix map = data.truth + 0.3 * random_points(30, 2, rng);
  int violated = 0, total = 0;
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 30; ++j)
      for (Index k = 0; k < j; ++k) {
        if (i == j || i == k) continue;
        const auto nearer = [&](const Matrix& x) {
          return (x.row(i) - x.row(j)).squaredNorm() < (x.row(i) - x.row(k)).squaredNorm();
        };
        violated += nearer(map) != nearer(data.truth) ? 1 : 0;
        ++total;
      }
  const double exact = static_cast<double>(violated) / total;
  CHECK(std::abs(error(map) - exact) < 5 * std::sqrt(exact * (1 - exact) / 20'000));
  data.truth.resize(0, 0);
  CHECK(std::isnan(error(map)));
}

TEST_CASE("triplet error goes by weight and reads sources of any length in full") {
  const Embedding map = one_map(line({0, 1, 3}));
  for (const int count : {1, 1023, 1024, 1025, 3000}) {
    CAPTURE(count);
    TripletList list(3);
    for (int i = 0; i < count; ++i)
      list.add({0, i % 4 == 0 ? 2U : 1U, i % 4 == 0 ? 1U : 2U, 0, i % 4 == 0 ? 3.0 : 1.0});
    const int violated = (count + 3) / 4;
    CHECK(triplet_error(map, list) == doctest::Approx(3.0 * violated / (count + 2 * violated)).epsilon(1e-9));
  }
}

TEST_CASE("with one map per aspect each triplet is judged in its own; a single map judges all") {
  const TripletList list = triplets(3, {{0, 1, 2, 0}, {0, 1, 2, 1}, {0, 2, 1, 1}, {0, 2, 1, 2}});
  Embedding maps;
  maps.maps = {{"near 1", line({0, 1, 2})}, {"near 2", line({0, 2, 1})}, {"tied", line({0, 1, -1})}};
  CHECK(triplet_error(maps, list) == 0.5);                      // right, wrong, right, wrong
  CHECK(triplet_error(one_map(line({0, 1, 2})), list) == 0.5);  // right, right, wrong, wrong
}

TEST_CASE("triplet error of an attribute table equals that of its triplets") {
  const AttributeTable table(
      6, {{"a", {0, 0, 1, 1, 2, 2}, {"x", "y", "z"}}, {"b", {0, 1, 1, 1, 0, AttributeTable::kMissing}, {"p", "q"}}});
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

TEST_CASE("equal distances share the votes that are left, and equal votes go to the nearer neighbour") {
  // 1 lies between 0 and 2 at equal distances: each label has half a vote.
  CHECK(knn_accuracy(line({0, 1, 2}), {"a", "a", "b"}, 1) == 1.5 / 3);
  CHECK(knn_accuracy(line({0, 1, 2}), {"b", "a", "a"}, 1) == 1.5 / 3);
  // k = 2: 0 sees b at 1, then a, a, b at 2 with a third of a vote each.
  CHECK(knn_accuracy(line({0, 1, 2, -2, 2}), {"b", "b", "a", "a", "b"}, 2) ==
        knn_accuracy(line({2, 2, 1, -2, 0}), {"b", "a", "b", "a", "b"}, 2));
  // k = 2: object 0 sees 1 ("a") and 2 ("b"), one vote each, and 1 is nearer; 1 sees 0 and 2; 2 sees 1 and 0.
  CHECK(knn_accuracy(line({0, 1, 3}), {"a", "a", "b"}, 2) == 2.0 / 3);
  // k = 3: 0 sees b, c, c: two votes beat the nearest.
  CHECK(knn_accuracy(line({0, 1, 3, 4}), {"c", "b", "c", "c"}, 3) == 3.0 / 4);
}

TEST_CASE("objects without a label are left out, and k is at most the number of the others") {
  const Matrix map = line({0, 0.1, 1, 2.5});
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

/// As defined: all pairs; those as far as the k-th share the votes that are left.
double plain_knn_accuracy(const Matrix& map, const std::vector<std::int32_t>& codes, const std::vector<Index>& asked,
                          const std::vector<Index>& neighbors, Index k) {
  double right = 0;
  for (const Index i : asked) {
    std::vector<std::pair<double, std::int32_t>> all;
    for (const Index j : neighbors)
      if (const double squared = (map.row(i) - map.row(j)).squaredNorm(); j != i && std::isfinite(squared))
        all.emplace_back(squared, codes[static_cast<std::size_t>(j)]);
    if (all.empty()) continue;
    std::ranges::sort(all);
    const double last = all[std::min(all.size(), static_cast<std::size_t>(k)) - 1].first;
    const auto nearer = std::ranges::count_if(all, [&](const auto& one) { return one.first < last; });
    const auto tied = std::ranges::count_if(all, [&](const auto& one) { return one.first == last; });
    const auto seats = std::min(k, static_cast<Index>(std::ssize(all))) - nearer;
    std::map<std::int32_t, std::pair<Index, double>>
        votes;  // times `tied`; the distance of the nearest voter, negative
    for (const auto& [squared, code] : all) {
      if (squared > last) break;
      auto& [sum, nearest] = votes.try_emplace(code, 0, -squared).first->second;
      sum += squared < last ? tied : seats;
    }
    const auto best = std::ranges::max(votes | std::views::values);
    if (const auto own = votes.find(codes[static_cast<std::size_t>(i)]); own != votes.end() && own->second == best)
      right += 1 / static_cast<double>(std::ranges::count(votes | std::views::values, best));
  }
  return right / static_cast<double>(asked.size());
}

TEST_CASE("nearest neighbour accuracy equals that of a search over all pairs, in any dimension, with ties") {
  Rng rng(20261122);
  for (const Index d : {1, 2, 3, 4, 5, 6, 9})
    for (const bool lattice : {false, true}) {
      Matrix map = random_points(400, d, rng);
      if (lattice) map = (2 * map).array().round();  // of which many are equally far, and many at one place
      map.row(7).setConstant(kNowhere);
      map(8, 0) = std::numeric_limits<double>::infinity();
      map.row(9).setConstant(1e200);    // squares of it overflow
      map.row(10).setConstant(1e-170);  // and underflow
      map.row(11).setZero();
      std::vector<std::int32_t> codes;
      std::vector<Index> all, asked, neighbors;
      for (Index i = 0; i < 400; ++i) {
        codes.push_back(static_cast<std::int32_t>(rng.below(5)));
        all.push_back(i);
        (rng.below(3) == 0 ? asked : neighbors).push_back(i);
      }
      std::ranges::reverse(neighbors);
      for (const Index k : {1, 2, 7, 50, 1000}) {
        CAPTURE(d);
        CAPTURE(lattice);
        CAPTURE(k);
        CHECK(knn_accuracy(map, codes, all, all, k) == plain_knn_accuracy(map, codes, all, all, k));
        CHECK(knn_accuracy(map, codes, asked, neighbors, k) == plain_knn_accuracy(map, codes, asked, neighbors, k));
      }
    }
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

TEST_CASE("Procrustes disparity is symmetric, and the narrower configuration is padded with zeros") {
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
  CHECK(procrustes_disparity(padded * random_rotation(3, rng), narrow) == doctest::Approx(0).epsilon(1e-12));
}

TEST_CASE("Procrustes disparity of very small configurations") {
  Rng rng(5);
  const Matrix truth = random_points(6, 2, rng);
  CHECK(procrustes_disparity(Matrix::Constant(6, 2, 4.0), truth) == 1);
  Matrix gap = truth;
  gap(3, 1) = kNowhere;
  CHECK(procrustes_disparity(gap, truth) == 1);
  CHECK(std::isnan(procrustes_disparity(random_points(5, 2, rng), truth)));
  CHECK(std::isnan(procrustes_disparity(random_points(1, 2, rng), random_points(1, 2, rng))));
}

TEST_CASE("a map aligned to the truth keeps its distances and is as near to it as possible") {
  Rng rng(6);
  const Matrix truth = random_points(15, 2, rng);
  Matrix map = 3 * truth * random_rotation(2, rng);
  map.rowwise() += random_points(1, 2, rng).row(0);
  const Matrix turned = turned_to(map, truth);
  for (Index i = 0; i < 15; ++i)
    CHECK((turned.row(i) - turned.row(0)).norm() == doctest::Approx((map.row(i) - map.row(0)).norm()));
  const Matrix centred = truth.rowwise() - truth.colwise().mean();
  CHECK((turned - 3 * centred).norm() < 1e-10);

  Matrix gap = map;
  gap(0, 0) = kNowhere;
  CHECK(turned_to(gap, truth).bottomRows(14) == gap.bottomRows(14));
  CHECK(turned_to(random_points(15, 3, rng), truth).cols() == 3);
}

namespace {

/// Squared distances of all others from i.
template <class Points>
std::vector<double> distances_from(const Points& points, Index i) {
  std::vector<double> out;
  for (Index j = 0; j < points.rows(); ++j)
    if (j != i) out.push_back(static_cast<double>((points.row(i) - points.row(j)).squaredNorm()));
  return out;
}

/// Venna and Kaski's sum for one object, by its ranks from 1: over what `nearest` has among the k first and `truth`
/// not.
double misplaced(const std::vector<Index>& nearest, const std::vector<Index>& truth, Index k) {
  double sum = 0;
  for (std::size_t j = 0; j < nearest.size(); ++j)
    if (nearest[j] <= k && truth[j] > k) sum += static_cast<double>(truth[j] - k);
  return sum;
}

/// Ranks by `first`, then `second`, then position.
template <class First, class Second>
std::vector<Index> ranks_by(std::size_t count, const First& first, const Second& second) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t j) { return std::tuple(first(j), second(j), j); });
  std::vector<Index> ranks(count);
  for (std::size_t r = 0; r < count; ++r) ranks[order[r]] = static_cast<Index>(r) + 1;
  return ranks;
}

double worst_sum(Index n, Index k) { return static_cast<double>(n * k * (2 * n - 3 * k - 1)) / 2; }

/// Venna and Kaski's sums as they are written; ties of the data by the map, those of the map by the reversed data.
NeighborPreservation plain_preservation(const Matrix& map, const FeatureMatrix& features, Index k) {
  const Index n = map.rows();
  double intruding = 0, missing = 0;
  for (Index i = 0; i < n; ++i) {
    const auto in_data = distances_from(features, i), on_map = distances_from(map, i);
    const auto near = [&](std::size_t j) { return in_data[j]; };
    const auto shown = [&](std::size_t j) { return on_map[j]; };
    const auto data = ranks_by(in_data.size(), near, shown),
               drawn = ranks_by(in_data.size(), shown, [&](std::size_t j) { return -near(j); });
    intruding += misplaced(drawn, data, k);
    missing += misplaced(data, drawn, k);
  }
  return {1 - intruding / worst_sum(n, k), 1 - missing / worst_sum(n, k)};
}

/// All orders of the positions that `distances` allow, as ranks from 1.
std::vector<std::vector<Index>> orders_of(const std::vector<double>& distances) {
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<Index>> out;
  do {
    if (!std::ranges::is_sorted(order, {}, [&](std::size_t j) { return distances[j]; })) continue;
    std::vector<Index> ranks(order.size());
    for (std::size_t r = 0; r < order.size(); ++r) ranks[order[r]] = static_cast<Index>(r) + 1;
    out.push_back(std::move(ranks));
  } while (std::ranges::next_permutation(order).found);
  return out;
}

/// The worst over all orders of the map's ties of the best over all orders of the data's.
NeighborPreservation preservation_by_all_orders(const Matrix& map, const FeatureMatrix& features, Index k) {
  const Index n = map.rows();
  double intruding = 0, missing = 0;
  for (Index i = 0; i < n; ++i) {
    const auto of_data = orders_of(distances_from(features, i)), of_map = orders_of(distances_from(map, i));
    double most_intruding = 0, most_missing = 0;
    for (const auto& drawn : of_map) {
      double least_intruding = worst_sum(n, k), least_missing = worst_sum(n, k);
      for (const auto& data : of_data) {
        least_intruding = std::min(least_intruding, misplaced(drawn, data, k));
        least_missing = std::min(least_missing, misplaced(data, drawn, k));
      }
      most_intruding = std::max(most_intruding, least_intruding);
      most_missing = std::max(most_missing, least_missing);
    }
    intruding += most_intruding;
    missing += most_missing;
  }
  return {1 - intruding / worst_sum(n, k), 1 - missing / worst_sum(n, k)};
}

}  // namespace

TEST_CASE("of equal distances, the best order of the data counts against the worst of the map, over all orders") {
  Rng rng(20261126);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Index n = 5 + repeat % 2, k = 1 + repeat % 2;
    CAPTURE(repeat);
    const auto lattice = [&](Index d) { return Matrix((0.8 * random_points(n, d, rng)).array().round()); };
    const FeatureMatrix features = lattice(2).cast<float>();
    const Matrix map = repeat % 3 == 0 ? random_points(n, 2, rng) : lattice(1 + repeat % 3);
    const auto expected = preservation_by_all_orders(map, features, k), found = neighbor_preservation(map, features, k);
    CHECK(found.trustworthiness == doctest::Approx(expected.trustworthiness).epsilon(1e-12));
    CHECK(found.continuity == doctest::Approx(expected.continuity).epsilon(1e-12));
  }
}

TEST_CASE("an exact map of copies keeps all neighbours, and a wrong one does not") {
  Rng rng(31);
  const auto copies = [&](const Matrix& places, Index each) {
    Matrix out(places.rows() * each, places.cols());
    for (Index i = 0; i < out.rows(); ++i) out.row(i) = places.row(i % places.rows());
    return out;
  };
  Matrix corners(4, 2), three(3, 2);
  corners << 0, 0, 0, 1, 1, 0, 1, 1;
  three << 0.1, 0.7, 3.3, 0.2, 1.9, 5.1;
  for (const Matrix& points : {copies(corners, 50), copies(three, 5), copies(random_points(20, 2, rng), 3)}) {
    const Index n = points.rows();
    CAPTURE(n);
    Observations data;
    for (Index i = 0; i < n; ++i) data.objects.push_back(std::to_string(i));
    data.features = std::make_shared<const FeatureMatrix>(points.cast<float>());
    const auto value = [&](const std::string& name, const Matrix& map) {
      const Embedding embedding = one_map(map);
      return metric_catalog().at(name).compute({embedding, Evidence{data}});
    };
    const Matrix exact = data.features->cast<double>(), random = random_points(n, 2, rng);
    for (const std::string name : {"trustworthiness", "continuity", "trustworthiness_20", "continuity_20",
                                   "rank_smoothed_precision", "rank_smoothed_recall", "distance_rank_correlation"}) {
      CAPTURE(name);
      CHECK(value(name, 4 * exact) == 1);
      // Copies a little apart, as solvers leave them.
      if (name != "distance_rank_correlation") CHECK(value(name, exact + 1e-9 * random) == 1);
      // Which copies a random map tears apart, continuity does not mind as long as enough are near.
      CHECK(value(name, random) < (name.starts_with("trustworthiness") ? 0.9 : 0.97));
      CHECK(value(name, Matrix::Zero(n, 2)) < 0.5);
    }
    CHECK(value("smoothed_precision", 4 * exact) < 1e-9);
    CHECK(value("nerv_cost", 4 * exact) < 1e-9);
  }
}

TEST_CASE("trustworthiness and continuity are the sums of Venna and Kaski, counted directly") {
  Rng rng(8);
  for (const Index n : {5, 20, 61})
    for (const Index k : {1, 2, 7, 12}) {
      if (2 * k >= n) continue;
      CAPTURE(n);
      CAPTURE(k);
      const FeatureMatrix features = random_points(n, 5, rng).cast<float>();
      const Matrix good = features.leftCols(2).cast<double>(), random = random_points(n, 2, rng);
      for (const Matrix& map : {good, random}) {
        const auto expected = plain_preservation(map, features, k);
        const auto result = neighbor_preservation(map, features, k);
        CHECK(result.trustworthiness == doctest::Approx(expected.trustworthiness).epsilon(1e-12));
        CHECK(result.continuity == doctest::Approx(expected.continuity).epsilon(1e-12));
      }
      // Grids are full of ties, in the data and on the map.
      FeatureMatrix grid(n, 2);
      Matrix other(n, 2);
      for (Index i = 0; i < n; ++i) {
        grid.row(i) << static_cast<float>(i % 4), static_cast<float>(i / 4);
        other.row(i) << static_cast<double>(i % 3), static_cast<double>(i / 6);
      }
      const auto expected = plain_preservation(other, grid, k), found = neighbor_preservation(other, grid, k);
      CHECK(found.trustworthiness == doctest::Approx(expected.trustworthiness).epsilon(1e-12));
      CHECK(found.continuity == doctest::Approx(expected.continuity).epsilon(1e-12));
    }
}

TEST_CASE("a faithful map preserves all neighbours; a collapsed or missing map preserves none") {
  Rng rng(9);
  const Matrix points = random_points(40, 3, rng);
  const FeatureMatrix features = points.cast<float>();
  const Matrix map = features.cast<double>();
  const auto faithful = neighbor_preservation(3 * map, features, 12);
  CHECK(faithful.trustworthiness == 1);
  CHECK(faithful.continuity == 1);
  for (const Matrix& bad : {Matrix(Matrix::Constant(40, 2, 0.5)), Matrix(Matrix::Constant(40, 2, kNowhere))}) {
    const auto none = neighbor_preservation(bad, features, 12);
    CHECK(none.trustworthiness == doctest::Approx(0).epsilon(1e-12));
    CHECK(none.continuity == doctest::Approx(0).epsilon(1e-12));
  }
  // One object nowhere: it finds nobody, and is found by nobody.
  Matrix gap = map;
  gap.row(7).setConstant(kNowhere);
  const auto missing = neighbor_preservation(gap, features, 12);
  CHECK(missing.trustworthiness < 1 - 0.9 / 40);
  CHECK(missing.trustworthiness > 0.9);
  CHECK(missing.continuity < 1 - 0.9 / 40);
  // More neighbours than half the objects are cut to what the formula is made for.
  CHECK(neighbor_preservation(map, features, 500).trustworthiness == 1);
  CHECK(std::isnan(neighbor_preservation(map.topRows(30), features, 12).trustworthiness));
  CHECK(std::isnan(neighbor_preservation(map.topRows(2), features.topRows(2), 1).continuity));
  // Of objects that are all equally far from each other, any map keeps all neighbours, which says nothing.
  CHECK(
      std::isnan(neighbor_preservation(random_points(12, 2, rng), FeatureMatrix::Identity(12, 12), 5).trustworthiness));
}

TEST_SUITE("heavy") {
  TEST_CASE("above 5000 objects a fixed sample represents all") {
    Rng rng(10);
    const FeatureMatrix features = random_points(5200, 2, rng).cast<float>();
    Matrix map(5200, 1);
    map.col(0) = features.col(0).cast<double>();
    const auto first = neighbor_preservation(map, features, 12), second = neighbor_preservation(map, features, 12);
    CHECK(first.trustworthiness == second.trustworthiness);
    CHECK(first.continuity == second.continuity);
    // All of the first 5000, which are of the same kind: 2000 of them have a standard error of about 0.005.
    const auto all = neighbor_preservation(map.topRows(5000), features.topRows(5000), 12);
    CHECK(std::abs(first.trustworthiness - all.trustworthiness) < 0.02);
    CHECK(std::abs(first.continuity - all.continuity) < 0.02);
    CHECK(first.trustworthiness < first.continuity);  // a line shows strangers as neighbours

    // Several numbers of neighbours at once and threads change no bit.
    Observations data;
    data.name = "many";
    data.objects.resize(5200, "x");
    data.features = std::make_shared<const FeatureMatrix>(features);
    for (const int threads : {1, 3}) {
      Executor executor(threads);
      const auto several = neighbor_preservation(map, DissimilarityRows(data, "a test"), {12, 3, 500}, executor);
      REQUIRE(several.size() == 3);
      CHECK(several[0].trustworthiness == first.trustworthiness);
      CHECK(several[0].continuity == first.continuity);
      const auto three = neighbor_preservation(map, features, 3);
      CHECK(several[1].trustworthiness == three.trustworthiness);
      CHECK(several[1].continuity == three.continuity);
    }
  }
}

TEST_CASE("distance correlation is Spearman's, by hand and with shared ranks") {
  const auto features = [](const std::vector<double>& places) { return FeatureMatrix(line(places).cast<float>()); };
  // Distances 1, 3, 2 (of 0-1, 0-2, 1-2) against 1, 2, 3: ranks 1, 3, 2 and 1, 2, 3.
  CHECK(distance_rank_correlation(line({0, 1, -2}), features({0, 1, 3})) == doctest::Approx(0.5));
  // Against 1, 2, 1: ranks 1.5, 3, 1.5; covariance 1.5 of variances 2 and 1.5.
  CHECK(distance_rank_correlation(line({0, 1, 2}), features({0, 1, 3})) == doctest::Approx(1.5 / std::sqrt(3)));
  Rng rng(11);
  const Matrix points = random_points(300, 3, rng);  // 44,850 pairs, of which 20,000 are taken
  const FeatureMatrix data = points.cast<float>();
  CHECK(distance_rank_correlation(-2 * data.cast<double>(), data) == doctest::Approx(1).epsilon(1e-6));
  const double part = distance_rank_correlation(points.leftCols(2), data);
  CHECK(part > 0.6);
  CHECK(part < 0.99);
  CHECK(part == distance_rank_correlation(points.leftCols(2), data));
  CHECK(std::abs(distance_rank_correlation(random_points(300, 2, rng), data)) < 0.1);
  CHECK(distance_rank_correlation(Matrix::Zero(300, 2), data) == 0);
  CHECK(distance_rank_correlation(Matrix::Constant(300, 2, kNowhere), data) == 0);
  CHECK(std::isnan(distance_rank_correlation(points, FeatureMatrix::Ones(300, 2))));
  CHECK(std::isnan(distance_rank_correlation(points.topRows(7), data)));
}

TEST_CASE("log loss and calibration, by hand") {
  const TripletList list = triplets(4, {{0, 1, 2}, {1, 2, 3}, {2, 3, 0}, {3, 0, 1}});
  Observations data;
  data.objects.resize(4);
  const Embedding map = one_map(line({0, 1, 2, 3}));
  MetricInput input{map, {data, &list}};
  const auto value = [&](const char* name) { return metric_catalog().at(name).compute(input); };
  CHECK(std::isnan(value("heldout_log_loss")));
  CHECK(std::isnan(value("calibration_error")));
  input.probability = [](const Triplet& t) { return t.anchor < 2 ? 0.9 : t.anchor == 2 ? 0.2 : 0.52; };
  CHECK(value("heldout_log_loss") == doctest::Approx(-(2 * std::log(0.9) + std::log(0.2) + std::log(0.52)) / 4));
  // Of the four: two expected at .9 and right, one expected at .8 and wrong, one expected at .52 and right.
  CHECK(value("calibration_error") == doctest::Approx((0.1 + 0.1 + 0.8 + 0.48) / 4));
  input.probability = [](const Triplet&) { return 0.5; };
  CHECK(value("heldout_log_loss") == doctest::Approx(std::log(2)));
}

TEST_CASE("every metric of the catalog stays in its range, or says that it does not apply") {
  Rng rng(7);
  const auto list = std::make_shared<TripletList>(triplets(5, {{0, 1, 2}, {1, 2, 3}, {2, 3, 0}}));
  Observations rich;
  rich.objects = {"p", "q", "r", "s", "t"};
  rich.labels = {"a", "a", "b", "b", "b"};
  rich.truth = random_points(5, 2, rng);
  rich.features = std::make_shared<FeatureMatrix>(random_points(5, 3, rng).cast<float>());
  rich.triplets = list;
  rich.pair_signs = std::make_shared<PairSigns>(cylinder_signs(5, 1));
  Observations poor;
  poor.objects = rich.objects;
  const Embedding map = one_map(random_points(5, 2, rng));
  Embedding two = map;
  two.maps.push_back({"other", random_points(5, 2, rng)});
  const Observations all = testing::attribute_observations(30, 4, rng);
  const Observations seen = with_hidden_objects(all, 0.5, HideUnit::object, 1);
  Embedding of_aspects;
  for (int t = 0; t < 4; ++t)
    of_aspects.maps.push_back({"", random_points(30, 2, rng), random_points(1, 3, rng).row(0)});
  for (const MetricEntry& metric : metric_catalog().entries()) {
    CAPTURE(metric.name);
    CHECK_FALSE(metric.summary.empty());
    MetricInput input{map, {rich, list.get()}};
    input.prove = [] { return ProvenExcess{0.25, 0.125}; };
    input.probability = [](const Triplet& t) { return t.anchor == 0 ? 0.75 : 0.4; };
    double value = metric.compute(input);
    if (std::isnan(value)) value = metric.compute({of_aspects, {seen, nullptr, &all}});
    if (metric.name == "heldout_neighbor_precision") continue;         // of runs that hold objects out
    if (metric.name == "cut" || metric.name == "cut_ratio") continue;  // of max_cut: rounded_cut_test.cpp
    const double least = metric.range == "[-1, 1]" ? -1 : 0;
    CHECK(value >= least);
    CHECK(value <= (metric.range == "[0, inf)" ? 1e9 : 1));
    CHECK(std::isnan(metric.compute({map, {poor}})));
    const double of_two = metric.compute({two, {rich, list.get()}});
    CHECK((std::isnan(of_two) || (of_two >= least && of_two <= 1)));
  }
  CHECK(std::isnan(metric_catalog().at("heldout_error").compute({map, {rich}})));
  CHECK(metric_catalog().at("knn_accuracy").higher_is_better);
  CHECK_FALSE(metric_catalog().at("heldout_error").higher_is_better);
}

}  // namespace metrics_test
