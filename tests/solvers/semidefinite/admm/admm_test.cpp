// Alternating directions: dependent rows, starts, acceleration, and what it says of programs that it cannot solve.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/decompositions/lapack.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "solvers/semidefinite/admm/admm_program.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/solved_programs.hpp"
#include "tests/support/text_holds.hpp"

namespace admm_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 907;

Outcome solve_program(const SemidefiniteProgram& program, const std::string& options = "", const Case& how = {},
                      const Solution& start = SemidefiniteSolution{}) {
  return solve(*solver_with("admm", options), bare(program), start, how);
}

TEST_CASE("rows that depend on each other do no harm") {
  SemidefiniteProgram twice = theta_of_cycle(7);
  const auto rows = twice.constraints;
  for (const auto& row : rows) {
    twice.constraints.push_back(row);
    twice.constraints.back().name.clear();
    for (auto& e : twice.constraints.back().entries) e.value *= 3;
    twice.constraints.back().bound *= 3;
  }
  check_proven(twice, solve_program(twice), -theta_of_odd_cycle(7));
}

TEST_CASE("a factor of AA' ends where it is asked to stop, and is that of LAPACK in one piece") {
  SemidefiniteProgram dense;
  dense.blocks = {{"x", 30, true}};
  for (Index r = 0; r < 30; ++r) {
    dense.constraints.push_back({"", {}, Relation::equal, 1});
    for (Index i = 0; i < 30; ++i) dense.constraints.back().entries.push_back({0, i, i, i == r ? 9.0 : 1.0});
  }
  int looks = 0;
  const AdmmProgram whole(dense, 1e9, [&] { return ++looks < 0; });
  REQUIRE(looks > 3);
  for (int allowed = 0; allowed < looks; ++allowed) {
    int seen = 0;
    CHECK_THROWS_AS(AdmmProgram(dense, 1e9, [&] { return ++seen > allowed; }), WorkStopped);
  }

  Rng rng(kSeed);
  Eigen::MatrixXd a(300, 300);
  for (double& entry : a.reshaped()) entry = rng.normal();
  const Eigen::MatrixXd square = a * a.transpose();
  Eigen::MatrixXd one = square, pieces = square, negative = -square;
  REQUIRE(dense_cholesky(one));
  REQUIRE(dense_cholesky(pieces, [] { return false; }));
  const Eigen::MatrixXd difference = (one - pieces).triangularView<Eigen::Lower>();
  CHECK(difference.norm() <= 1e-9 * one.norm());
  CHECK_FALSE(dense_cholesky(negative, [] { return false; }));
}

/// The program of theta_of_cycle with one cost a little different.
SemidefiniteProgram nearly_theta(Index n) {
  SemidefiniteProgram out = theta_of_cycle(n);
  for (auto& e : out.cost)
    if (e.row == 3 && e.col == 4) e.value *= 1.001;
  return out;
}

TEST_CASE("a start from the solution of a program that is nearly the same is taken, unless it is not wanted") {
  const Outcome first = solve_program(theta_of_cycle(31));
  const SemidefiniteProgram near = nearly_theta(31);
  const Outcome cold = solve_program(near), warm = solve_program(near, {}, {}, first.x);
  CHECK(warm.summary.termination == Termination::converged);
  CHECK(holds_all(warm.summary.message, {"started from the given X and Z"}));
  CHECK(solve_program(near, "{ warm_start = false }", {}, first.x).summary.counts.iterations ==
        cold.summary.counts.iterations);
}

constexpr const char* kPlain = "{ anderson_memory = 0 }";

TEST_CASE("without acceleration the optimum is the same") {
  const SemidefiniteProgram program = theta_of_cycle(31);
  check_proven(program, solve_program(program, kPlain), -theta_of_odd_cycle(31));
  check_proven(program, solve_program(program), -theta_of_odd_cycle(31));
}

TEST_SUITE("statistical") {
  TEST_CASE("a start from the solution of a program that is nearly the same takes fewer iterations") {
    const SemidefiniteProgram near = nearly_theta(31);
    const Outcome cold = solve_program(near), warm = solve_program(near, {}, {}, solve_program(theta_of_cycle(31)).x);
    CAPTURE(cold.summary.counts.iterations);
    CAPTURE(warm.summary.counts.iterations);
    // 1 iteration against 49, with kernels of AVX-512, AVX2 and SSE2.
    CHECK(warm.summary.counts.iterations < cold.summary.counts.iterations);
  }

  TEST_CASE("acceleration saves iterations") {
    const SemidefiniteProgram program = theta_of_cycle(31);
    const Outcome slow = solve_program(program, kPlain), fast = solve_program(program);
    CAPTURE(slow.summary.counts.iterations);
    CAPTURE(fast.summary.counts.iterations);
    // 49 iterations against 350, with kernels of AVX-512, AVX2 and SSE2.
    CHECK(fast.summary.counts.iterations < slow.summary.counts.iterations);
  }
}

TEST_CASE("a stop between decompositions of large blocks does not wait for more of them") {
  const SemidefiniteProgram program = theta_of_cycle(501);
  Case how;
  ObserverOf stopper([&](const Solution&, TraceRecord& record) {
    if (record.iteration == 2) how.stop.request_stop();
  });
  how.observer = &stopper;
  const Outcome out = solve_program(program, {}, how);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::cancelled);
  CHECK(out.summary.counts.iterations == 2);
  CHECK(holds_all(out.summary.message, {"so large that errors and bounds were not computed"}));
  CHECK_FALSE(out.summary.certificate);
  const SemidefiniteErrors errors = errors_of(program, solution_in(out.x));
  CHECK(out.summary.violations.max == errors.violations.max);
  CHECK(out.summary.violations.count == errors.violations.count);
}

TEST_CASE("it says early that it gets nowhere, and names another solver") {
  // No feasible X is positive definite: the rows are zero at (1, 1, ..., 1). The multipliers grow.
  constexpr Index kSize = 12;
  Rng rng(kSeed);
  SemidefiniteProgram program{{{"X", kSize, false}}, {}, {}};
  SemidefiniteConstraint sum{"", {}, Relation::equal, 0};
  for (Index i = 0; i < kSize; ++i) {
    for (Index j = i; j < kSize; ++j) {
      program.cost.push_back({0, i, j, rng.normal()});
      sum.entries.push_back({0, i, j, 1});
    }
    program.constraints.push_back({"", {{0, i, i, 1}}, Relation::equal, 1});
  }
  program.constraints.push_back(sum);
  const Outcome out = solve_program(program, "{ tolerance = 1e-12 }");
  CAPTURE(out.summary.message);
  CHECK((out.summary.termination == Termination::stalled || out.summary.termination == Termination::reduced_accuracy));
  // Stalled at 2000 of 20000 iterations with kernels of AVX-512, AVX2 and SSE2.
  CHECK(out.summary.counts.iterations < 20'000);
  REQUIRE(out.summary.certificate);
}

TEST_CASE("programs that do not fit are refused") {
  CHECK_THROWS_AS(solve_program(theta_of_cycle(50), "{ memory_gb = 1e-6 }"), ConfigError);
}

TEST_CASE("the spectrum is split, whichever side is smaller") {
  Rng rng(kSeed);
  for (const Index n : {1, 2, 5, 40})
    for (const double shift : {-100.0, -1.0, 0.0, 2.0, 100.0}) {
      CAPTURE(n);
      CAPTURE(shift);
      Eigen::MatrixXd w = gaussian_symmetric(n, rng);
      w.diagonal().array() += shift;
      Eigen::MatrixXd spent = w, plus, minus;
      REQUIRE(split_spectrum(spent, plus, minus));
      const double scale = 1 + w.norm();
      CHECK((plus - minus - w).norm() < 1e-12 * scale);
      CHECK((plus * minus).norm() < 1e-11 * scale * scale);
      CHECK(least_eigenvalue_of(plus) > -1e-12 * scale);
      CHECK(least_eigenvalue_of(minus) > -1e-12 * scale);
      CHECK((plus - plus.transpose()).norm() == 0);
    }
  Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(3, 3), plus, minus;
  REQUIRE(split_spectrum(zero, plus, minus));
  CHECK(plus.norm() == 0);
  CHECK(minus.norm() == 0);
  Eigen::MatrixXd bad = Eigen::MatrixXd::Constant(3, 3, std::nan(""));
  CHECK_FALSE(split_spectrum(bad, plus, minus));
  CHECK(std::isnan(least_eigenvalue_of(Eigen::MatrixXd::Constant(3, 3, std::nan("")))));
}

}  // namespace
}  // namespace admm_test
