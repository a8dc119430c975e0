// max_cut and theta on graphs whose values are known, by every solver that takes their programs.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/semidefinite/graph_problems.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/known_graphs.hpp"
#include "tests/support/solve_case.hpp"

namespace graph_problems_test {
using namespace alidade;
using namespace alidade::semidefinite;
using namespace alidade::testing;

/// What each solver that takes the program of a cut says of it, with a certificate.
void by_each_solver(const Problem& problem, const std::function<void(const Summary&)>& check) {
  for (const char* solver : {"csdp", "admm", "burer_monteiro", "fixed_diagonal"}) {
    const SolverEntry& entry = solver_catalog().at(solver);
    if (!entry.missing.empty()) continue;
    CAPTURE(solver);
    const auto solved = solve(*entry.make(ValueTable()), problem, SemidefiniteSolution{});
    REQUIRE(solved.summary.certificate);
    check(solved.summary);
  }
}

TEST_CASE("max_cut and theta have their known values by every solver that takes their programs") {
  for (const KnownGraph& graph : known_graphs())
    for (const char* name : {"max_cut", "theta"}) {
      const bool cut = std::string_view(name) == "max_cut";
      const double value = cut ? graph.bound : graph.theta;
      for (const char* solver : {"csdp", "admm", "burer_monteiro", "fixed_diagonal"}) {
        if (!cut && std::string_view(solver) == "fixed_diagonal") continue;
        const SolverEntry& entry = solver_catalog().at(solver);
        if (!entry.missing.empty()) continue;
        CAPTURE(graph.name);
        CAPTURE(name);
        CAPTURE(solver);
        const Problem problem = problem_catalog().at(name).make(graph_of(graph), ValueTable());
        const auto solved = solve(*entry.make(ValueTable()), problem, SemidefiniteSolution{});
        REQUIRE(solved.summary.usable());
        CHECK(solved.summary.objective == doctest::Approx(-value).epsilon(1e-5));
        REQUIRE(solved.summary.certificate);
        CHECK(solved.summary.certificate->lower_bound <= -value + 1e-9);
        CHECK(solved.summary.certificate->lower_bound >= -value - 1e-4);
      }
    }
}

TEST_CASE("max_cut of a cycle whose weights are 1, 1, 1 and -1 is 1 + sqrt 2, and its largest cut 2") {
  Observations ring;
  ring.name = "ring";
  ring.objects = {"a", "b", "c", "d"};
  ring.pair_signs = std::make_shared<PairSigns>(
      PairSigns::weighted_graph(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}, std::vector<double>{1, 1, 1, -1}));
  const Problem problem = problem_catalog().at("max_cut").make(ring, ValueTable());
  by_each_solver(problem, [](const Summary& summary) {
    CHECK(summary.objective == doctest::Approx(-1 - std::sqrt(2)).epsilon(1e-5));
    CHECK(summary.certificate->lower_bound <= -1 - std::sqrt(2) + 1e-9);
    CHECK(summary.certificate->lower_bound >= -1 - std::sqrt(2) - 1e-4);
  });
}

TEST_CASE("max_cut bounds the cut of all edges of a bipartite graph from above, whatever its weights") {
  constexpr ObjectId kSide = 6;
  for (const double unit : {1.0, 0.01, 1.0 / 3, 1e150})
    for (const bool decimal : {true, false}) {
      CAPTURE(unit);
      CAPTURE(decimal);
      Rng rng = Rng::stream(20261130, "bipartite");
      Observations graph;
      graph.name = "graph";
      std::vector<ObjectPair> edges;
      std::vector<double> weights;
      long double cut = 0;
      for (ObjectId i = 0; i < kSide; ++i) {
        graph.objects.insert(graph.objects.end(), {fmt::format("a{}", i), fmt::format("b{}", i)});
        for (ObjectId j = 0; j < kSide; ++j) {
          if (i != j && rng.below(2) == 0) continue;
          edges.push_back({2 * i, 2 * j + 1});
          weights.push_back(unit * (decimal ? 0.01 * static_cast<double>(1 + rng.below(99)) : std::exp(rng.normal())));
          cut += weights.back();
        }
      }
      graph.pair_signs = std::make_shared<PairSigns>(PairSigns::weighted_graph(2 * kSide, edges, weights));
      const Problem problem = problem_catalog().at("max_cut").make(graph, ValueTable());
      by_each_solver(problem, [&](const Summary& summary) {
        const UnitFactors factors = problem.unit_factors();
        const double bound = (factors.rounding - summary.certificate->lower_bound) * factors.objective;
        CHECK(bound >= static_cast<double>(cut * (1 - 1e-15L)));
        CHECK(bound <= static_cast<double>(cut * (1 + 1e-5L)));
      });
    }
}

TEST_CASE("a graph without edges has a cut of none and theta of all vertices") {
  const KnownGraph empty{"empty", 3, {}, 0, 0, 3};
  CHECK(max_cut_program(*graph_of(empty).pair_signs).cost.empty());
  CHECK(theta_program(*graph_of(empty).pair_signs).constraints.size() == 1);
}

TEST_CASE("max_cut and theta refuse data without a graph") {
  Observations none;
  none.name = "none";
  for (const char* name : {"max_cut", "theta"})
    CHECK_THROWS_AS((void)problem_catalog().at(name).make(none, ValueTable()), DataError);
}

}  // namespace graph_problems_test
