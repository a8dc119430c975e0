// Trace bounds that rows imply, against programs whose traces are known, and the bounds that follow.
#include "problems/programs/trace_proof.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/approx.hpp"
#include "tests/support/semidefinite_programs.hpp"

namespace trace_proof_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// The least eigenvalue of C - A'(y) over dense blocks, and the least entry of diagonal ones.
double least_slack(const SemidefiniteProgram& program, const Vector& y) {
  double out = HUGE_VAL;
  const std::vector<Matrix> z = dual_slack(program, y);
  for (std::size_t b = 0; b < z.size(); ++b) out = std::min(out, least_eigenvalue(z[b], program.blocks[b].diagonal));
  return out;
}

TEST_CASE("fixed traces are found exactly") {
  const auto theta = trace_proof(theta_of_cycle(7));
  REQUIRE(theta);
  CHECK(theta->exact);
  CHECK(close(theta->bound, 1, {1e-9, 1e-9}));
  const auto cut = trace_proof(cut_of_complete_graph(6));
  REQUIRE(cut);
  CHECK(cut->exact);
  CHECK(close(cut->bound, 6, {1e-9, 1e-9}));
}

TEST_CASE("a trace is bounded by a combination that no single row shows") {
  // <R, X> = 1 and <R', X> = 1 with R + R' = 2 I + a little, neither of them positive.
  SemidefiniteProgram program{{{"X", 2, false}}, {{0, 0, 0, 1}}, {}};
  program.constraints.push_back({"", {{0, 0, 0, 3}, {0, 0, 1, 0.1}, {0, 1, 1, -1}}, Relation::equal, 1});
  program.constraints.push_back({"", {{0, 0, 0, -1}, {0, 1, 1, 3}}, Relation::equal, 1});
  const auto result = trace_proof(program);
  REQUIRE(result);
  CHECK_FALSE(result->exact);
  SemidefiniteProgram rows{program.blocks, {{0, 0, 0, -1}, {0, 1, 1, -1}}, program.constraints};
  CHECK(least_slack(rows, -result->multipliers) > -1e-9);  // A'(w) - I
  CHECK(result->bound > 0.9);
  CHECK(result->bound < 3);
}

TEST_CASE("traces that rows do not bound have no proof") {
  SemidefiniteProgram free{{{"X", 3, false}}, {{0, 0, 0, 1}}, {}};
  free.constraints.push_back({"", {{0, 0, 0, 1}, {0, 1, 1, 1}}, Relation::equal, 1});
  CHECK_FALSE(trace_proof(free));             // X(3, 3) is in no row
  CHECK_FALSE(trace_proof(mixed_program()));  // its numbers may grow
  SemidefiniteProgram floor = theta_of_cycle(5);
  floor.constraints[0].relation = Relation::at_least;  // tr X >= 1
  CHECK_FALSE(trace_proof(floor));
  SemidefiniteProgram ceiling = theta_of_cycle(5);
  ceiling.constraints[0].relation = Relation::at_most;
  CHECK(trace_proof(ceiling));
}

TEST_CASE("any multipliers are lifted to feasible ones, whose value is a bound") {
  Rng rng(17);
  for (const Index n : {5, 9}) {
    const SemidefiniteProgram program = theta_of_cycle(n);
    const auto trace = trace_proof(program);
    for (int repeat = 0; repeat < 20; ++repeat) {
      Vector y(static_cast<Index>(program.constraints.size()));
      for (Index r = 0; r < y.size(); ++r) y[r] = 3 * rng.normal();
      const auto bound = lifted_bound(program, y, trace);
      REQUIRE(bound);
      CHECK(bound->value <= -theta_of_odd_cycle(n) + 1e-9);
      CHECK(least_slack(program, bound->multipliers) >= 0);
      const auto again = lower_bound(program, bound->multipliers);
      REQUIRE(again);
      CHECK(close(*again, bound->value, {1e-12, 1e-12}));
      const auto other = lower_bound(program, y);  // the row of the trace alone implies it here
      REQUIRE(other);
      CHECK(close(bound->value, *other, {1e-8, 1e-8}));
    }
  }
  SemidefiniteProgram free{{{"X", 2, false}}, {{0, 0, 0, -1}}, {}};
  free.constraints.push_back({"", {{0, 0, 1, 1}}, Relation::equal, 1});
  CHECK_FALSE(lifted_bound(free, Vector::Zero(1), trace_proof(free)));
}

}  // namespace
}  // namespace trace_proof_test
