#include "problems/distances/geodesics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "problems/core/error.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/observation_makers.hpp"

namespace alidade::neighbor::geodesics_test {
namespace {

using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

/// Floyd and Warshall over the edges of a graph.
Matrix all_ways(const KnnGraph& graph) {
  const Index n = graph.size;
  Matrix out = Matrix::Constant(n, n, std::numeric_limits<double>::infinity());
  for (Index i = 0; i < n; ++i) {
    out(i, i) = 0;
    for (std::size_t e = graph.first[static_cast<std::size_t>(i)]; e < graph.first[static_cast<std::size_t>(i) + 1];
         ++e)
      out(i, graph.target[e]) = std::min(out(i, graph.target[e]), graph.length[e]);
  }
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) out(i, j) = std::min(out(i, j), out(i, k) + out(k, j));
  return out;
}

KnnGraph graph_of(const Observations& data, Index k, Disconnected what, int threads = 1) {
  Executor executor(threads);
  return knn_graph(DissimilarityRows(data, "test"), k, what, executor);
}

/// Three clumps of 20, 12 and 8 points, far apart.
Matrix clumps(Rng& rng) {
  Matrix X = testing::gaussian_points(40, 3, rng);
  X.middleRows(20, 12).col(0).array() += 50;
  X.bottomRows(8).col(1).array() += 120;
  return X;
}

TEST_CASE("edges join each object with its nearest others, in both directions") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Matrix X = testing::gaussian_points(60, 4, rng);
  const Matrix D = distances_between(X.cast<float>().cast<double>());
  for (const Observations& data : {of_features(X), of_dissimilarities(D)}) {
    const KnnGraph graph = graph_of(data, 5, Disconnected::join);
    std::set<std::pair<Index, Index>> expected;
    for (Index i = 0; i < 60; ++i)
      for (Index j = 0; j < 60; ++j) {
        Index nearer = 0;
        for (Index l = 0; l < 60; ++l) nearer += l != i && D(i, l) < D(i, j);
        if (j != i && nearer < 5) expected.insert({{i, j}, {j, i}});
      }
    std::set<std::pair<Index, Index>> got;
    for (std::size_t i = 0; i < 60; ++i)
      for (std::size_t e = graph.first[i]; e < graph.first[i + 1]; ++e) {
        got.insert({static_cast<Index>(i), graph.target[e]});
        CHECK(graph.length[e] == doctest::Approx(D(static_cast<Index>(i), graph.target[e])).epsilon(1e-6));
      }
    CHECK(got == expected);
    CHECK(graph.target.size() == expected.size());
  }
}

TEST_CASE("geodesics are shortest paths, with any number of threads") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Observations data = of_features(testing::gaussian_points(80, 2, rng));
  const KnnGraph graph = graph_of(data, 4, Disconnected::join);
  const Matrix expected = all_ways(graph);
  Executor one, two(2);
  const Matrix got = geodesic_distances(graph, one);
  CHECK((got - expected).cwiseAbs().maxCoeff() < 1e-12 * expected.maxCoeff());
  CHECK(got == geodesic_distances(graph, two));
  CHECK(got == got.transpose());
  const std::vector<Index> landmarks = {7, 3};
  const Matrix some = geodesic_distances(graph, landmarks, two);
  REQUIRE(some.rows() == 2);
  CHECK((some.row(1) - expected.row(3)).cwiseAbs().maxCoeff() < 1e-12 * expected.maxCoeff());
}

TEST_CASE("along an arc the geodesic is the length of the arc, not the chord") {
  Matrix X(200, 2);
  for (Index i = 0; i < 200; ++i) {
    const double angle = std::numbers::pi * static_cast<double>(i) / 199;
    X.row(i) << std::cos(angle), std::sin(angle);
  }
  Executor executor;
  const Matrix D = geodesic_distances(graph_of(of_features(X), 2, Disconnected::error), executor);
  CHECK(D(0, 199) == doctest::Approx(std::numbers::pi).epsilon(1e-4));
  CHECK(D(50, 150) == doctest::Approx(std::numbers::pi * 100 / 199).epsilon(1e-4));
}

TEST_CASE("parts are joined by the shortest possible edges, on threads") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Matrix X = clumps(rng);
  const Matrix D = distances_between(X.cast<float>().cast<double>());
  const auto part = [](Index i) { return i < 20 ? 0 : i < 32 ? 1 : 2; };
  double shortest[3][3] = {{1e9, 1e9, 1e9}, {1e9, 1e9, 1e9}, {1e9, 1e9, 1e9}};
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 40; ++j) shortest[part(i)][part(j)] = std::min(shortest[part(i)][part(j)], D(i, j));
  for (const int threads : {1, 3}) {
    const KnnGraph graph = graph_of(of_features(X), 6, Disconnected::join, threads);
    CHECK(graph.component_count == 3);
    CHECK(graph.all_placed());
    REQUIRE(graph.notes.size() == 1);
    CHECK(graph.notes[0].find("3 connected parts (of 20, 12, 8 objects)") != std::string::npos);
    double between[3][3] = {};
    int joints = 0;
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t e = graph.first[i]; e < graph.first[i + 1]; ++e) {
        const int a = part(static_cast<Index>(i)), b = part(graph.target[e]);
        if (a == b) continue;
        ++joints;
        between[a][b] = graph.length[e];
      }
    CHECK(joints == 4);  // two edges, each in both lists
    CHECK(between[0][1] == doctest::Approx(shortest[0][1]).epsilon(1e-6));
    CHECK(between[0][2] == doctest::Approx(shortest[0][2]).epsilon(1e-6));
    CHECK(between[1][2] == 0);  // the longest of the three
    Executor executor;
    CHECK(geodesic_distances(graph, executor).allFinite());
  }
}

TEST_CASE("only the largest part is placed, or an error says how many parts there are") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Observations data = of_features(clumps(rng));
  const KnnGraph graph = graph_of(data, 6, Disconnected::largest);
  CHECK(graph.placed.size() == 20);
  CHECK(graph.placed.back() == 19);
  CHECK(graph.notes.size() == 1);
  Executor executor;
  const Matrix D = geodesic_distances(graph, executor);
  CHECK(D.topLeftCorner(20, 20).allFinite());
  CHECK(D.bottomRows(20).array().isNaN().all());
  CHECK(D.rightCols(20).array().isNaN().all());
  CHECK_THROWS_WITH_AS(static_cast<void>(graph_of(data, 6, Disconnected::error)),
                       doctest::Contains("3 connected parts (of 20, 12, 8 objects)"), DataError);
  CHECK_THROWS_AS(static_cast<void>(disconnected_rule("split")), ConfigError);
}

TEST_CASE("duplicates are at distance 0, and more neighbours than objects means all of them") {
  Matrix X = Matrix::Zero(6, 2);
  X(4, 0) = 1;
  X(5, 0) = 3;
  const KnnGraph graph = graph_of(of_features(X), 2, Disconnected::join);
  Executor executor;
  const Matrix D = geodesic_distances(graph, executor);
  CHECK(D(0, 3) == 0);
  CHECK(D(0, 5) == 3);
  const KnnGraph whole = graph_of(of_features(X), 50, Disconnected::error);
  CHECK(whole.neighbor_count == 5);
  CHECK(whole.target.size() == 30);
  CHECK_THROWS_AS(static_cast<void>(graph_of(of_features(X), 0, Disconnected::join)), ConfigError);
}

}  // namespace
}  // namespace alidade::neighbor::geodesics_test
