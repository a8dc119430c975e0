// max_cut and theta on graphs whose values are known, by every solver that takes their programs.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string_view>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/semidefinite/graph_problems.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/known_graphs.hpp"
#include "tests/support/solve_case.hpp"

namespace graph_problems_test {
using namespace alidade;
using namespace alidade::semidefinite;
using namespace alidade::testing;

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
  for (const char* solver : {"csdp", "admm", "burer_monteiro", "fixed_diagonal"}) {
    const SolverEntry& entry = solver_catalog().at(solver);
    if (!entry.missing.empty()) continue;
    CAPTURE(solver);
    const auto solved = solve(*entry.make(ValueTable()), problem, SemidefiniteSolution{});
    REQUIRE(solved.summary.certificate);
    CHECK(solved.summary.objective == doctest::Approx(-1 - std::sqrt(2)).epsilon(1e-5));
    CHECK(solved.summary.certificate->lower_bound <= -1 - std::sqrt(2) + 1e-9);
    CHECK(solved.summary.certificate->lower_bound >= -1 - std::sqrt(2) - 1e-4);
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
