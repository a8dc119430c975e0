// The cut of a graph that random hyperplanes make of a map by max_cut.
#include "experiments/metrics/rounded_cut.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "experiments/metrics/metric.hpp"
#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/known_graphs.hpp"
#include "tests/support/solve_case.hpp"

namespace rounded_cut_test {
using namespace alidade;
using namespace alidade::testing;

TEST_CASE("a rounded cut counts each edge once and is the same each time") {
  const KnownGraph ring = known_graphs().front();
  std::vector<ObjectPair> both = ring.edges;
  for (const auto& [i, j] : ring.edges) both.push_back({j, i});
  const PairSigns signs(5, both, {}, PairSigns::Others::dissimilar);
  Matrix line(5, 1);
  line << 1, -1, 1, -1, 1;
  CHECK(metrics::rounded_cut(line, signs) == 4);
  CHECK(metrics::rounded_cut(Matrix::Ones(5, 2), signs) == 0);
  const PairSigns weighted = PairSigns::weighted_graph(5, ring.edges, std::vector<double>{3, 1, -4, 1, 5});
  CHECK(metrics::rounded_cut(line, weighted) == 3 + 1 - 4 + 1);
  line(2, 0) = std::nan("");
  CHECK(std::isnan(metrics::rounded_cut(line, signs)));
}

TEST_CASE("the rounded cut of max_cut is the largest cut of small graphs") {
  for (const KnownGraph& graph : known_graphs()) {
    CAPTURE(graph.name);
    const Problem problem = problem_catalog().at("max_cut").make(graph_of(graph), ValueTable());
    const auto solved =
        solve(*solver_catalog().at("fixed_diagonal").make(ValueTable()), problem, SemidefiniteSolution{});
    const Matrix map = problem.decode(solved.x).only();
    CHECK((map.rowwise().squaredNorm().array() - 1).abs().maxCoeff() < 1e-9);
    CHECK(metrics::rounded_cut(map, *graph_of(graph).pair_signs) == graph.cut);
  }
}

TEST_CASE("cut and its ratio apply only where a bound was proven") {
  const KnownGraph ring = known_graphs().front();
  const Observations observations = graph_of(ring);
  Matrix line(5, 1);
  line << 1, -1, 1, -1, 1;
  const Embedding map{{{"", line}}};
  metrics::MetricInput in(map, {observations});
  for (const char* name : {"cut", "cut_ratio"}) CHECK(std::isnan(metrics::metric_catalog().at(name).compute(in)));
  in.lower_bound = -5;
  CHECK(metrics::metric_catalog().at("cut").compute(in) == 4);
  CHECK(metrics::metric_catalog().at("cut_ratio").compute(in) == 0.8);
}

}  // namespace rounded_cut_test
