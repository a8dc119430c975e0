// What metrics must not depend on: the order of objects, and how the map lies, is turned or scaled.
// Scales are powers of two, so that distances keep their order and their ties to the bit.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/metrics/metric.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/properties.hpp"

namespace metrics_property_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::metrics;

std::vector<Index> drawn_order(Index n, Rng& rng) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  rng.shuffle(std::span(out));
  return out;
}

Matrix drawn_rotation(Index d, Rng& rng) { return orthonormal_columns(drawn_points(d, d, false, rng)); }

/// Moved and scaled so that distances keep their ties; mirrored and with its axes exchanged.
Matrix laid_otherwise(const Matrix& map, Rng& rng) {
  Matrix out = map;
  for (Index c = 0; c < map.cols(); ++c) out.col(c) = map.col((c + 1) % map.cols()) * (rng.below(2) == 0 ? 1 : -1);
  return out * std::exp2(static_cast<double>(rng.below(41)) - 20);
}

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-12; }

struct Case {
  Matrix map;
  FeatureMatrix features;
};

Case drawn_case(Rng& rng) {
  const Index n = drawn_size(3, 40), d = drawn_size(1, 3);
  const bool ties = *rc::gen::arbitrary<bool>();
  return {drawn_points(n, d, ties, rng), drawn_points(n, 3, ties, rng).cast<float>()};
}

}  // namespace

TEST_CASE("trustworthiness, continuity and rank correlation depend on distances alone") {
  check_property("axes exchanged, mirrored and scaled", [] {
    Rng rng = drawn_stream();
    const Case c = drawn_case(rng);
    const Matrix other = laid_otherwise(c.map, rng);
    const Index k = drawn_size(1, 15);
    const NeighborPreservation a = neighbor_preservation(c.map, c.features, k),
                               b = neighbor_preservation(other, c.features, k);
    RC_ASSERT(same(a.trustworthiness, b.trustworthiness));
    RC_ASSERT(same(a.continuity, b.continuity));
    for (const double value : {a.trustworthiness, a.continuity})
      RC_ASSERT((std::isnan(value) || (value >= 0 && value <= 1)));
    RC_ASSERT(same(distance_rank_correlation(c.map, c.features), distance_rank_correlation(other, c.features)));
  });
}

TEST_CASE("a faithful map scores best at any scale; exchanging data and map exchanges the two metrics") {
  check_property("faithful", [] {
    Rng rng = drawn_stream();
    const Index n = drawn_size(5, 40), k = drawn_size(1, 15);
    // Entries of few digits, which both single and double precision hold: no distance differs, and none is a tie.
    Matrix places(n, 2);
    for (Index i = 0; i < places.size(); ++i) places.data()[i] = static_cast<double>(rng.below(4096)) / 64;
    const FeatureMatrix features = places.cast<float>();
    const double correlation = distance_rank_correlation(places, features);
    RC_ASSERT((std::isnan(correlation) || std::abs(correlation - 1) <= 1e-12));
    const Matrix map = drawn_points(n, 2, false, rng);
    const NeighborPreservation there = neighbor_preservation(map, features, k);
    const NeighborPreservation back = neighbor_preservation(places, map.cast<float>(), k);
    // What intrudes one way is missed the other way.
    RC_ASSERT(same(there.trustworthiness, back.continuity));
  });
}

TEST_CASE("the order of objects does not matter if all distances differ") {
  check_property("permutations", [] {
    Rng rng = drawn_stream();
    const Index n = drawn_size(3, 40);
    const Matrix map = drawn_points(n, 2, false, rng), data = drawn_points(n, 4, false, rng);
    const FeatureMatrix features = data.cast<float>();
    const std::vector<Index> order = drawn_order(n, rng);
    const Matrix map_again = map(order, Eigen::all);
    const FeatureMatrix features_again = features(order, Eigen::all);
    const Index k = drawn_size(1, 12);
    const NeighborPreservation a = neighbor_preservation(map, features, k),
                               b = neighbor_preservation(map_again, features_again, k);
    RC_ASSERT(same(a.trustworthiness, b.trustworthiness));
    RC_ASSERT(same(a.continuity, b.continuity));
    RC_ASSERT(same(distance_rank_correlation(map, features), distance_rank_correlation(map_again, features_again)));
    std::vector<std::string> labels, labels_again;
    for (Index i = 0; i < n; ++i) labels.push_back(std::string(rng.below(3), 'x'));
    for (const Index i : order) labels_again.push_back(labels[static_cast<std::size_t>(i)]);
    RC_ASSERT(same(knn_accuracy(map, labels, k), knn_accuracy(map_again, labels_again, k)));
    RC_ASSERT(same(knn_accuracy(map, labels, k), knn_accuracy(laid_otherwise(map, rng), labels, k)));
  });
}

TEST_CASE("nearest neighbour accuracy does not depend on the labels' names") {
  check_property("labels renamed", [] {
    Rng rng = drawn_stream();
    const Case c = drawn_case(rng);
    std::vector<std::string> labels, renamed;
    const std::vector<std::string> from = {"", "a", "b", "c"}, to = {"", "z", "y", "x"};
    for (Index i = 0; i < c.map.rows(); ++i) {
      const auto label = static_cast<std::size_t>(rng.below(4));
      labels.push_back(from[label]);
      renamed.push_back(to[label]);
    }
    const Index k = drawn_size(1, 12);
    const double accuracy = knn_accuracy(c.map, labels, k);
    RC_ASSERT(same(accuracy, knn_accuracy(c.map, renamed, k)));
    RC_ASSERT((std::isnan(accuracy) || (accuracy >= 0 && accuracy <= 1)));
  });
}

TEST_CASE("rank correlation is Spearman's: -1 to 1, and 1 of any increasing function of distances") {
  check_property("increasing functions", [] {
    Rng rng = drawn_stream();
    const Case c = drawn_case(rng);
    const double value = distance_rank_correlation(c.map, c.features);
    RC_ASSERT((std::isnan(value) || (value >= -1 && value <= 1)));
    const Matrix apart = distances_between(c.map);
    const Matrix warped = apart.array().square() * 3 + apart.array();
    const double self = dissimilarity_rank_correlation(c.map, apart);
    RC_ASSERT(same(self, dissimilarity_rank_correlation(c.map, warped)));
    RC_ASSERT((std::isnan(self) || self > 1 - 1e-9));
  });
}

TEST_CASE("Procrustes disparity ignores position, rotation, order of objects, and which map comes first") {
  check_property("similarity transforms", [] {
    Rng rng = drawn_stream();
    const bool ties = *rc::gen::arbitrary<bool>();
    const Index n = drawn_size(2, 30), d = drawn_size(1, 4), e = drawn_size(1, 4);
    const Matrix a = drawn_points(n, d, ties, rng), b = drawn_points(n, e, ties, rng);
    const double value = procrustes_disparity(a, b);
    RC_ASSERT((value >= 0 && value <= 1));
    const auto has_extent = [](const Matrix& m) { return (m.rowwise() - m.row(0)).cwiseAbs().maxCoeff() > 0; };
    RC_PRE(has_extent(a) && has_extent(b));
    Matrix moved = 7 * a * drawn_rotation(d, rng);
    moved.rowwise() += Eigen::RowVectorXd::Constant(d, 3.25);
    RC_ASSERT(std::abs(procrustes_disparity(moved, b) - value) <= 1e-9);
    RC_ASSERT(std::abs(procrustes_disparity(b, a) - value) <= 1e-9);
    RC_ASSERT(procrustes_disparity(moved, a) <= 1e-9);
    const std::vector<Index> order = drawn_order(n, rng);
    const Matrix a_again = a(order, Eigen::all), b_again = b(order, Eigen::all);
    RC_ASSERT(std::abs(procrustes_disparity(a_again, b_again) - value) <= 1e-9);
  });
}

TEST_CASE("a map aligned to the truth keeps its distances and is no farther from it") {
  check_property("turned", [] {
    Rng rng = drawn_stream();
    const Index n = drawn_size(1, 30), d = drawn_size(1, 3);
    const Matrix map = drawn_points(n, d, false, rng), truth = drawn_points(n, d, false, rng);
    const Matrix turned = turned_to(map, truth);
    const Matrix before = distances_between(map), after = distances_between(turned);
    RC_ASSERT((before - after).cwiseAbs().maxCoeff() <= 1e-10);
    const auto centred = [](const Matrix& m) -> Matrix { return m.rowwise() - m.colwise().mean(); };
    RC_ASSERT((turned - centred(truth)).norm() <= (centred(map) - centred(truth)).norm() + 1e-10);
  });
}

}  // namespace metrics_property_test
