// kpsde, gnmds_sdp, psde_triplets and mvu solved with all their rows by csdp: known optima, programs posed by hand,
// bounds on both sides that meet.
#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include "problems/contract/problem_model.hpp"
#include "problems/contract/sdp_problem.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "problems/programs/restricted_program.hpp"
#include "solvers/catalog.hpp"
#include "solvers/semidefinite/interior/csdp.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/pair_sign_makers.hpp"
#include "tests/support/solve_case.hpp"

namespace distance_problems_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

struct Solved {
  SemidefiniteSolution x;
  double value = 0;      // with slacks at their best
  double lower = 0;      // certified
  double upper = 0;      // repaired; infinity: none
  double violation = 0;  // of rows without slacks at any price
  SemidefiniteErrors errors;
  Summary summary;
};

Solved solve_all(const Problem& problem) {
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  const std::vector<ConstraintId> rows = program.all_constraints();
  const RestrictedProgram restricted = restricted_program(program, rows);
  const Outcome out =
      solve(Csdp(CsdpOptions{}), Problem("bare", SdpProblem(restricted.program)), SemidefiniteSolution{});
  const auto& result = std::get<SemidefiniteSolution>(out.x);
  Solved solved;
  solved.summary = out.summary;
  solved.errors = errors_of(restricted.program, result);
  solved.x = of_whole(program, restricted, result);
  const SquaredDistances d2(program.cost(), solved.x);
  solved.value = distance_cost(program.cost(), solved.x) + program.slack_cost(d2);
  solved.lower = certify(program, solved.x.rows, solved.x.multipliers).lower_bound;
  std::vector<ConstraintId> ignored;
  Executor executor;
  solved.violation = program.separate(d2, 1, 0, ignored, executor).max;
  const double trace = solved.x.blocks.front().dense().trace();
  solved.upper =
      program.repaired_value(solved.value, solved.violation, trace).value_or(std::numeric_limits<double>::infinity());
  return solved;
}

/// Solved, with both bounds within `relative` of the value.
void check_sandwich(const Problem& problem, double relative) {
  CAPTURE(problem.name());
  const Solved solved = solve_all(problem);
  CAPTURE(solved.summary.message);
  CHECK(solved.errors.worst() < 1e-7);
  CHECK(solved.lower <= solved.value + relative * std::abs(solved.value));
  CHECK(solved.lower > solved.value - relative * std::abs(solved.value));
  CHECK(solved.upper < solved.value + 10 * relative * std::abs(solved.value));
  CHECK(solved.upper >= solved.lower);
}

}  // namespace

TEST_CASE("an arc whose neighbours are those of a chain unfolds to a straight line") {
  constexpr Index kCount = 10;
  Matrix arc(kCount, 2);
  // Growing steps: the nearest of each but the first is the one before it.
  double angle = 0;
  Vector places(kCount);
  for (Index i = 0; i < kCount; ++i) {
    arc.row(i) << std::cos(angle), std::sin(angle);
    angle += 0.1 * (1 + 0.2 * static_cast<double>(i));
  }
  arc = arc.cast<float>().cast<double>();
  places[0] = 0;
  for (Index i = 1; i < kCount; ++i) places[i] = places[i - 1] + (arc.row(i) - arc.row(i - 1)).norm();
  const double variance = (places.array() - places.mean()).square().sum();
  for (const bool equality : {true, false}) {
    CAPTURE(equality);
    const Problem problem = made("mvu", of_features(arc), {{"neighbors", 1}, {"equality", equality}});
    REQUIRE(problem.face<SeparationFace>().distance_program().row_count() == kCount - 1);
    const Solved solved = solve_all(problem);
    CHECK(close(solved.value, -variance, {1e-6, 0}));
    CHECK(close(solved.lower, -variance, {1e-6, 0}));
    CHECK(solved.lower <= -variance * (1 - 1e-12));
    const Embedding map = problem.decode(solved.x);
    CHECK(map.estimates[0].second > 0.99999);  // of two axes
    const Vector line = map.only().col(0);
    for (Index i = 1; i < kCount; ++i)
      CHECK(std::abs(line[i] - line[i - 1]) == doctest::Approx(places[i] - places[i - 1]).epsilon(1e-3));
  }
}

TEST_CASE("a map without interior is proven to no more than its bounds, which hold the map of the data, on threads") {
  // Neighbours in the plane are in cliques of four, so that equalities leave no interior and multipliers have no limit.
  // On the face of these cliques small rings have one, and larger ones do not.
  Rng rng(71);
  for (const Index n : {60, 60, 110}) {
    CAPTURE(n);
    Matrix points(n, 2);
    for (auto row : points.rowwise()) {
      const double radius = std::sqrt(rng.uniform(0.25, 1)), angle = rng.uniform(0, 2 * std::numbers::pi);
      row << radius * std::cos(angle), radius * std::sin(angle);
    }
    points = points.cast<float>().cast<double>();
    const double known = -(points.rowwise() - points.colwise().mean()).squaredNorm();  // feasible
    const Problem problem = made("mvu", of_features(points), {{"component", "largest"}});
    if (problem.face<SeparationFace>().distance_program().cost().object_count < n) continue;
    for (const char* name : {"cutting_plane", "low_rank", "csdp"}) {
      CAPTURE(name);
      if (n > 60 && std::string(name) == "low_rank") continue;  // as cutting_plane, after a second
      const auto solver = solver_catalog().at(name).make({});
      const Outcome out = solve(*solver, problem, problem.start(rng));
      CAPTURE(out.summary.message);
      if (!out.summary.certificate) {
        CHECK(out.summary.termination != Termination::converged);
        continue;
      }
      const Certificate& certificate = *out.summary.certificate;
      CAPTURE(certificate.lower_bound);
      CAPTURE(certificate.gap);
      CHECK(certificate.lower_bound <= known + 1e-9 * std::abs(known));
      if (certificate.upper_bound) CHECK(*certificate.upper_bound >= certificate.lower_bound);
      if (out.summary.termination == Termination::converged) {
        CHECK(std::abs(certificate.gap) <= 1e-4 * std::abs(known));
        REQUIRE(certificate.proven_to());
        CHECK(*certificate.proven_to() <= 1e-4 * std::abs(known));
      } else if (out.summary.termination == Termination::reduced_accuracy && std::string(name) == "cutting_plane") {
        // Of the rounds that keep all distances, the one that is nearest to the bounds is returned.
        const DistanceCost& cost = problem.face<SeparationFace>().distance_program().cost();
        const double kept = 1e-6 * cost.trace_bound / static_cast<double>(cost.order());
        for (const TraceRecord& record : out.summary.trace) {
          const auto figure = [&](std::string_view of) {
            const auto place = std::ranges::find(record.metrics, of, &std::pair<std::string, double>::first);
            return place == record.metrics.end() ? std::numeric_limits<double>::infinity() : place->second;
          };
          if (figure("violation") > kept) continue;
          const double proven = std::abs(record.objective - certificate.lower_bound) + figure("price");
          CHECK(certificate.estimated_to() <= proven * (1 + 1e-9));
        }
      }
    }
  }
}

TEST_CASE("points of a plane with rigid neighbours unfold to themselves") {
  Rng rng(51);
  Matrix points = gaussian_points(9, 2, rng).cast<float>().cast<double>();
  points.rowwise() -= points.colwise().mean().eval();
  // All distances are kept.
  const Solved solved = solve_all(made("mvu", of_features(points), {{"neighbors", 8}}));
  CHECK(close(solved.value, -points.squaredNorm(), {1e-6, 0}));
  CHECK(solved.lower <= solved.value + 1e-6 * std::abs(solved.value));
}

TEST_CASE("a sheet that keeps the angles between neighbours is unfolded to a proven optimum, in space and in a plane") {
  // Neighbourhoods are cliques, so no feasible G is positive definite, and multipliers had no limit.
  Rng rng(55);
  for (const Index d : {2, 3}) {
    CAPTURE(d);
    Matrix sheet(60, d);
    for (auto row : sheet.rowwise()) {
      const double along = rng.uniform(0, 3);
      if (d == 3)
        row << std::cos(along), std::sin(along), rng.uniform(0, 2);
      else
        row << along, rng.uniform(0, 2);
    }
    sheet = sheet.cast<float>().cast<double>();
    const Problem problem =
        made("mvu", of_features(sheet), {{"neighbors", 5}, {"angles", true}, {"component", "largest"}});
    REQUIRE(problem.face<SeparationFace>().distance_program().cost().object_count == 60);
    const double known = -(sheet.rowwise() - sheet.colwise().mean()).squaredNorm();
    for (const char* name : {"cutting_plane", "low_rank", "csdp"}) {
      CAPTURE(name);
      const Outcome out = solve(*solver_catalog().at(name).make({}), problem, problem.start(rng));
      CAPTURE(out.summary.message);
      CHECK(out.summary.termination == Termination::converged);
      REQUIRE(out.summary.certificate);
      CHECK(out.summary.certificate->lower_bound <= known + 1e-9 * std::abs(known));
      REQUIRE(out.summary.certificate->proven_to());
      CHECK(*out.summary.certificate->proven_to() <= 1e-6 * std::abs(out.summary.objective));
    }
  }
}

TEST_CASE("no bound of unfolding excludes the data, however badly they lie") {
  // What makes clusters doubtful: nearly straight strips, nearly flat slabs, grids, repeats, two scales, far from 0.
  Rng rng(56);
  const auto uniform = [&](Index n, Index d) {
    Matrix out(n, d);
    for (double& entry : out.reshaped()) entry = rng.uniform(0, 1);
    return out;
  };
  std::vector<std::pair<std::string, Matrix>> kinds;
  for (const double thin : {1e-2, 1e-4, 1e-6, 1e-7}) {
    Matrix strip = uniform(40, 2), slab = uniform(40, 3);
    strip.col(1) *= thin;
    slab.col(2) *= thin;
    kinds.emplace_back("strip of " + std::to_string(thin), strip);
    kinds.emplace_back("slab of " + std::to_string(thin), slab);
  }
  Matrix grid(36, 2);
  for (Index i = 0; i < 36; ++i) grid.row(i) << static_cast<double>(i % 6), static_cast<double>(i / 6);
  kinds.emplace_back("grid", grid);
  Matrix repeated = uniform(40, 2);
  repeated.bottomRows(8) = repeated.topRows(8);
  kinds.emplace_back("repeats", repeated);
  Matrix scales = uniform(40, 2);
  scales.topRows(20) *= 1e-4;
  kinds.emplace_back("scales", scales);
  kinds.emplace_back("far", Matrix(uniform(40, 2).array() + 1000));
  Matrix circle(30, 2);
  for (Index i = 0; i < 30; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / 30;
    circle.row(i) << std::cos(angle), std::sin(angle);
  }
  kinds.emplace_back("circle", circle);
  for (auto& [kind, points] : kinds)
    for (const bool angles : {false, true}) {
      CAPTURE(kind);
      CAPTURE(angles);
      points = points.cast<float>().cast<double>();
      std::optional<Problem> problem;
      try {
        problem = made("mvu", of_features(points), {{"neighbors", 5}, {"angles", angles}});
      } catch (const DataError&) {  // in parts
        continue;
      }
      const double known = -(points.rowwise() - points.colwise().mean()).squaredNorm();
      for (const char* name : {"interior_point", "cutting_plane", "low_rank", "csdp"}) {
        CAPTURE(name);
        const Outcome out = solve(*solver_catalog().at(name).make({}), *problem, problem->start(rng));
        CAPTURE(out.summary.message);
        if (!out.summary.certificate) {
          CHECK(out.summary.termination != Termination::converged);
          continue;
        }
        CHECK(out.summary.certificate->lower_bound <= known + 1e-9 * std::abs(known));
        if (out.summary.termination != Termination::converged) continue;
        // Where the data's own rounding leaves no point that meets all distances, nothing is proven of the objective.
        CHECK(out.summary.certificate->proven_to().value_or(0) <= 1e-4 * std::abs(out.summary.objective));
        CHECK(out.summary.certificate->estimated_to() <= 1e-4 * std::abs(out.summary.objective));
      }
    }
}

TEST_CASE("neighbours that only come no farther have bounds on both sides") {
  Rng rng(52);
  check_sandwich(made("mvu", of_features(gaussian_points(14, 3, rng)), {{"neighbors", 4}, {"equality", false}}), 1e-5);
}

TEST_CASE("gnmds_sdp is the program of hinges posed by hand") {
  Rng rng(53);
  constexpr Index kCount = 7;
  const auto triplets =
      std::make_shared<TripletList>(weighted(triplets_of(gaussian_points(kCount, 2, rng), 40, 0.15, rng), rng));
  const double lambda = 0.5;
  const auto size = static_cast<Index>(triplets->size());
  SemidefiniteProgram posed{{{"G", kCount, false}, {"xi", size, true}}, {}, {}};
  for (Index i = 0; i < kCount; ++i) posed.cost.push_back({0, i, i, lambda});
  for (Index k = 0; k < size; ++k) {
    const Triplet t = triplets->at(static_cast<std::uint64_t>(k));
    const auto a = static_cast<Index>(t.anchor), j = static_cast<Index>(t.near), l = static_cast<Index>(t.far);
    posed.cost.push_back({1, k, k, t.weight});
    // d2(a, j) - d2(a, l) + 1 <= xi; g_aa cancels.
    posed.constraints.push_back({"",
                                 {{0, j, j, 1},
                                  {0, std::min(a, j), std::max(a, j), -1},
                                  {0, l, l, -1},
                                  {0, std::min(a, l), std::max(a, l), 1},
                                  {1, k, k, -1}},
                                 Relation::at_most,
                                 -1});
  }
  const Outcome by_hand = solve(Csdp(CsdpOptions{}), Problem("bare", SdpProblem(posed)), SemidefiniteSolution{});
  REQUIRE(errors_of(posed, std::get<SemidefiniteSolution>(by_hand.x)).worst() < 1e-6);

  Observations answers = observations_of(triplets);
  answers.weight_unit = 1;  // as they are
  const Problem problem = made("gnmds_sdp", answers, {{"lambda", lambda}});
  const Solved solved = solve_all(problem);
  CHECK(close(solved.value, by_hand.summary.objective, {1e-6, 1e-6}));
  check_sandwich(problem, 1e-5);
  CHECK(solved.upper == solved.value);
  // A maps's trace stays below the bound that G = 0 gives.
  CHECK(solved.x.blocks.front().dense().trace() < problem.face<SeparationFace>().distance_program().cost().trace_bound);
}

TEST_CASE("psde_triplets: bounds that meet, no triplet violated, and 0 for a contradiction") {
  Rng rng(54);
  const Matrix points = gaussian_points(10, 2, rng);
  const auto exact = std::make_shared<TripletList>(triplets_of(points, 120, 0, rng));
  const Problem hard = made("psde_triplets", observations_of(exact));
  check_sandwich(hard, 1e-5);
  const Solved solved = solve_all(hard);
  CHECK(solved.violation < 1e-6);
  CHECK(solved.value < 0);
  CHECK(solved.x.blocks.front().dense().trace() == doctest::Approx(1));

  const auto noisy = std::make_shared<TripletList>(triplets_of(points, 120, 0.2, rng));
  check_sandwich(made("psde_triplets", observations_of(noisy), {{"beta", 2.0}, {"margin", 0.2}}), 1e-5);

  auto circle = std::make_shared<TripletList>(3);
  circle->add({0, 1, 2});
  circle->add({1, 2, 0});
  circle->add({2, 0, 1});
  const Solved nothing = solve_all(made("psde_triplets", observations_of(circle)));
  CHECK(std::abs(nothing.value) < 1e-6);
  CHECK(nothing.lower > -1e-6);
}

TEST_CASE("kpsde: bounds that meet, and sparse rows on all objects end where dense ones do") {
  Rng rng(55);
  constexpr Index kCount = 14;
  Observations data = of_features(gaussian_points(kCount, 5, rng));
  data.pair_signs = neighbor_signs(data.features->cast<double>(), 3, true);
  for (const double gamma : {0.0, 1e-4}) {
    CAPTURE(gamma);
    const Problem based = made("kpsde", data, {{"gamma", gamma}, {"beta", 0.003}});
    const Problem gram = made("kpsde", data, {{"gamma", gamma}, {"beta", 0.003}, {"form", "gram"}});
    check_sandwich(based, 1e-5);
    check_sandwich(gram, 1e-5);
    const Solved a = solve_all(based), b = solve_all(gram);
    CHECK(close(a.value, b.value, {1e-6, 0}));
    CHECK(a.value < 0);
    const Embedding map = based.decode(a.x);
    // Axes that the solution does not need are roots of eigenvalues that rounding left.
    CHECK((map.projector->project(*data.features) - map.only()).cwiseAbs().maxCoeff() < 1e-7);
  }
  check_sandwich(made("kpsde", data, {{"basis_size", 6}, {"kernel", "polynomial"}, {"beta", 0.003}}), 1e-5);
  check_sandwich(made("kpsde", data, {{"basis_size", 6}, {"single_radius", true}, {"beta", 0.001}}), 1e-5);
}

TEST_CASE("where all objects falling together is noticed before solving, solving ends there") {
  Rng rng(56);
  Observations data = of_features(gaussian_points(12, 4, rng));
  data.pair_signs = neighbor_signs(data.features->cast<double>(), 3, true);
  const Problem problem = made("kpsde", data, {{"gamma", 10.0}});
  REQUIRE(problem.notes().size() == 1);
  const Solved solved = solve_all(problem);
  CHECK(std::abs(solved.value) < 1e-6);
  CHECK(solved.lower > -1e-6);
}

}  // namespace distance_problems_test
