// Maximum variance unfolding: graphs, bounds and rows, and a chain whose unfolding is known.
#include "problems/semidefinite/unfolding_program.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "problems/core/error.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/distance_laws.hpp"
#include "tests/support/feature_makers.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/text_holds.hpp"

namespace unfolding_program_test {

using namespace alidade;
using namespace alidade::semidefinite;
using namespace alidade::testing;

namespace {

Problem make(const Matrix& points, std::initializer_list<std::pair<const char*, Value>> entries = {}) {
  return made("mvu", of_features(points), entries);
}

std::vector<NeighborPair> chain(Index n, double length) {
  std::vector<NeighborPair> out;
  for (Index i = 0; i + 1 < n; ++i)
    out.push_back({static_cast<ObjectId>(i), static_cast<ObjectId>(i + 1), length * length});
  return out;
}

/// Points at 0, l, 2 l, ... : squared distances from their centre, summed.
double line_variance(Index n, double length) {
  const auto count = static_cast<double>(n);
  return length * length * count * (count * count - 1) / 12;
}

}  // namespace

TEST_CASE("separation finds all violated neighbours, as equalities and as inequalities, on threads") {
  Rng rng(31);
  const Matrix points = gaussian_points(8, 7, rng);  // in fewer dimensions some distances imply others
  for (const bool equality : {true, false})
    for (const bool angles : {true, false})
      check_distance_program("mvu",
                             make(points, {{"neighbors", 3}, {"equality", equality}, {"angles", angles}})
                                 .face<SeparationFace>()
                                 .distance_program(),
                             rng);
}

TEST_CASE("a chain's bound is that of its unfolded line, which multipliers prove optimal") {
  Executor executor;
  for (const Index n : {2, 3, 8, 30}) {
    CAPTURE(n);
    const auto pairs = chain(n, 1.5);
    const double expected = line_variance(n, 1.5);
    const double bound = unfolding_bound(n, pairs, executor);
    {
      const Executor::Breakable breaks(executor, [] { return true; });
      CHECK(unfolding_bound(n, pairs, executor) >= bound * (1 - 1e-12));
    }
    CHECK(close(bound, expected, {1e-12, 0}));
    for (const bool equality : {true, false}) {
      // A looser T, so that T does not settle it.
      const UnfoldingProgram program(n, pairs, equality, 3 * bound);
      SemidefiniteSolution x;
      Matrix line(n, 1);
      for (Index i = 0; i < n; ++i) line(i, 0) = 1.5 * (static_cast<double>(i) - 0.5 * static_cast<double>(n - 1));
      x.blocks.push_back({true, line});
      CHECK(close(value_of(program, x), -expected, {1e-12, 0}));
      // The stress of the line: sum_k y_k over edges (i, i + 1) with y = (i + 1)(n - 1 - i) / 2.
      Vector y(n - 1);
      for (Index i = 0; i + 1 < n; ++i) y[i] = 0.5 * static_cast<double>((i + 1) * (n - 1 - i));
      const DistanceCertificate proof = certify(program, program.all_constraints(), y);
      CHECK(proof.lower_bound <= -expected + 1e-9);
      CHECK(close(proof.lower_bound, -expected, {1e-9, 0}));
      Rng rng(32);
      check_certificates("chain", program, -expected, rng);
    }
  }
}

TEST_CASE("the bound is that of shortest paths, and for more than 2000 objects not below it, on threads") {
  Executor executor(2);
  // A square of side 1: paths 1, 1, 2 from each corner.
  const std::vector<NeighborPair> square = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 3, 1}};
  CHECK(close(unfolding_bound(4, square, executor), (4 * 1 + 2 * 4) / 4.0, kSum));
  const Index n = 2500;
  const double bound = unfolding_bound(n, chain(n, 0.1), executor);
  CHECK(bound >= line_variance(n, 0.1));
  CHECK(bound < 1.05 * line_variance(n, 0.1));  // a landmark near the middle
}

TEST_CASE("points on an arc unfold: their neighbours give the program of a chain") {
  const Index n = 12;
  Matrix arc(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = std::numbers::pi * static_cast<double>(i) / static_cast<double>(n - 1);
    arc.row(i) << std::cos(angle), std::sin(angle);
  }
  // One neighbour each gives a graph in parts; two give the ends their second neighbours too.
  CHECK_THROWS_AS((void)make(arc, {{"neighbors", 12}}), DataError);
  const Problem problem = make(arc, {{"neighbors", 2}});
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  CHECK(program.row_count() == 13);
  CHECK(program.cost().trace_bound < line_variance(n, 2 * std::sin(std::numbers::pi / 22)));
}

TEST_CASE("shrinking makes any map satisfy inequalities, at the promised value") {
  Rng rng(33);
  Executor executor;
  const Problem problem = make(gaussian_points(9, 3, rng), {{"neighbors", 4}, {"equality", false}});
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  for (int trial = 0; trial < 10; ++trial) {
    SemidefiniteSolution x = random_solution(program, 2, rng);
    std::vector<ConstraintId> violated;
    const double worst = program.separate(SquaredDistances(program.cost(), x), 1, 0, violated, executor).max;
    const double value = distance_cost(program.cost(), x);
    const auto repaired = program.repaired_value(value, worst, program.cost().trace_bound);
    REQUIRE(repaired);
    x.blocks[0].values *= std::sqrt(*repaired / value);
    violated.clear();
    CHECK(program.separate(SquaredDistances(program.cost(), x), 1, 1e-12, violated, executor).count == 0);
    CHECK(close(distance_cost(program.cost(), x), *repaired, kSum));
  }
  const Problem equal = make(gaussian_points(9, 3, rng), {{"neighbors", 4}});
  CHECK_FALSE(equal.face<SeparationFace>().distance_program().repaired_value(-1, 1e-9, 1));
}

TEST_CASE("points near those that keep all distances are restored to such points") {
  Rng rng(34);
  Executor executor;
  const Matrix given = gaussian_points(30, 4, rng).cast<float>().cast<double>();
  const Problem problem = make(given, {{"neighbors", 2}, {"component", "largest"}});
  const DistanceProgram& program = problem.face<SeparationFace>().distance_program();
  const auto violation = [&](const SemidefiniteSolution& x) {
    std::vector<ConstraintId> violated;
    return program.separate(SquaredDistances(program.cost(), x), 1, 0, violated, executor).max;
  };
  REQUIRE(program.cost().object_count == 30);
  SemidefiniteSolution x;
  x.blocks.push_back({true, given});
  x.multipliers = Vector::Constant(static_cast<Index>(program.row_count()), 2);
  for (double& entry : x.blocks.front().values.reshaped()) entry += 1e-4 * rng.normal();
  REQUIRE(violation(x) > 1e-5);
  {
    const Executor::Breakable breaks(executor, [] { return true; });
    CHECK_THROWS_AS(static_cast<void>(program.restored(x, executor)), WorkStopped);
    SemidefiniteSolution kept = x;
    const DistanceJudgement judged = judge(program, kept, executor);
    CHECK(kept.blocks.front().values == x.blocks.front().values);
    CHECK(judged.violations.max == violation(x));
    CHECK(judged.lower_bound == doctest::Approx(-program.cost().trace_bound));  // which no map exceeds
    CHECK_FALSE(judged.upper_bound);
  }
  const auto restored = program.restored(x, executor);
  REQUIRE(restored);
  CHECK(violation(*restored) < 1e-11);
  CHECK(restored->multipliers == x.multipliers);
  CHECK((distance_cost(program.cost(), *restored) - distance_cost(program.cost(), x)) <
        1e-2 * std::abs(distance_cost(program.cost(), x)));
  for (double& entry : x.blocks.front().values.reshaped()) entry += 10 * rng.normal();
  CHECK_FALSE(program.restored(x, executor));
}

TEST_CASE("a disconnected graph is refused, or only its largest part is unfolded") {
  Rng rng(34);
  Matrix points = gaussian_points(12, 2, rng);
  points.topRows(5).array() += 1000;
  CHECK(holds_all(message_of<DataError>([&] {
                    return make(points, {{"neighbors", 3}});
                  }),
                  {"2 connected parts, the largest with 7 of 12 objects", "Raise neighbors"}));
  const Problem problem = make(points, {{"neighbors", 3}, {"component", "largest"}, {"equality", false}});
  REQUIRE(problem.notes().size() == 1);
  const Embedding map = problem.decode(problem.start(rng));
  REQUIRE(map.only().rows() == 12);
  CHECK(map.only().topRows(5).array().isNaN().all());
  CHECK(map.only().bottomRows(7).allFinite());
  CHECK(problem.face<SeparationFace>().distance_program().cost().object_count == 7);
}

TEST_CASE("repeated objects are noted, and identical features refused") {
  Rng rng(35);
  Matrix points = gaussian_points(10, 2, rng);
  points.row(3) = points.row(7);
  CHECK(make(points, {{"neighbors", 4}, {"equality", false}}).notes().size() == 1);
  CHECK_THROWS_AS((void)make(Matrix::Ones(6, 2), {{"neighbors", 4}}), DataError);
  Observations without;
  without.name = "nothing";
  CHECK_THROWS_AS((void)made("mvu", without), DataError);
}

}  // namespace unfolding_program_test
