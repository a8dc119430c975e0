// The low-rank solver: reference optima, irregular graphs from many starts, other programs, and how it ends.
#include <doctest/doctest.h>

#include <cmath>

#include "problems/contract/problem_model.hpp"
#include "problems/faces/separation.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/psde_program.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/contradictory_answers.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/pair_sign_makers.hpp"
#include "tests/support/solve_case.hpp"

namespace low_rank_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

constexpr double kTolerance = 1e-6;

Problem psde_of(const SharedSigns& signs) {
  return {"psde", semidefinite::DistanceMap(
                      std::make_shared<const semidefinite::PsdeProgram>(signs, semidefinite::PsdeOptions{}), 2)};
}

Outcome low_rank(const Problem& problem, const Solution& start, const std::string& options = "", const Case& how = {}) {
  return solve(*solver_with("low_rank", options), problem, start, how);
}

Solution start_of(const Problem& problem, std::uint64_t seed) {
  Rng rng = Rng::stream(seed, "start");
  return problem.start(rng);
}

/// Converged with a gap and violations, in our own count, within the tolerance.
void check_proven(const Problem& problem, const Outcome& out) {
  CHECK(out.summary.termination == Termination::converged);
  REQUIRE(out.summary.certificate);
  const Certificate& certificate = *out.summary.certificate;
  CHECK(std::abs(certificate.gap) <= kTolerance * std::abs(out.summary.objective));
  const auto& x = std::get<SemidefiniteSolution>(out.x);
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  Executor executor;
  std::vector<ConstraintId> none;
  const SquaredDistances d2(program.cost(), x);
  const Violations violations = program.separate(d2, 1, 0, none, executor);
  const double mean = 2 * x.blocks.front().values.squaredNorm() / static_cast<double>(program.cost().order());
  if (program.slack_cost(d2) == 0) CHECK(violations.max <= 0.5 * kTolerance * mean * (1 + 1e-9));
  CHECK(x.rows.size() == static_cast<std::size_t>(x.multipliers.size()));
}

}  // namespace

TEST_CASE("every reference instance is solved to its optimum and proven, from any start") {
  for (const ReferenceInstance& instance : reference_instances())
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      CAPTURE(instance.name);
      CAPTURE(seed);
      const Problem problem = psde_of(instance.signs);
      const Outcome out = low_rank(problem, start_of(problem, seed));
      check_proven(problem, out);
      // Reference values are those of points feasible to 1e-9, given to ten digits.
      CHECK(out.summary.objective == doctest::Approx(instance.optimum).epsilon(1e-6));
    }
}

TEST_CASE("irregular graphs of neighbours are proven from ten starts") {
  for (const std::uint64_t points : {1, 2, 3}) {
    const Problem problem = psde_of(neighbor_signs(rectangle_points(150, points), 6, true));
    double first = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      CAPTURE(points);
      CAPTURE(seed);
      const Outcome out = low_rank(problem, start_of(problem, seed));
      check_proven(problem, out);
      if (seed == 0) first = out.summary.objective;
      CHECK(out.summary.objective == doctest::Approx(first).epsilon(2e-6));
    }
  }
}

TEST_CASE("neighbours in many dimensions need more columns than there are at first, and get them") {
  Rng rng(12);
  const Problem problem = psde_of(neighbor_signs(gaussian_points(150, 12, rng), 6, true));
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    CAPTURE(seed);
    const Outcome out = low_rank(problem, start_of(problem, seed));
    CAPTURE(out.summary.message);
    check_proven(problem, out);
    CHECK(std::get<SemidefiniteSolution>(out.x).blocks.front().values.cols() > 8);
  }
}

TEST_CASE("other programs over distances are solved and proven too") {
  Rng rng(9);
  Observations data = gaussian_observations(30, 2, rng);
  data.features = std::make_shared<const FeatureMatrix>(gaussian_points(30, 4, rng).cast<float>());
  data.pair_signs = neighbor_signs(data.truth, 4, true);
  for (const Problem& problem : {made("kpsde", data, "{ basis_size = 20, beta = 1e-3, gamma = 1e-4 }"),
                                 made("kpsde", data, "{ form = gram, beta = 1e-3, gamma = 1e-4 }"),
                                 made("psde", data, "{ single_radius = true }"), made("psde_triplets", data),
                                 made("gnmds_sdp", data), made("mvu", data, "{ neighbors = 5 }")}) {
    CAPTURE(problem.name());
    const Outcome out = low_rank(problem, start_of(problem, 1));
    CAPTURE(out.summary.message);
    check_proven(problem, out);
  }
}

/// The solve of a catalog's problem without a fallback, which must be proven; the map.
Matrix proven_map(const char* name, const char* options, const Observations& data) {
  CAPTURE(name);
  CAPTURE(options);
  const Problem problem = made(name, data, options);
  const Outcome out = low_rank(problem, start_of(problem, 1), "{ fallback = none }");
  CAPTURE(out.summary.message);
  check_proven(problem, out);
  return problem.decode(out.x).only();
}

TEST_CASE("contradictory answers are proven: rows that pay for slacks hide no others") {
  const Observations data = contradictory_answers(30, 4000);
  for (const char* options : {"{ lambda = 3 }", "{ lambda = 10 }"})
    CHECK(proven_map("gnmds_sdp", options, data).norm() > 0);
}

TEST_CASE("a map that costs more than nothing is no collapse where collapse has its price too") {
  const Observations data = contradictory_answers(15, 400);
  for (const char* options : {"{ margin = 0.1, beta = 3 }", "{ margin = 0.1, beta = 30 }", "{ margin = 1, beta = 30 }"})
    CHECK(proven_map("psde_triplets", options, data).norm() > 0);
}

TEST_SUITE("statistical") {
  TEST_CASE("a warm start has little left to do") {
    const Problem problem = psde_of(cylinder_signs(9, 5));
    const Outcome one = low_rank(problem, start_of(problem, 3));
    const Outcome warm = low_rank(problem, one.x);
    CHECK(warm.summary.termination == Termination::converged);
    CAPTURE(one.summary.counts.evaluations);
    CAPTURE(warm.summary.counts.evaluations);
    // 1 evaluation; half of the first solve's is 249, with kernels of AVX-512, AVX2 and SSE2.
    CHECK(warm.summary.counts.evaluations < one.summary.counts.evaluations / 2);
  }
}

TEST_CASE("a stop leaves a bound of the iteration before") {
  const Problem problem = psde_of(neighbor_signs(rectangle_points(300, 1), 6, true));
  Case how;
  ObserverOf stopper([&](const Solution&, TraceRecord& record) {
    if (record.iteration == 3) how.stop.request_stop();
  });
  how.observer = &stopper;
  const Outcome out = low_rank(problem, start_of(problem, 3), "", how);
  CHECK(out.summary.termination == Termination::cancelled);
  CHECK(out.summary.usable());
  CHECK(out.summary.counts.iterations == 3);
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->lower_bound < -0.0068);  // the optimum is -0.006807 or so
  // The bound is -0.00681 with kernels of AVX-512, AVX2 and SSE2.
  CHECK(out.summary.certificate->lower_bound > -0.01);
}

TEST_CASE("few rounds leave an answer that says how far it is proven") {
  const Problem problem = psde_of(cylinder_signs(18, 9));
  const Outcome out = low_rank(problem, start_of(problem, 1), "{ max_iter = 4, fallback = none }");
  CHECK((out.summary.termination == Termination::max_iter || out.summary.termination == Termination::reduced_accuracy));
  CHECK(out.summary.usable());
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->lower_bound <= -0.0124066088);
  REQUIRE(out.summary.certificate->upper_bound);
  CHECK(*out.summary.certificate->upper_bound >= -0.0124066090);
  CHECK(out.summary.message.find("raise max_iter") != std::string::npos);
}

TEST_CASE("where collapse is optimal it says so and puts all objects at one place") {
  Rng rng(9);
  Observations data = gaussian_observations(20, 2, rng);
  data.features = std::make_shared<const FeatureMatrix>(gaussian_points(20, 4, rng).cast<float>());
  data.pair_signs = neighbor_signs(data.truth, 4, true);
  const Problem problem = made("kpsde", data, "{ gamma = 1000 }");
  const Outcome out = low_rank(problem, start_of(problem, 1));
  CHECK(out.summary.termination == Termination::converged);
  CHECK(out.summary.objective == 0);
  CHECK(problem.decode(out.x).only().norm() == 0);
  CHECK(out.summary.message.find("all objects at one point") != std::string::npos);
}

TEST_CASE("what is not proven is handed to cutting planes, which go on from its rows") {
  const Problem problem = psde_of(cylinder_signs(9, 5));
  const Outcome out = low_rank(problem, start_of(problem, 1), "{ max_iter = 3 }");
  CHECK(out.summary.termination == Termination::converged);
  CHECK(out.summary.via == std::vector<std::string>{"cutting_plane"});
  CHECK(out.summary.objective == doctest::Approx(-0.0447313571).epsilon(1e-6));
  CHECK(out.summary.message.find("low_rank proved no optimum") != std::string::npos);
  REQUIRE(out.summary.trace.size() == static_cast<std::size_t>(out.summary.counts.iterations) + 1);
  for (std::size_t i = 1; i < out.summary.trace.size(); ++i)
    CHECK(out.summary.trace[i].iteration == static_cast<Index>(i));
}

TEST_CASE("similarity that runs in a circle leaves ties, whose value of 0 is proven") {
  const auto signs =
      std::make_shared<const PairSigns>(3, std::vector<ObjectPair>{{0, 1}, {1, 2}, {2, 0}},
                                        std::vector<ObjectPair>{{0, 2}, {1, 0}, {2, 1}}, PairSigns::Others::unknown);
  const Problem problem = psde_of(signs);
  const Outcome out = low_rank(problem, start_of(problem, 1));
  CAPTURE(out.summary.message);
  CHECK(out.summary.usable());
  CHECK(out.summary.termination != Termination::time_limit);
  CHECK(std::abs(out.summary.objective) <= 1e-6);
  REQUIRE(out.summary.certificate);
  CHECK(out.summary.certificate->lower_bound >= -1e-5);
}

}  // namespace low_rank_test
