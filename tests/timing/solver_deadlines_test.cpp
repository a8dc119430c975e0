// Deadlines by the real clock: each kind of solver hears that its time is over within its longest piece of work.
// Limits are seconds, where the work would take minutes or hours; a machine that is far too busy may still fail them.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <thread>

#include "problems/catalog.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/psde_program.hpp"
#include "solvers/catalog.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "solvers/smooth/ceres.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/pair_sign_makers.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/toy_problems.hpp"

namespace solver_deadlines_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;
constexpr auto kLimit = std::chrono::milliseconds(1500);

/// Ended by its deadline, less than 5 s later, with a usable solution.
void check_in_time(const Outcome& out) {
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::time_limit);
  CHECK(out.summary.usable());
  CHECK(out.wall_seconds < 6);
}

Outcome solve_named(const char* name, const Problem& problem, const char* options = "{}") {
  Rng rng = Rng::stream(kSeed, "start");
  return solve(*solver_catalog().at(name).make(*value_from_text(options).get_if<ValueTable>()), problem,
               problem.start(rng), {.time_limit = kLimit});
}

Problem psde(Index n) {
  const SharedSigns signs = neighbor_signs(rectangle_points(n, kSeed), 6, true);
  return {"psde", semidefinite::DistanceMap(
                      std::make_shared<const semidefinite::PsdeProgram>(signs, semidefinite::PsdeOptions()), 2)};
}

/// Max-cut on random edges, about `degree` a vertex.
SemidefiniteProgram random_cut(Index n, double degree) {
  Rng rng(kSeed);
  SemidefiniteProgram out{{{"X", n, false}}, {}, {}};
  for (Index i = 0; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j)
      if (rng.uniform01() < degree / static_cast<double>(n)) out.cost.push_back({0, i, j, 0.25});
    out.constraints.push_back({"", {{0, i, i, 1}}, Relation::equal, 1});
  }
  return out;
}

}  // namespace

TEST_SUITE("timing") {
  TEST_CASE("a deadline ends CSDP within an iteration of minutes") {
    const Problem problem("bare", SdpProblem(cut_of_complete_graph(1500)));
    Rng rng(kSeed);
    check_in_time(solve(Csdp(CsdpOptions()), problem, problem.start(rng), {.time_limit = kLimit}));
  }

  TEST_CASE("a deadline is heard by who waits for another solve of CSDP") {
    const SemidefiniteProgram program = theta_of_cycle(9);
    const Problem problem("bare", SdpProblem(program));
    Rng rng(kSeed);
    const Solution start = problem.start(rng);
    std::optional<Outcome> waited;
    ObserverOf holder([&](const Solution&, TraceRecord& record) {
      if (record.iteration != 1) return;
      std::jthread([&] {
        waited = solve(Csdp(CsdpOptions()), problem, start, {.time_limit = std::chrono::milliseconds(20)});
      }).join();
    });
    CHECK(solve(Csdp(CsdpOptions()), problem, start, {.observer = &holder}).summary.usable());
    REQUIRE(waited);
    check_in_time(*waited);
  }

  TEST_CASE("a deadline ends cutting planes within a round") { check_in_time(solve_named("cutting_plane", psde(600))); }

  TEST_CASE("a deadline ends the low-rank solver") { check_in_time(solve_named("low_rank", psde(1500))); }

  TEST_CASE("a deadline ends L-BFGS, stochastic descent and their sequence") {
    Rng rng(kSeed);
    const Problem problem = problem_catalog().at("ste").make(gaussian_observations(20'000, 2, rng), {});
    for (const auto& [name, options] :
         {std::pair{"ceres", "{ max_iter = 100000000, tolerance = 0, gradient_tolerance = 0 }"},
          {"riemannian_sgd", "{ max_iter = 100000000 }"},
          {"sequence", "{ solvers = [{ name = riemannian_sgd, max_iter = 100000000 }, ceres] }"}}) {
      CAPTURE(name);
      check_in_time(solve_named(name, problem, options));
    }
  }

  TEST_CASE("a solve of a large grid that runs out of time has proven a bound by a factor") {
    constexpr Index kRows = 60, kColumns = 80;
    Rng rng(kSeed);
    SemidefiniteProgram torus{{{"X", kRows * kColumns, false}}, {}, {}};
    const auto join = [&](Index a, Index b) {
      torus.cost.push_back({0, std::min(a, b), std::max(a, b), rng.uniform01() < 0.5 ? -0.25 : 0.25});
    };
    for (Index i = 0; i < kRows; ++i)
      for (Index j = 0; j < kColumns; ++j) {
        const Index vertex = i * kColumns + j;
        join(vertex, (i + 1) % kRows * kColumns + j);
        join(vertex, i * kColumns + (j + 1) % kColumns);
        torus.constraints.push_back({"", {{0, vertex, vertex, 1}}, Relation::equal, 1});
      }
    const Outcome out = solve(*solver_with("fixed_diagonal"), Problem("bare", SdpProblem(torus)),
                              SemidefiniteSolution{}, {.time_limit = kLimit});
    CAPTURE(out.summary.message);
    REQUIRE(out.summary.certificate);
    // Diagonal dominance proves 0.28.
    CHECK(out.summary.certificate->gap <= 0.01 * std::abs(out.summary.objective));
    CHECK(out.wall_seconds < 6);
  }

  TEST_CASE("a deadline is heard within a Cholesky factor that would take minutes") {
    const Outcome out =
        solve(*solver_with("fixed_diagonal", "{ memory_gb = 8 }"), Problem("bare", SdpProblem(random_cut(9000, 7))),
              SemidefiniteSolution{}, {.time_limit = kLimit});
    check_in_time(out);
    REQUIRE(out.summary.certificate);
    CHECK(out.summary.certificate->lower_bound <= *out.summary.certificate->upper_bound);
  }

  TEST_CASE("five iterations of L-BFGS with several thousand unknowns on spheres take no quadratic time") {
    Rng rng(kSeed);
    const Problem problem("bowl", Bowl(gaussian_points(4000, 3, rng), Vector::Ones(4000), Oblique{1}));
    CeresOptions options;
    options.max_iter = 5;
    const Outcome out = solve(CeresSolver(options), problem, problem.start(rng));
    CHECK(out.summary.usable());
    CHECK(out.wall_seconds < 5);  // milliseconds, where a dense 12,000 x 12,000 Jacobian takes minutes
  }
}

}  // namespace solver_deadlines_test
