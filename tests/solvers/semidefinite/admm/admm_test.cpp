// Alternating directions against known optima and CSDP, on every kind of block and row; what it says of infeasible
// programs and of those that it cannot solve; and the promises of every solver.
#include "solvers/semidefinite/admm/admm.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/programs/bound_proof.hpp"
#include "solvers/semidefinite/admm/admm_program.hpp"
#include "solvers/semidefinite/admm/anderson.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "solvers/semidefinite/lapack.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/solve_case.hpp"
#include "tests/support/solved_programs.hpp"
#include "tests/support/text_holds.hpp"

namespace admm_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 907;

Outcome solve_program(const SemidefiniteProgram& program, const AdmmOptions& options = {}, const Case& how = {},
                      const Solution& start = SemidefiniteSolution{}) {
  return solve(Admm(options), bare(program), start, how);
}

/// The largest <J, X> with tr X = 1 and X_ij = 0 on the edges of Petersen's graph: theta is 4.
SemidefiniteProgram theta_of_petersen() {
  SemidefiniteProgram out = smallest_eigenvalue_program(-Matrix::Ones(10, 10));
  const auto edge = [&](Index i, Index j) {
    out.constraints.push_back({"", {{0, std::min(i, j), std::max(i, j), 1}}, Relation::equal, 0});
  };
  for (Index i = 0; i < 5; ++i) {
    edge(i, (i + 1) % 5);
    edge(i, i + 5);
    edge(5 + i, 5 + (i + 2) % 5);
  }
  return out;
}

TEST_CASE("theta of cycles and of Petersen's graph is proven") {
  check_proven(theta_of_cycle(5), solve_program(theta_of_cycle(5)), -std::sqrt(5.0));
  check_proven(theta_of_cycle(21), solve_program(theta_of_cycle(21)), -theta_of_odd_cycle(21));
  check_proven(theta_of_petersen(), solve_program(theta_of_petersen()), -4);
}

TEST_CASE("cuts and smallest eigenvalues are proven") {
  check_proven(cut_of_complete_graph(3), solve_program(cut_of_complete_graph(3)), -9.0 / 4);
  check_proven(cut_of_complete_graph(8), solve_program(cut_of_complete_graph(8)), -16);
  SemidefiniteProgram pair = smallest_eigenvalue_program((Matrix(2, 2) << 2, 1, 1, 2).finished());
  check_proven(pair, solve_program(pair), 1);
}

TEST_CASE("blocks and rows of all kinds have CSDP's optimum, with a proof where no row bounds a trace" * needs_csdp()) {
  std::vector<SemidefiniteProgram> programs = {mixed_program()};
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    programs.push_back(random_mixture(4 + 3 * static_cast<Index>(seed), kSeed + seed));
  for (const SemidefiniteProgram& program : programs) {
    CAPTURE(program.constraints.size());
    const Outcome reference = solve(Csdp(CsdpOptions()), bare(program), SemidefiniteSolution{});
    REQUIRE(reference.summary.termination == Termination::converged);
    check_proven(program, solve_program(program), reference.summary.objective);
  }
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

TEST_CASE("units do not matter") {
  SemidefiniteProgram scaled = theta_of_cycle(9);
  for (auto& e : scaled.cost) e.value *= 1e5;
  for (auto& e : scaled.constraints[0].entries) e.value *= 1e-3;
  const Outcome out = solve_program(scaled);  // <J, X> in other units, for tr X = 1000
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  CHECK(out.summary.objective == doctest::Approx(-1e8 * theta_of_odd_cycle(9)).epsilon(1e-5));
}

TEST_CASE("infeasible and unbounded programs are proven to be so, and leave the start") {
  const SemidefiniteProgram none = infeasible_program();
  Outcome out = solve_program(none);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::infeasible);
  CHECK(holds_all(out.summary.message, {"infeasible", "proves that no X meets them"}));
  CHECK_FALSE(out.summary.certificate);
  CHECK(solution_in(out.x).blocks.empty());
  REQUIRE(solution_in(out.x).ray);
  CHECK(prove_infeasible(none, solution_in(out.x).ray->multipliers).lower_bound.value_or(-1) > 0);
  const SemidefiniteProgram free = unbounded_program();
  out = solve_program(free);
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::unbounded);
  CHECK(holds_all(out.summary.message, {"unbounded", "Bound the trace"}));
  REQUIRE(solution_in(out.x).ray);
  const Matrix& ray = solution_in(out.x).ray->blocks.front().values;
  CHECK(inner_product(free.cost, {ray}) == doctest::Approx(-1));
  CHECK(std::abs(inner_product(free.constraints[0].entries, {ray})) <= 1e-6);
}

TEST_CASE("the same bits again, and with two threads") {
  const SemidefiniteProgram program = random_mixture(10, kSeed);
  const Outcome one = solve_program(program), two = solve_program(program, {}, {.threads = 2});
  CHECK(one.summary.message == two.summary.message);
  CHECK(solution_in(one.x).multipliers == solution_in(two.x).multipliers);
  for (std::size_t b = 0; b < program.blocks.size(); ++b)
    CHECK(solution_in(one.x).blocks[b].values == solution_in(two.x).blocks[b].values);
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
  AdmmOptions without;
  without.warm_start = false;
  CHECK(solve_program(near, without, {}, first.x).summary.counts.iterations == cold.summary.counts.iterations);
}

AdmmOptions not_accelerated() {
  AdmmOptions out;
  out.anderson_memory = 0;
  return out;
}

TEST_CASE("without acceleration the optimum is the same") {
  const SemidefiniteProgram program = theta_of_cycle(31);
  check_proven(program, solve_program(program, not_accelerated()), -theta_of_odd_cycle(31));
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
    const Outcome slow = solve_program(program, not_accelerated()), fast = solve_program(program);
    CAPTURE(slow.summary.counts.iterations);
    CAPTURE(fast.summary.counts.iterations);
    // 49 iterations against 350, with kernels of AVX-512, AVX2 and SSE2.
    CHECK(fast.summary.counts.iterations < slow.summary.counts.iterations);
  }
}

TEST_CASE("a stop is heard within the solve and leaves what was reached, with its bound") {
  const SemidefiniteProgram program = theta_of_cycle(31);
  Outcome out = solve_program(program, {}, {.stopped_before = true});
  CHECK(out.summary.termination == Termination::cancelled);
  CHECK(solution_in(out.x).blocks.empty());
  CHECK(out.summary.trace.size() == 1);
  Case how;
  ObserverOf stopper([&](const Solution& x, TraceRecord& record) {
    if (record.iteration == 7) how.stop.request_stop();
    if (record.iteration > 0) CHECK(dense_blocks(program, std::get<SemidefiniteSolution>(x).blocks).size() == 1);
  });
  how.observer = &stopper;
  out = solve_program(program, {}, how);
  CHECK(out.summary.termination == Termination::cancelled);
  CHECK(out.summary.counts.iterations == 7);
  CHECK(out.summary.trace.back().iteration == 7);
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->lower_bound <= -theta_of_odd_cycle(31));
  AdmmOptions few;
  few.max_iter = 3;
  out = solve_program(program, few);
  CHECK(out.summary.termination == Termination::max_iter);
  CHECK(out.summary.usable());
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
  CHECK(out.summary.violations.max == errors.largest_violation);
  CHECK(out.summary.violations.count == errors.violated_constraints);
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
  AdmmOptions options;
  options.tolerance = 1e-12;
  const Outcome out = solve_program(program, options);
  CAPTURE(out.summary.message);
  CHECK((out.summary.termination == Termination::stalled || out.summary.termination == Termination::reduced_accuracy));
  // Stalled at 2000 of 20000 iterations with kernels of AVX-512, AVX2 and SSE2.
  CHECK(out.summary.counts.iterations < options.max_iter);
  REQUIRE(out.summary.certificate);
}

TEST_CASE("programs without rows and programs that do not fit are refused") {
  CHECK_THROWS_AS(solve_program({{{"X", 2, false}}, {{0, 0, 0, 1}}, {}}), DataError);
  AdmmOptions little;
  little.memory_gb = 1e-6;
  CHECK_THROWS_AS(solve_program(theta_of_cycle(50), little), ConfigError);
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

TEST_CASE("Anderson acceleration solves a linear fixed point in as many steps as it has unknowns") {
  constexpr Index kSize = 5;
  Rng rng(kSeed);
  const Matrix g = gaussian_symmetric(kSize, rng);
  const Eigen::MatrixXd map = 0.9 / Eigen::MatrixXd(g).operatorNorm() * g;
  Vector offset(kSize);
  for (Index i = 0; i < kSize; ++i) offset[i] = rng.normal();
  Anderson anderson(8, kSize);
  Vector s = Vector::Zero(kSize);
  for (Index k = 0; k < kSize + 2; ++k) {
    const Vector image = map * s + offset;
    anderson.add(s, image);
    s = image;
  }
  Vector better = s;
  REQUIRE(anderson.extrapolate(better));
  CHECK((map * better + offset - better).norm() < 1e-4 * (map * s + offset - s).norm());
  anderson.forget();
  CHECK_FALSE(anderson.extrapolate(better));
}

}  // namespace
}  // namespace admm_test
