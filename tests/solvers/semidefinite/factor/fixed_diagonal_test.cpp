// Programs that fix the diagonal: the factor's optimum against CSDP's, bounds that hold whatever ends the solve, and
// programs of another shape.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/fixed_diagonal.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/solved_programs.hpp"

namespace fixed_diagonal_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 811;

Outcome solve_program(const SemidefiniteProgram& program, const std::string& options = "", const Case& how = {}) {
  return solve(*solver_with("fixed_diagonal", options), bare(program), SemidefiniteSolution{}, how);
}

/// Random weights of both signs on about `degree` edges a vertex, in `parts` separate components; with `weighted`,
/// X_ii is between 1/2 and 3 and its coefficient is not 1.
SemidefiniteProgram random_cut(Index n, double degree, Index parts, bool weighted, std::uint64_t seed) {
  Rng rng(seed);
  SemidefiniteProgram out{{{"X", n, false}}, {}, {}};
  for (Index i = 0; i < n; ++i) {
    if (weighted) out.cost.push_back({0, i, i, rng.normal()});
    for (Index j = i + 1; j < n; ++j)
      if (i % parts == j % parts && rng.uniform01() < degree * static_cast<double>(parts) / static_cast<double>(n))
        out.cost.push_back({0, i, j, weighted ? rng.normal() : 0.25});
    const double coefficient = weighted ? (i % 2 == 0 ? 2 : -0.5) : 1;
    const double length = weighted ? rng.uniform(0.5, 3) : 1;
    out.constraints.push_back({"", {{0, i, i, coefficient}}, Relation::equal, coefficient * length});
  }
  return out;
}

void check_bounds(const SemidefiniteProgram& program, const Outcome& out, double optimum) {
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->lower_bound <= optimum + 1e-7 * (1 + std::abs(optimum)));
  REQUIRE(out.summary.certificate->upper_bound);
  CHECK(*out.summary.certificate->upper_bound >= optimum - 1e-7 * (1 + std::abs(optimum)));
  CHECK(out.summary.certificate->lower_bound <= *out.summary.certificate->upper_bound);
  const auto& x = std::get<SemidefiniteSolution>(out.x);
  // The general bound of the multipliers, from dense eigenvalues, is not below what is said to be proven.
  const auto general = lower_bound(program, x.multipliers);
  REQUIRE(general);
  CHECK(*general >= out.summary.certificate->lower_bound - 1e-9 * (1 + std::abs(optimum)));
}

TEST_CASE("cuts, weighted diagonals, negative weights and separate components have CSDP's optimum" * needs_csdp()) {
  for (const auto& program : {random_cut(40, 4, 1, false, kSeed), random_cut(60, 6, 1, true, kSeed + 1),
                              random_cut(50, 3, 3, true, kSeed + 2), random_cut(130, 5, 2, false, kSeed + 3),
                              cut_of_complete_graph(3), cut_of_complete_graph(8)}) {
    CAPTURE(program.constraints.size());
    const Outcome reference = solve(Csdp(CsdpOptions()), bare(program), SemidefiniteSolution{});
    REQUIRE(reference.summary.usable());
    const Outcome out = solve_program(program);
    CAPTURE(out.summary.message);
    CHECK(out.summary.termination == Termination::converged);
    CHECK(close(out.summary.objective, reference.summary.objective, {2e-6, 2e-6}));
    CHECK(out.summary.certificate->gap <= 1.01e-6 * (1 + std::abs(out.summary.objective)));
    check_bounds(program, out, reference.summary.objective);
    const SemidefiniteErrors errors = errors_of(program, std::get<SemidefiniteSolution>(out.x));
    CHECK(errors.worst() < 2e-6);
    CHECK(errors.dimacs[0] < 1e-12);
  }
}

TEST_CASE("a solve ends once the tolerance is proven, and does not go on to a part of it") {
  const Outcome out = solve_program(random_cut(130, 5, 2, false, kSeed + 3));
  CHECK(out.summary.termination == Termination::converged);
  REQUIRE(out.summary.certificate);
  const double gap = out.summary.certificate->gap / (1 + std::abs(out.summary.objective));
  CHECK(gap <= 1e-6);
  CHECK(gap >= 0.8e-6);
}

TEST_CASE("no cost, one row and repeated constraints are solved") {
  SemidefiniteProgram empty = random_cut(12, 0, 1, false, kSeed);
  Outcome out = solve_program(empty);
  CHECK(out.summary.termination == Termination::converged);
  check_bounds(empty, out, 0);
  SemidefiniteProgram one{{{"X", 1, false}}, {{0, 0, 0, -3}}, {{"", {{0, 0, 0, 2}}, Relation::equal, 5}}};
  out = solve_program(one);
  CHECK(out.summary.termination == Termination::converged);
  CHECK(close(out.summary.objective, -7.5, kRounding));
  check_bounds(one, out, -7.5);
  SemidefiniteProgram twice = cut_of_complete_graph(5);
  twice.constraints.push_back({"", {{0, 2, 2, 3}}, Relation::equal, 3});
  out = solve_program(twice);
  CHECK(out.summary.termination == Termination::converged);
  check_bounds(twice, out, -25.0 / 4);
}

TEST_CASE("bounds hold for every round, and for a factor of too few columns" * needs_csdp()) {
  const SemidefiniteProgram program = random_cut(150, 6, 1, false, kSeed);
  const double optimum = solve(Csdp(CsdpOptions()), bare(program), SemidefiniteSolution{}).summary.objective;
  for (const Index rank : {1, 2, 0})
    for (const Index rounds : {1, 2, 60})
      for (const double memory : {2.0, 1e-6}) {
        CAPTURE(rank);
        CAPTURE(rounds);
        CAPTURE(memory);
        const Outcome out = solve_program(
            program, fmt::format("{{ rank = {}, max_iter = {}, sweeps = 3, memory_gb = {} }}", rank, rounds, memory));
        CAPTURE(out.summary.message);
        check_bounds(program, out, optimum);
        if (memory < 1) CHECK(out.summary.termination == Termination::reduced_accuracy);
        if (memory > 1 && rounds == 60) CHECK(out.summary.termination == Termination::converged);
      }
}

TEST_CASE("a bound from diagonal dominance holds with vertices without edges, and is known again") {
  SemidefiniteProgram program = random_cut(200, 1, 1, false, kSeed);
  const Outcome out = solve_program(program, "{ memory_gb = 1e-9 }");
  REQUIRE(out.summary.certificate);
  const auto bound = prove_bound(program, std::get<SemidefiniteSolution>(out.x).multipliers).lower_bound;
  REQUIRE(bound);
  CHECK(close(*bound, out.summary.certificate->lower_bound, {1e-9, 1e-9}));
}

/// Calls a function at every record; this solver shows nobody its factor.
class AtRecord final : public Observer {
 public:
  explicit AtRecord(std::function<void(Index)> call) : call_(std::move(call)) {}
  [[nodiscard]] bool wants(Index iteration) const override {
    call_(iteration);
    return false;
  }
  void observe(const Solution&, TraceRecord&) override {}

 private:
  std::function<void(Index)> call_;
};

TEST_CASE("a stop before the first iteration leaves x; a later one leaves a usable factor with its bound") {
  const SemidefiniteProgram program = random_cut(400, 6, 1, false, kSeed);
  Outcome out = solve_program(program, {}, {.stopped_before = true});
  CHECK(out.summary.termination == Termination::cancelled);
  CHECK(std::get<SemidefiniteSolution>(out.x).blocks.empty());
  // Stopped by its own first record, in the loop.
  std::stop_source stop;
  AtRecord stopping([&](Index) { stop.request_stop(); });
  out = solve_program(program, "{ tolerance = 1e-9, sweeps = 2 }", {.observer = &stopping, .stop = stop});
  REQUIRE(stop.stop_requested());
  CHECK(out.summary.termination == Termination::cancelled);
  check_bounds(program, out, out.summary.certificate->lower_bound);
}

TEST_CASE("a large triangulation is solved by factors, to a bound that is proven") {
  constexpr Index kSide = 66;
  Rng rng(kSeed);
  SemidefiniteProgram program{{{"X", kSide * kSide, false}}, {}, {}};
  const auto join = [&](Index i, Index j) { program.cost.push_back({0, std::min(i, j), std::max(i, j), 0.25}); };
  for (Index i = 0; i < kSide * kSide; ++i) {
    program.constraints.push_back({"", {{0, i, i, 1}}, Relation::equal, 1});
    const bool right = i % kSide + 1 < kSide, down = i + kSide < kSide * kSide;
    if (right) join(i, i + 1);
    if (down) join(i, i + kSide);
    if (right && down && rng.uniform01() < 0.5)
      join(i, i + kSide + 1);
    else if (right && down)
      join(i + 1, i + kSide);
  }
  const Outcome out = solve_program(program, "{ tolerance = 1e-4 }");
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.objective - out.summary.certificate->lower_bound <= 1e-4 * (1 + std::abs(out.summary.objective)));
  const auto form = fixed_diagonal_form(program);
  DiagonalCertificate judge(*form.found, 1e9);
  const auto again = judge.bound(std::get<SemidefiniteSolution>(out.x).multipliers);
  REQUIRE(again);
  CHECK(*again == out.summary.certificate->lower_bound);
}

TEST_CASE("a solve of a large grid that runs out of time has proven a bound by a factor") {
  const SemidefiniteProgram program = torus_cut(60, 80, kSeed);
  RunClock::ByHand clock;
  AtRecord late([&](Index iteration) {
    if (iteration == 2) clock.advance(std::chrono::seconds(2));
  });
  const std::string options = "{ sweeps = 100, tolerance = 1e-8 }";  // more sweeps would solve it
  const Outcome out =
      solve_program(program, options, {.time_limit = std::chrono::milliseconds(1500), .observer = &late});
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::time_limit);
  CHECK(out.summary.counts.iterations == 2);
  REQUIRE(out.summary.certificate);
  // Diagonal dominance proves 0.28. A factor proves 2e-5 with kernels of AVX-512, AVX2 and SSE2.
  CHECK(out.summary.certificate->gap <= 0.01 * std::abs(out.summary.objective));
}

TEST_CASE("a time limit is heard within a factor that would take minutes") {
  const SemidefiniteProgram program = random_cut(9000, 7, 1, false, kSeed);
  const RunClock::ByHand clock(std::chrono::milliseconds(100));
  const auto begin = RunClock::now();
  const Outcome out = solve_program(program, "{ memory_gb = 8 }", {.time_limit = std::chrono::milliseconds(1500)});
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::time_limit);
  // The last factor may go on for 2 seconds; a factor to its end looks at the clock thousands of times.
  // It ends at 3.4 s by this clock with kernels of AVX-512, AVX2 and SSE2.
  CHECK(RunClock::now() - begin > std::chrono::seconds(2));
  CHECK(RunClock::now() - begin < std::chrono::seconds(5));
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->lower_bound <= *out.summary.certificate->upper_bound);
}

TEST_CASE("programs of another shape are refused in one line that says why") {
  const auto refusal = [](const SemidefiniteProgram& program) -> std::string {
    return message_of<DataError>([&] { solve_program(program); });
  };
  const auto holds = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK(holds(refusal(theta_of_cycle(5)), "constraint 1 is not about one diagonal entry alone"));
  CHECK(holds(refusal(mixed_program()), "2 blocks"));
  SemidefiniteProgram program = cut_of_complete_graph(4);
  program.constraints[2].bound = 0;
  CHECK(holds(refusal(program), "X(3, 3) at 0, not above 0"));
  program = cut_of_complete_graph(4);
  program.constraints.pop_back();
  CHECK(holds(refusal(program), "no constraint fixes X(4, 4)"));
  program = cut_of_complete_graph(4);
  program.constraints.push_back({"", {{0, 1, 1, 1}}, Relation::equal, 2});
  CHECK(holds(refusal(program), "constraints 2 and 5 fix X(2, 2) at different values"));
  program = cut_of_complete_graph(4);
  program.constraints[0].relation = Relation::at_most;
  CHECK(refusal(program) == "(no error)");
  program.cost[0].value = 1;
  CHECK(holds(refusal(program), "X(1, 1) is only bounded from above, and has a positive cost"));
  program.constraints[0].relation = Relation::at_least;
  CHECK(holds(refusal(program), "constraint 1 is a lower bound of X(1, 1)"));
  CHECK(holds(refusal(program), "csdp"));
}

}  // namespace
}  // namespace fixed_diagonal_test
