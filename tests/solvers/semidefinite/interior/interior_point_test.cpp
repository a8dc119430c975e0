// Unfolding by interior points: proven for all G that keep the distances, not on their face alone; other programs.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "problems/catalog.hpp"
#include "problems/core/run_clock.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/honest_certificate.hpp"
#include "tests/support/needs_csdp.hpp"
#include "tests/support/pair_sign_makers.hpp"
#include "tests/support/solve_case.hpp"

namespace interior_point_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// 0: an S curve in space, 1: a ring in the plane, 2: a square, 3: a cloud in five dimensions.
Matrix points_of_kind(int kind, Index n, Rng& rng) {
  Matrix out(n, kind == 0 ? 3 : kind == 3 ? 5 : 2);
  for (auto row : out.rowwise()) {
    const double t = 3 * std::numbers::pi * (rng.uniform(0, 1) - 0.5), radius = std::sqrt(rng.uniform(0.25, 1));
    if (kind == 0)
      row << std::sin(t), rng.uniform(0, 2), std::copysign(1, t) * (std::cos(t) - 1);
    else if (kind == 1)
      row << radius * std::cos(2 * t), radius * std::sin(2 * t);
    else
      for (double& x : row) x = kind == 2 ? rng.uniform(0, 1) : rng.normal();
  }
  return out.cast<float>().cast<double>();
}

Problem unfolding(const Matrix& points, bool equality) {
  ValueTable options;
  options.set("equality", equality);
  options.set("component", "largest");
  return problem_catalog().at("mvu").make(of_features(points), options);
}
Outcome solved(const Problem& problem, const char* solver = "interior_point", const Case& how = {}) {
  Rng rng(1);
  return solve(*solver_catalog().at(solver).make({}), problem, problem.start(rng), how);
}

TEST_CASE("sheets, rings and clouds are unfolded, and nearly all are proven to a millionth") {
  Rng rng(12);
  int proven = 0, tried = 0;
  for (int draw = 0; draw < 3; ++draw)
    for (int kind = 0; kind < 4; ++kind) {
      CAPTURE(draw);
      CAPTURE(kind);
      const Outcome out = solved(unfolding(points_of_kind(kind, 40, rng), true));
      check_honest(out);
      ++tried;
      proven += out.summary.termination == Termination::converged && out.summary.certificate->proven_to() &&
                *out.summary.certificate->proven_to() <= 1e-6 * std::abs(out.summary.objective);
    }
  CAPTURE(tried);
  CHECK(proven >= 10);  // 11 of 12
}

TEST_CASE("on the face of a stress, no multipliers have a bound that excludes the data") {
  Rng rng(13);
  for (int draw = 0; draw < 6; ++draw) {
    CAPTURE(draw);
    const Matrix points = points_of_kind(draw % 3, 40, rng);
    const Problem problem = unfolding(points, true);
    const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
    if (program.cost().object_count < points.rows()) continue;
    const double known = -(points.rowwise() - points.colwise().mean()).squaredNorm();
    const Outcome out = solved(problem);
    SemidefiniteSolution x = std::get<SemidefiniteSolution>(out.x);
    for (const double noise : {0.0, 1e-6, 1e-3, 1.0}) {
      Vector y = x.multipliers, low = noise * y;
      for (double& multiplier : y) multiplier *= 1 + noise * rng.normal();
      for (double& part : low) part *= rng.normal();
      for (const Vector& rest : {Vector(), low})
        CHECK(certify(program, x.rows, y, rest).lower_bound <= known * (1 - 1e-12) + 1e-9);
    }
  }
}

TEST_CASE("where neighbours only come no farther, it ends where all rows by csdp do" * needs_csdp()) {
  Rng rng(14);
  for (int kind = 0; kind < 4; ++kind) {
    CAPTURE(kind);
    const Problem problem = unfolding(points_of_kind(kind, 24, rng), false);
    const Outcome out = solved(problem), other = solved(problem, "csdp");
    check_honest(out, other.summary.objective, 1e-6);
    CHECK(out.summary.termination == Termination::converged);
    CHECK(out.summary.objective == doctest::Approx(other.summary.objective).epsilon(1e-6));
  }
}

TEST_CASE("programs of another form, and large ones, go to another solver, which the message names") {
  Rng rng(15);
  const Problem problem = unfolding(points_of_kind(2, 24, rng), false);
  const Outcome out = solve(*solver_with("interior_point", "{ most_rows = 10 }"), problem, problem.start(rng));
  CHECK(out.summary.termination == Termination::converged);
  CHECK(out.summary.message.starts_with("by low_rank: "));
}

TEST_CASE("before a time limit, time is left to prove what was reached") {
  Rng rng(17);
  const Problem problem = unfolding(points_of_kind(0, 40, rng), true);
  RunClock::ByHand clock;
  ObserverOf slow([&](const Solution&, TraceRecord&) { clock.advance(std::chrono::seconds(3)); });
  Case how;
  how.time_limit = std::chrono::seconds(10);
  how.observer = &slow;
  const Outcome out = solved(problem, "interior_point", how);
  CHECK(out.summary.termination == Termination::time_limit);
  CHECK(out.summary.counts.iterations == 3);  // the fourth would begin after 9 s, with the start, and take 3
  REQUIRE(out.summary.certificate);
  check_honest(out);
}

TEST_CASE("a stop leaves the start, or an iterate with its bound") {
  Rng rng(16);
  const Problem problem = unfolding(points_of_kind(0, 40, rng), false);
  CHECK(solved(problem, "interior_point", {.stopped_before = true}).summary.termination == Termination::cancelled);
  Case how;
  ObserverOf stopper([&](const Solution&, TraceRecord& record) {
    if (record.iteration == 3) how.stop.request_stop();
  });
  how.observer = &stopper;
  const Outcome out = solved(problem, "interior_point", how);
  CHECK(out.summary.termination == Termination::cancelled);
  CHECK(out.summary.usable());
  CHECK(out.summary.counts.iterations >= 3);
  CHECK(out.summary.counts.iterations <= 5);
  REQUIRE(out.summary.certificate);
  check_honest(out);
}

}  // namespace
}  // namespace interior_point_test
