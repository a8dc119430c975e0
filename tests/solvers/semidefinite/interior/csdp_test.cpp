// CSDP against optima that are known in closed form, its traps one by one, and what the solver promises when it is
// stopped, started warm, or asked for the impossible.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <thread>

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/solved_programs.hpp"
#include "tests/support/text_holds.hpp"

namespace csdp_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 503;

Outcome solve_bare(const SemidefiniteProgram& program, const CsdpOptions& options = {}, const Case& how = {},
                   const Solution& start = SemidefiniteSolution{}) {
  return solve(Csdp(options), bare(program), start, how);
}

/// What the solver says when it refuses.
template <class Refusal>
std::string refusal(const SemidefiniteProgram& program, const CsdpOptions& options = {}) {
  const std::string out = message_of<Refusal>([&] { return solve_bare(program, options); });
  CHECK(out.find('\n') == std::string::npos);
  return out;
}

/// Converged to the optimum, by our own measure, with a certificate that holds.
void check_optimal(const SemidefiniteProgram& program, const Outcome& out, double optimum) {
  check_proven(program, out, optimum, 1e-7);
  CHECK(out.summary.violations.max < 1e-7);
}

/// A program of n x n with m rows <A_r, X> = 1 for random A_r = R R' / n, and the cost I.
SemidefiniteProgram random_program(Index n, Index m, std::uint64_t seed) {
  Rng rng(seed);
  SemidefiniteProgram out{{{"X", n, false}}, {}, {}};
  for (Index i = 0; i < n; ++i) out.cost.push_back({0, i, i, 1});
  for (Index r = 0; r < m; ++r) {
    const Matrix root = gaussian_symmetric(n, rng);
    const Matrix a = root * root / static_cast<double>(n);
    SemidefiniteConstraint row{"", {}, Relation::equal, 1};
    for (Index i = 0; i < n; ++i)
      for (Index j = i; j < n; ++j) row.entries.push_back({0, i, j, a(i, j)});
    out.constraints.push_back(std::move(row));
  }
  return out;
}

TEST_CASE(
    "known optima: eigenvalues and linear programs, with their multipliers; the order of entries counts for nothing") {
  Rng rng(kSeed);
  for (const Index n : {1, 2, 7, 40}) {
    CAPTURE(n);
    const Matrix c = gaussian_symmetric(n, rng);
    const double least = SymmetricEigen(c, false).eigenvalues()[0];
    const SemidefiniteProgram program = smallest_eigenvalue_program(c);
    const Outcome out = solve_bare(program);
    check_optimal(program, out, least);
    CHECK(close(solution_in(out.x).multipliers[0], least, {1e-7, 1e-7}));  // the sign of our dual
  }
  // min -x - 2y, x + y <= 4, x + 3y <= 6, x, y >= 0, at (3, 1): -5; y >= 0.5 changes nothing.
  SemidefiniteProgram linear{{{"xy", 2, true}}, {{0, 0, 0, -1}, {0, 1, 1, -2}}, {}};
  linear.constraints.push_back({"a", {{0, 0, 0, 1}, {0, 1, 1, 1}}, Relation::at_most, 4});
  linear.constraints.push_back({"b", {{0, 0, 0, 1}, {0, 1, 1, 3}}, Relation::at_most, 6});
  linear.constraints.push_back({"c", {{0, 1, 1, 1}}, Relation::at_least, 0.5});
  const Outcome out = solve_bare(linear);
  check_optimal(linear, out, -5);
  CHECK(close(solution_in(out.x).blocks[0].values(0, 0), 3, {1e-6, 0}));
  CHECK(close(solution_in(out.x).multipliers[0], -0.5, {1e-5, 0}));
  CHECK(close(solution_in(out.x).multipliers[1], -0.5, {1e-5, 0}));
  CHECK(std::abs(solution_in(out.x).multipliers[2]) < 1e-6);

  SemidefiniteProgram program = mixed_program();
  const double before = solve_bare(program).summary.objective;
  for (auto& row : program.constraints) std::ranges::reverse(row.entries);
  program.constraints[0].entries.push_back({0, 0, 1, 0.0});
  CHECK(solve_bare(program).summary.objective == before);
}

TEST_CASE("a program of extreme scale is solved: its small rows or large cost make no ray") {
  for (const double rows : {1e-12, 1e-10, 1e-5, 1.0, 1e9})
    for (const double cost : {1e-9, 1.0, 1e3, 1e6, 1e10, 1e12}) {
      CAPTURE(rows);
      CAPTURE(cost);
      SemidefiniteProgram program = theta_of_cycle(5);
      for (auto& e : program.cost) e.value *= cost;
      for (auto& row : program.constraints) {
        row.bound *= rows;
        for (auto& e : row.entries) e.value *= rows;
      }
      const Outcome out = solve_bare(program);
      CAPTURE(out.summary.message);
      CHECK(out.summary.termination == Termination::converged);
      const double optimum = -cost * theta_of_odd_cycle(5);
      CHECK(std::abs(out.summary.objective - optimum) <= 1e-6 * (1 + std::abs(optimum)));
      REQUIRE(out.summary.certificate);
      CHECK(out.summary.certificate->lower_bound <= optimum + 1e-12 * std::abs(optimum));
    }
}

TEST_CASE("a warm start of a program of extreme scale starts from the X, y and Z given") {
  SemidefiniteProgram program = theta_of_cycle(7);
  for (auto& e : program.cost) e.value *= 1e9;
  for (auto& row : program.constraints)
    for (auto& e : row.entries) e.value *= 1e-8;
  program.constraints[0].bound *= 1e-8;
  const Outcome cold = solve_bare(program);
  CHECK(cold.summary.termination == Termination::converged);
  const Outcome warm = solve_bare(program, {}, {}, cold.x);
  CHECK(warm.summary.termination == Termination::converged);
  CHECK(warm.summary.message.find("started from the given") != std::string::npos);
  CHECK(warm.summary.counts.iterations < cold.summary.counts.iterations);
}

TEST_CASE("unbounded and infeasible are said of what the ray proves exactly, likely of the rest") {
  // max X_11 with X_22 = 1: the ray of CSDP changes the row by 1e-10 or so, a rounder one by nothing.
  SemidefiniteProgram free{{{"X", 2, false}}, {{0, 0, 0, -1}}, {}};
  free.constraints.push_back({"", {{0, 1, 1, 1}}, Relation::equal, 1});
  Outcome out = solve_bare(free);
  CHECK(out.summary.termination == Termination::unbounded);
  REQUIRE(solution_in(out.x).ray);
  const Matrix& ray = solution_in(out.x).ray->blocks.front().values;
  CHECK(ray(1, 1) == 0);
  CHECK(ray(0, 0) > 0);
  // max X_12 with X_11 = 1 grows without end, but along no ray: X_12 > 0 needs X_11 > 0.
  SemidefiniteProgram weak{{{"X", 2, false}}, {{0, 0, 1, -1}}, {}};
  weak.constraints.push_back({"", {{0, 0, 0, 1}}, Relation::equal, 1});
  out = solve_bare(weak);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination != Termination::unbounded);
  CHECK(out.summary.termination != Termination::converged);
  // X_11 = 0 and X_12 = 1 contradict each other, but no multipliers prove it.
  SemidefiniteProgram apart{{{"X", 2, false}}, {{0, 1, 1, 1}}, {}};
  apart.constraints.push_back({"", {{0, 0, 0, 1}}, Relation::equal, 0});
  apart.constraints.push_back({"", {{0, 0, 1, 0.5}}, Relation::equal, 1});
  for (const double tolerance : {1e-8, 1e-10}) {
    CsdpOptions options;
    options.tolerance = tolerance;
    out = solve_bare(apart, options);
    CAPTURE(out.summary.message);
    CHECK(out.summary.termination != Termination::infeasible);
    CHECK(out.summary.termination != Termination::converged);
  }
}

TEST_CASE("a dual slack that is singular where no row reaches is no reason to be without a bound") {
  SemidefiniteProgram program = smallest_eigenvalue_program(-Matrix::Ones(2, 2));
  program.blocks.push_back({"apart", 3, false});
  program.cost.push_back({1, 0, 0, 1});
  const Outcome out = solve_bare(program);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->lower_bound <= -2);
  CHECK(out.summary.certificate->lower_bound >= -2 - 1e-7);
}

TEST_CASE("the last step of CSDP counts and is recorded too") {
  for (const Index max_iter : {1, 2, 5}) {
    CAPTURE(max_iter);
    CsdpOptions options;
    options.max_iter = max_iter;
    const Outcome out = solve_bare(theta_of_cycle(5), options);
    CHECK(out.summary.termination == Termination::max_iter);
    CHECK(out.summary.counts.iterations == max_iter);
    CHECK(out.summary.trace.back().iteration == max_iter);
    CHECK(out.summary.trace.back().objective == out.summary.objective);
  }
  const Outcome out = solve_bare(theta_of_cycle(5));
  CHECK(out.summary.termination == Termination::converged);
  CHECK(out.summary.trace.back().objective == out.summary.objective);
}

TEST_CASE("no objective, no right side: pure feasibility is solved too") {
  SemidefiniteProgram no_cost = theta_of_cycle(5);
  no_cost.cost.clear();
  Outcome out = solve_bare(no_cost);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  CHECK(out.summary.violations.max < 1e-7);
  SemidefiniteProgram no_bound = smallest_eigenvalue_program(Matrix::Identity(4, 4));
  no_bound.constraints[0].entries = {{0, 0, 1, 1}};
  no_bound.constraints[0].bound = 0;
  out = solve_bare(no_bound);
  CHECK(out.summary.usable());
  CHECK(std::abs(out.summary.objective) < 1e-6);
}

// ---- the traps: what would end the process inside CSDP is refused before it is called ----------------

/// A problem that shows a program unchecked.
class Unchecked {
 public:
  explicit Unchecked(SemidefiniteProgram program) : program_(std::move(program)) {}
  [[nodiscard]] const SemidefiniteProgram& program() const { return program_; }
  [[nodiscard]] Solution start(Rng&) const { return SemidefiniteSolution{}; }
  [[nodiscard]] double objective(const Solution&, Evaluation&) const { return 0; }
  [[nodiscard]] Embedding decode(const Solution&) const { return {}; }

 private:
  SemidefiniteProgram program_;
};

TEST_CASE("traps: bad input never reaches CSDP, which would call exit()") {
  const auto refused = [](auto change) {
    SemidefiniteProgram program = mixed_program();
    change(program);
    const Problem problem("unchecked", Unchecked(program));
    CHECK_THROWS_AS(static_cast<void>(solve(Csdp(CsdpOptions()), problem, SemidefiniteSolution{})), DataError);
  };
  refused(
      [](auto& p) { p.constraints[0].entries.clear(); });  // empty row: exit(206); as all that require_valid() refuses
  refused([](auto& p) { p.constraints.clear(); });         // no rows: exit(206)
  refused([](auto& p) { p.constraints[0].bound = 1e150; });
  refused([](auto& p) { p.cost[0].value = 1e200; });
  refused([](auto& p) { p.constraints[0].entries = {{0, 0, 0, 1e-200}}; });
  CHECK_THROWS_AS(static_cast<void>(solve(Csdp(CsdpOptions()), bare(mixed_program()), Solution(EigenSolution{}))),
                  DataError);
}

TEST_CASE("traps: one triangle decides both, so a cost is symmetric to the last bit") {
  // 0.1 + 0.2 and 0.3 differ in the last bit; whichever is stored, C is symmetric (checkc would exit(206)).
  SemidefiniteProgram program = smallest_eigenvalue_program(Matrix::Zero(2, 2));
  program.cost = {{0, 0, 1, 0.1 + 0.2}};
  check_optimal(program, solve_bare(program), -0.30000000000000004);
}

TEST_CASE("traps: the dense Schur matrix and indices that overflow are refused before memory is touched") {
  SemidefiniteProgram many{{{"X", 162, false}}, {{0, 0, 0, 1}}, {}};
  for (Index i = 0; i < 162; ++i)
    for (Index j = i; j < 162; ++j) many.constraints.push_back({"", {{0, i, j, 1}}, Relation::at_most, 1});
  for (std::size_t r = 0; many.constraints.size() < 26'082; ++r) many.constraints.push_back(many.constraints[r]);
  CHECK(Csdp::predicted_bytes(many) > 8.0 * 26'082 * 26'082);
  CHECK(Csdp::predicted_bytes(many) < 1.1 * 8 * 26'082 * 26'082);
  const std::string message = refusal<ConfigError>(many);
  CAPTURE(message);
  CHECK(message.find("5.4 of them for the dense Schur matrix of 26082") != std::string::npos);
  CHECK(message.find("memory_gb") != std::string::npos);

  SemidefiniteProgram wide{{{"X", 50'000, false}}, {{0, 0, 0, 1}}, {{"", {{0, 0, 0, 1}}, Relation::equal, 1}}};
  CHECK(refusal<ConfigError>(wide).find("would need") != std::string::npos);
  CsdpOptions generous;
  generous.memory_gb = 1e9;
  CHECK(holds_all(refusal<ConfigError>(wide, generous), {"up to 46340 rows", "'X'", "50000"}));
  SemidefiniteProgram long_one{{{"x", 70'000'000, true}}, {{0, 0, 0, 1}}, {{"", {{0, 0, 0, 1}}, Relation::equal, 1}}};
  CHECK(holds_all(refusal<ConfigError>(long_one, generous), {"in total", "70000000"}));
  SemidefiniteProgram tall{{{"x", 1, true}}, {{0, 0, 0, 1}}, {}};
  tall.constraints.assign(46'340, {"", {{0, 0, 0, 1}}, Relation::equal, 1});
  CHECK(holds_all(refusal<ConfigError>(tall, generous), {"46339", "46340"}));
}

TEST_CASE("traps: many dense rows, many sparse ones, many blocks, dependent rows") {
  // Dense rows take CSDP's other way of forming the Schur matrix; both must agree with the dual.
  const SemidefiniteProgram dense = random_program(12, 30, kSeed);
  Outcome out = solve_bare(dense);
  CAPTURE(out.summary.message);
  CHECK(out.summary.usable());
  REQUIRE(out.summary.certificate);
  if (out.summary.termination == Termination::converged) {
    CHECK(out.summary.certificate->gap < 1e-5);
    CHECK(out.summary.certificate->gap > -1e-6);
  }
  // The same optimum in blocks: 12 programs of the smallest eigenvalue side by side.
  Rng rng(kSeed);
  SemidefiniteProgram blocks;
  double optimum = 0;
  for (Index b = 0; b < 12; ++b) {
    const Matrix c = gaussian_symmetric(1 + b % 4, rng);
    optimum += SymmetricEigen(c, false).eigenvalues()[0];
    SemidefiniteProgram one = smallest_eigenvalue_program(c);
    blocks.blocks.push_back(one.blocks[0]);
    for (auto& e : one.cost) {
      e.block = b;
      blocks.cost.push_back(e);
    }
    for (auto& e : one.constraints[0].entries) e.block = b;
    one.constraints[0].name.clear();
    blocks.constraints.push_back(one.constraints[0]);
  }
  check_optimal(blocks, solve_bare(blocks), optimum);
  // A row twice: the Schur matrix is singular.
  SemidefiniteProgram twice = theta_of_cycle(5);
  twice.constraints.push_back(twice.constraints[1]);
  out = solve_bare(twice);
  CAPTURE(out.summary.message);
  if (out.summary.usable()) CHECK(close(out.summary.objective, -std::sqrt(5.0), {1e-5, 0}));
  CHECK_FALSE(out.summary.message.empty());
}

TEST_CASE("traps: code 4, and a tolerance that can not be had, leave usable points that say what they are worth") {
  CsdpOptions few;
  few.max_iter = 4;
  const SemidefiniteProgram program = theta_of_cycle(7);
  Outcome out = solve_bare(program, few);
  CHECK(out.summary.termination == Termination::max_iter);
  CHECK(out.summary.message.find("Raise max_iter") != std::string::npos);
  CHECK(out.summary.usable());
  if (out.summary.certificate) CHECK(out.summary.certificate->lower_bound <= -theta_of_odd_cycle(7));

  CsdpOptions greedy;
  greedy.tolerance = 1e-14;
  out = solve_bare(program, greedy);
  CAPTURE(out.summary.message);
  CHECK(out.summary.usable());
  CHECK(close(out.summary.objective, -theta_of_odd_cycle(7), {1e-6, 0}));
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->lower_bound <= -theta_of_odd_cycle(7) + 1e-12);
}

TEST_CASE(
    "traps: a program without interior ends as reduced or stalled with a true certificate, or not at all usable") {
  // X_11 = 0 forces row and column 1 to 0: no interior.
  SemidefiniteProgram program = theta_of_cycle(5);
  program.constraints.push_back({"flat", {{0, 0, 0, 1}}, Relation::equal, 0});
  const Outcome out = solve_bare(program);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination != Termination::infeasible);
  // What is left is a path of 4: theta = 2.
  if (out.summary.usable()) CHECK(close(out.summary.objective, -2, {1e-3, 0}));
  if (out.summary.certificate) CHECK(out.summary.certificate->lower_bound <= -2 + 1e-6);
}

// ---- starts, stops and company ----------------------------------------------------------------------

/// A program with one cut more, of which the old optimum knows nothing, and that optimum as a start.
struct CutCycle {
  CutCycle(SemidefiniteProgram whole, const Outcome& solved) : program(std::move(whole)), start(solution_in(solved.x)) {
    program.constraints.push_back({"cut", {{0, 0, 2, 1}}, Relation::at_most, 0.01});
    start.multipliers.conservativeResize(start.multipliers.size() + 1);
    start.multipliers[start.multipliers.size() - 1] = 0;
  }
  SemidefiniteProgram program;
  SemidefiniteSolution start;
};

TEST_CASE("a warm start from the optimum ends at the same value") {
  const SemidefiniteProgram program = theta_of_cycle(15);
  const Outcome cold = solve_bare(program);
  check_optimal(program, cold, -theta_of_odd_cycle(15));
  const Outcome warm = solve_bare(program, {}, {}, cold.x);
  check_optimal(program, warm, -theta_of_odd_cycle(15));
  CHECK(warm.summary.message.find("started from the given") != std::string::npos);

  // The same after the program has changed.
  const CutCycle cut(program, cold);
  const Outcome fresh = solve_bare(cut.program), going_on = solve_bare(cut.program, {}, {}, cut.start);
  CHECK(going_on.summary.termination == Termination::converged);
  CHECK(close(fresh.summary.objective, going_on.summary.objective, {1e-6, 0}));

  CsdpOptions off;
  off.warm_start = false;
  CHECK(solve_bare(program, off, {}, cold.x).summary.counts.iterations == cold.summary.counts.iterations);
  // Starts of other sizes, or with numbers that are not finite, are as good as none.
  SemidefiniteSolution start = solution_in(cold.x);
  start.dual_blocks[0](0, 0) = std::nan("");
  CHECK(solve_bare(program, {}, {}, start).summary.counts.iterations == cold.summary.counts.iterations);
  start = solution_in(cold.x);
  start.multipliers.conservativeResize(3);
  CHECK(solve_bare(program, {}, {}, start).summary.counts.iterations == cold.summary.counts.iterations);
  // One that is not positive definite is moved inside.
  start = solution_in(cold.x);
  start.blocks[0].values -= 0.1 * Matrix::Identity(15, 15);
  check_optimal(program, solve_bare(program, {}, {}, start), -theta_of_odd_cycle(15));
}

TEST_SUITE("statistical") {
  TEST_CASE("a warm start takes fewer iterations, also after a cut more") {
    const SemidefiniteProgram program = theta_of_cycle(15);
    const Outcome cold = solve_bare(program), warm = solve_bare(program, {}, {}, cold.x);
    CAPTURE(cold.summary.counts.iterations);
    CAPTURE(warm.summary.counts.iterations);
    // 4 iterations against 11, with kernels of AVX-512, AVX2 and SSE2.
    CHECK(warm.summary.counts.iterations < cold.summary.counts.iterations);
    const CutCycle cut(program, cold);
    const Outcome fresh = solve_bare(cut.program), going_on = solve_bare(cut.program, {}, {}, cut.start);
    CAPTURE(fresh.summary.counts.iterations);
    CAPTURE(going_on.summary.counts.iterations);
    // 11 iterations against 12, with kernels of AVX-512, AVX2 and SSE2: one iteration of margin.
    CHECK(going_on.summary.counts.iterations < fresh.summary.counts.iterations);
  }
}

TEST_CASE("an observer's exception passes CSDP unharmed, and the next solve is sound") {
  ObserverOf thrower([](const Solution&, TraceRecord& record) {
    if (record.iteration == 2) throw DataError("seen enough");
  });
  Case how;
  how.observer = &thrower;
  const SemidefiniteProgram program = theta_of_cycle(5);
  Rng rng(kSeed);
  CHECK_THROWS_WITH_AS(solve_bare(program, {}, how, bare(program).start(rng)), "seen enough", DataError);
  check_optimal(program, solve_bare(program), -std::sqrt(5.0));
}

TEST_CASE("same bits beside a solve by another thread of the process") {
  const SemidefiniteProgram one = theta_of_cycle(25), two = random_program(20, 25, kSeed);
  const Outcome first = solve_bare(one), second = solve_bare(two);
  const auto same = [](const Outcome& a, const Outcome& b) {
    return a.summary.objective == b.summary.objective && a.summary.message == b.summary.message &&
           solution_in(a.x).blocks[0].values == solution_in(b.x).blocks[0].values &&
           solution_in(a.x).multipliers == solution_in(b.x).multipliers;
  };
  for (int trial = 0; trial < 3; ++trial) {
    std::optional<Outcome> a, b;
    {
      const std::jthread left([&] { a = solve_bare(one); });
      const std::jthread right([&] { b = solve_bare(two); });
    }
    REQUIRE(a);
    REQUIRE(b);
    CHECK(same(first, *a));
    CHECK(same(second, *b));
  }
}

TEST_CASE("a long step runs in a process of its own: to the same bits, watched, and cut short in time, on threads") {
  const SemidefiniteProgram program = random_program(60, 700, kSeed);
  CsdpOptions few;
  few.max_iter = 3;
  const Problem problem = bare(program);
  Rng rng(kSeed);
  const Solution start = problem.start(rng);
  const Outcome apart = solve_bare(program, few, {}, start);
  CAPTURE(apart.summary.message);
  Outcome here{start, {}, 0};
  {
    Executor executor;
    SolveContext nothing_interrupts(executor);
    here.summary = Csdp(few).solve(problem, here.x, nothing_interrupts);
  }
  CHECK(apart.summary.message == here.summary.message);
  CHECK(apart.summary.objective == here.summary.objective);
  CHECK(solution_in(apart.x).blocks[0].values == solution_in(here.x).blocks[0].values);
  CHECK(apart.summary.trace.size() == here.summary.trace.size());
  CHECK(apart.summary.counts.evaluations == here.summary.counts.evaluations);

  // Whoever looks may end it by a stop or an exception.
  Case how;
  ObserverOf stopper([&](const Solution& x, TraceRecord& record) {
    CHECK(solution_in(x).blocks[0].values.allFinite());
    if (record.iteration == 2) how.stop.request_stop();
  });
  how.observer = &stopper;
  const Outcome stopped = solve_bare(program, {}, how, start);
  CHECK(stopped.summary.termination == Termination::cancelled);
  CHECK(stopped.summary.counts.iterations == 2);
  Case seen;
  ObserverOf thrower([](const Solution&, TraceRecord& record) {
    if (record.iteration == 1) throw DataError("seen enough");
  });
  seen.observer = &thrower;
  CHECK_THROWS_WITH_AS(solve_bare(program, {}, seen, start), "seen enough", DataError);

  // Between two iterations: its process is held at the first, so that there is no second, until it is killed.
  const auto hold = [] {
    const std::vector<pid_t> copies = children_of(::getpid());
    REQUIRE_FALSE(copies.empty());
    for (const pid_t copy : copies) REQUIRE(::kill(copy, SIGSTOP) == 0);
  };
  const auto check_cut = [](const Outcome& out) {
    CHECK(out.summary.usable());
    CHECK(out.summary.counts.iterations == 1);
    CHECK(solution_in(out.x).blocks[0].values.allFinite());
  };
  // The request comes from another thread.
  Case late;
  std::jthread other;
  ObserverOf starter([&](const Solution&, TraceRecord& record) {
    if (record.iteration != 1) return;
    hold();
    other = std::jthread([&] { late.stop.request_stop(); });
  });
  late.observer = &starter;
  const Outcome cut = solve_bare(program, {}, late, start);
  CHECK(cut.summary.termination == Termination::cancelled);
  check_cut(cut);
  // The deadline passes at the third look from here on. The first is at the end of this iteration.
  std::optional<RunClock::ByHand> clock;
  Case slow;
  slow.time_limit = std::chrono::hours(3);
  ObserverOf holder([&](const Solution&, TraceRecord& record) {
    if (record.iteration != 1) return;
    hold();
    clock.emplace(std::chrono::hours(1));
  });
  slow.observer = &holder;
  const Outcome out_of_time = solve_bare(program, {}, slow, start);
  CHECK(out_of_time.summary.termination == Termination::time_limit);
  check_cut(out_of_time);
}

TEST_CASE("who waits for another solve minds its own deadline, on threads") {
  const SemidefiniteProgram program = theta_of_cycle(9);
  const RunClock::ByHand clock(std::chrono::milliseconds(5));  // only who has a deadline looks at it
  Case slow;
  std::atomic<bool> inside = false, leave = false;
  ObserverOf holder([&](const Solution&, TraceRecord& record) {
    if (record.iteration != 1) return;
    inside = true;
    while (!leave) std::this_thread::yield();
  });
  slow.observer = &holder;
  std::optional<Outcome> held;
  Rng rng(kSeed);
  const Solution start = bare(program).start(rng);
  std::jthread other([&] { held = solve_bare(program, {}, slow, start); });
  while (!inside) std::this_thread::yield();
  const Outcome waited = solve_bare(program, {}, {.time_limit = std::chrono::milliseconds(20)});
  leave = true;
  other.join();
  CHECK(waited.summary.termination == Termination::time_limit);
  CHECK(waited.summary.message == "time_limit before the first iteration");
  CHECK(held->summary.termination == Termination::converged);
}

}  // namespace
}  // namespace csdp_test
