// Semidefinite programs without more, their solutions, and what a proven optimum must satisfy, for tests of solvers.
// The bound is proven again from what the solver leaves.
// Needs doctest.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/solve_case.hpp"

namespace alidade::testing {

[[nodiscard]] inline Problem bare(SemidefiniteProgram program) {
  return Problem("bare", SdpProblem(std::move(program)));
}
[[nodiscard]] inline const SemidefiniteSolution& solution_in(const Solution& x) {
  return std::get<SemidefiniteSolution>(x);
}

/// Converged at this optimum with DIMACS errors, and a proven gap relative to 1 + |objective|, of at most `tolerance`.
inline void check_proven(const SemidefiniteProgram& program, const Outcome& out, double optimum,
                         double tolerance = 1e-6) {
  CAPTURE(out.summary.message);
  CHECK(out.summary.termination == Termination::converged);
  CHECK(close(out.summary.objective, optimum, {3 * tolerance, 3 * tolerance}));
  REQUIRE(out.summary.certificate);
  const double bound = out.summary.certificate->lower_bound;
  CHECK(bound <= optimum + 1e-7 * (1 + std::abs(optimum)));
  CHECK(std::abs(out.summary.objective - bound) <= tolerance * (1 + std::abs(out.summary.objective)));
  CHECK(errors_of(program, solution_in(out.x)).worst() <= tolerance);
  // What is left in x is what proves the bound; eigenvalues are computed in another order, and a proof of its own is
  // moved again.
  const auto& [x, own] = std::pair(solution_in(out.x), solution_in(out.x).proof.size() > 0);
  const auto again = lower_bound(program, own ? x.proof : x.multipliers);
  REQUIRE(again);
  CHECK(close(*again, bound, own ? Tolerance{1e-9, 1e-9} : Tolerance{1e-12, 1e-12}));
}

}  // namespace alidade::testing
