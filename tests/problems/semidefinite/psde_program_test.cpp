#include "problems/semidefinite/psde_program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/catalog_problem.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/pair_sign_makers.hpp"

namespace psde_program_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using semidefinite::PsdeOptions;
using semidefinite::PsdeProgram;

constexpr std::uint64_t kSeed = 20240611;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whole numbers, so that many distances tie.
Matrix lattice_points(Index n, Rng& rng) {
  Matrix out(n, 2);
  for (double& x : out.reshaped()) x = static_cast<double>(rng.below(4));
  return out;
}

struct Separated {
  Violations violations;
  std::vector<ConstraintId> rows;
};

Separated separated(const DistanceProgram& program, const Matrix& points, Index budget, double tolerance,
                    int threads = 1) {
  Executor executor(threads);
  Separated out;
  out.violations = program.separate(SquaredDistances(points), budget, tolerance, out.rows, executor);
  return out;
}

/// Of all rows, one by one, with each radius in the middle of what its rows ask.
Separated by_brute_force(const PsdeProgram& program, const Matrix& points, Index budget, double tolerance) {
  const SquaredDistances d2(points);
  const auto n = static_cast<ConstraintId>(points.rows());
  std::map<Index, std::pair<double, double>> limits;  // radius -> farthest similar, nearest other
  const auto distance = [&](ConstraintId id) { return d2(static_cast<Index>(id / n), static_cast<Index>(id % n)); };
  const auto rows = program.all_constraints();
  for (const ConstraintId id : rows) {
    const DistanceConstraint row = program.row(id);
    auto& [far, near] = limits.try_emplace(row.radius, -kInfinity, kInfinity).first->second;
    if (row.radius_coefficient < 0)
      far = std::max(far, distance(id));
    else
      near = std::min(near, distance(id));
  }
  Separated out;
  std::map<std::pair<ConstraintId, int>, std::vector<std::pair<double, ConstraintId>>> worst;
  for (const ConstraintId id : rows) {
    const DistanceConstraint row = program.row(id);
    const auto& [far, near] = limits.at(row.radius);
    if (!(far > near)) continue;
    const double b = 0.5 * (far + near), sign = -row.radius_coefficient;
    const double violation = sign * (distance(id) - b);
    if (far - b > tolerance) {
      if (violation > tolerance) {
        ++out.violations.count;
        out.violations.sum += violation;
      }
      // What no choice of b between the two extremes satisfies together with the extreme of the other side.
      const double conflict = sign * (distance(id) - (sign > 0 ? near : far));
      if (conflict > tolerance) worst[{id / n, sign > 0 ? 0 : 1}].emplace_back(-conflict, id);
    }
    out.violations.max = std::max(out.violations.max, violation);
  }
  for (auto& [side, list] : worst) {
    std::ranges::sort(list);
    for (std::size_t k = 0; k < std::min(list.size(), static_cast<std::size_t>(budget)); ++k)
      out.rows.push_back(list[k].second);
  }
  return out;
}

TEST_CASE("separation agrees with brute force: signs of all kinds, ties, budgets, one radius, on threads") {
  Rng rng(kSeed);
  int violated = 0, many = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = 3 + static_cast<Index>(rng.below(6));
    const double similar = 0.1 + 0.5 * rng.uniform01();
    const SharedSigns signs = random_signs(n, similar, trial % 3 == 0 ? 0.3 : 0, rng);
    const bool single = trial % 4 == 0;
    CAPTURE(trial);
    CAPTURE(n);
    CAPTURE(single);
    std::optional<PsdeProgram> program;
    try {
      program.emplace(signs, PsdeOptions{true, single, 1});
    } catch (const DataError&) {
      continue;  // all similar, none similar, or nothing compared
    }
    const Matrix points = trial % 2 ? gaussian_points(n, 2, rng) : lattice_points(n, rng);
    for (const Index budget : {1, 2, 100})
      for (const double tolerance : {0.0, 0.3}) {
        CAPTURE(budget);
        CAPTURE(tolerance);
        const Separated expected = by_brute_force(*program, points, budget, tolerance);
        const Separated by_oracle = separated(*program, points, budget, tolerance);
        CHECK(by_oracle.violations.count == expected.violations.count);
        CHECK(close(by_oracle.violations.max, expected.violations.max, {1e-12, 1e-12}));
        CHECK(close(by_oracle.violations.sum, expected.violations.sum, {1e-12, 1e-12}));
        CHECK(by_oracle.rows == expected.rows);
        CHECK(separated(*program, points, budget, tolerance, 2).rows == by_oracle.rows);
        violated += !by_oracle.rows.empty();
        many += by_oracle.rows.size() > 4;
      }
  }
  CHECK(violated > 300);
  CHECK(many > 100);
}

TEST_CASE("a Gram matrix, a factor and coordinates give the same constraints") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(9, 3, rng);
  const SquaredDistances plain(points);
  DistanceCost cost;
  cost.object_count = 9;
  const SquaredDistances factored(cost, {{{true, points}}});
  const SquaredDistances dense(cost, {{{false, points * points.transpose()}}});
  std::vector<double> row(9);
  double sum = 0;
  for (Index i = 0; i < 9; ++i) {
    dense.from(i, row);
    for (Index j = 0; j < 9; ++j) {
      const double d2 = (points.row(i) - points.row(j)).squaredNorm();
      CHECK(close(plain(i, j), d2, {1e-12, 1e-12}));
      CHECK(close(factored(i, j), d2, {1e-12, 1e-12}));
      CHECK(close(dense(i, j), d2, {1e-12, 1e-12}));
      CHECK(row[static_cast<std::size_t>(j)] == dense(i, j));
      if (i < j) sum += d2;
    }
  }
  for (const SquaredDistances* d2 : {&plain, &factored, &dense}) CHECK(close(d2->sum(), sum, kSum));
  // With a basis, M is small: G = Q M Q'.
  const Eigen::MatrixXd centred = (points.rowwise() - points.colwise().mean()).leftCols(2);
  cost.basis = orthonormal_columns(centred);
  const Matrix u = gaussian_points(2, 2, rng);
  const SquaredDistances based(Matrix(cost.basis * u));
  const SquaredDistances based_factor(cost, {{{true, u}}});
  const SquaredDistances based_dense(cost, {{{false, u * u.transpose()}}});
  CHECK(close(based_factor(2, 5), based(2, 5), {1e-12, 1e-12}));
  CHECK(close(based_dense(2, 5), based(2, 5), {1e-12, 1e-12}));
  CHECK_THROWS_AS(SquaredDistances(cost, SemidefiniteSolution{}), DataError);
}

TEST_CASE("the cost is the sum over signed pairs, in either form of the solution") {
  Rng rng(kSeed);
  for (const double unknown : {0.0, 0.4}) {
    const SharedSigns signs = random_signs(8, 0.3, unknown, rng);
    for (const bool weighted : {true, false}) {
      const PsdeProgram program(signs, PsdeOptions{weighted, false, 2.5});
      const Matrix points = gaussian_points(8, 3, rng);
      double expected = 0;
      for (Index i = 0; i < 8; ++i)
        for (Index j = 0; j < 8; ++j) {
          const double s = signs->sign(i, j);
          const auto count = s > 0 ? signs->similar_count() : signs->dissimilar_count();
          if (s != 0)
            expected += s * (points.row(i) - points.row(j)).squaredNorm() / (weighted ? static_cast<double>(count) : 1);
        }
      CHECK(close(distance_cost(program.cost(), {{{true, points}}}), expected, {1e-12, 1e-12}));
      CHECK(close(distance_cost(program.cost(), {{{false, points * points.transpose()}}}), expected, {1e-12, 1e-12}));
      CHECK(program.cost().trace_bound == 2.5);
    }
  }
}

TEST_CASE("rows: every signed pair of an object that has both kinds, and names that say which") {
  const PsdeProgram program(signs_of(4, {{0, 1}, {1, 0}, {2, 0}, {2, 1}, {2, 3}}), {});
  // Object 2 has no dissimilar one and 3 no similar one: their rows would not bind.
  CHECK(program.all_constraints() == std::vector<ConstraintId>{1, 2, 3, 4, 6, 7});
  CHECK(program.row_count() == 6);
  CHECK(program.constraint_name(1) == "similarity of 0 and 1");
  CHECK(program.constraint_name(7) == "dissimilarity of 1 and 3");
  const DistanceConstraint row = program.row(7);
  CHECK(row.term_count == 1);
  CHECK(row.terms[0].coefficient == -1);
  CHECK(row.radius == 1);
  CHECK(row.radius_coefficient == 1);
  const PsdeProgram single(signs_of(4, {{0, 1}, {2, 0}, {2, 1}, {2, 3}}), PsdeOptions{true, true, 1});
  CHECK(single.row_count() == 12);
  CHECK(single.all_constraints().size() == 12);
  CHECK(single.row(13).radius == 0);
}

TEST_CASE("first rows: as many as asked of each object and side, similar to similar ones first") {
  Rng rng(kSeed);
  const SharedSigns signs = cylinder_signs(9, 5);
  const PsdeProgram program(signs, {});
  for (const Index per_side : {1, 3}) {
    const auto rows = program.first_constraints(per_side, rng);
    CHECK(std::ranges::is_sorted(rows));
    CHECK(std::ranges::adjacent_find(rows) == rows.end());
    CHECK(std::ssize(rows) == 45 * 2 * per_side);
    for (const ConstraintId id : rows) {
      const auto i = static_cast<Index>(id / 45), j = static_cast<Index>(id % 45);
      if (signs->sign(i, j) > 0) continue;
      CHECK(std::ranges::any_of(signs->similar(i),
                                [&](ObjectId k) { return signs->sign(static_cast<Index>(k), j) > 0; }));
    }
  }
  Rng again(kSeed), other(kSeed + 1);
  const auto rows = program.first_constraints(1, again);
  Rng repeated(kSeed);
  CHECK(rows == program.first_constraints(1, repeated));
  CHECK(rows != program.first_constraints(1, other));
}

TEST_CASE("signs without information are refused, with what to do") {
  const auto message_for = [](const SharedSigns& signs, const PsdeOptions& options = {}) {
    return message_of<DataError>([&] { return PsdeProgram(signs, options); });
  };
  CHECK(message_for(signs_of(3, {})).find("No pair is similar") == 0);
  CHECK(message_for(signs_of(2, {{0, 1}, {1, 0}})).find("No pair is dissimilar") == 0);
  // 0 and 1 see only each other, 2 nobody: rows on one side only.
  const auto apart = std::make_shared<const PairSigns>(3, std::vector<ObjectPair>{{0, 1}, {1, 0}},
                                                       std::vector<ObjectPair>{{2, 0}}, PairSigns::Others::unknown);
  CHECK(message_for(apart).find("single_radius") != std::string::npos);
  CHECK(message_for(apart, PsdeOptions{true, true, 1}) == "(no error)");
  const Observations none = observations_of(std::make_shared<TripletList>(3));
  CHECK_THROWS_AS(static_cast<void>(made("psde", none)), DataError);
}

TEST_CASE("a repaired value is that of a feasible point, constructed here") {
  Rng rng(kSeed);
  const auto check = [&](const SharedSigns& signs, bool single) {
    const Index n = signs->object_count();
    const PsdeProgram program(signs, PsdeOptions{true, single, 1.7});
    REQUIRE(program.has_interior());
    const double unit = 1.7 / static_cast<double>(n);
    const auto repaired = [&](double value, double violation) { return program.repaired_value(value, violation, 1.7); };
    // Far out the repaired point is the interior one, whatever there was before.
    REQUIRE(repaired(-1, 1e12));
    for (int trial = 0; trial < 20; ++trial) {
      Matrix points = gaussian_points(n, 3, rng);
      points.rowwise() -= points.colwise().mean().eval();
      points *= std::sqrt(1.7) / points.norm();
      const Separated by_oracle = separated(program, points, 1, 0);
      const double value = distance_cost(program.cost(), {{{true, points}}});
      const auto upper = repaired(value, by_oracle.violations.max);
      REQUIRE(upper);
      if (by_oracle.violations.max == 0) CHECK(*upper == std::min(0.0, value));
      if (!signs->symmetric()) continue;
      // Of symmetric signs the interior point is I + c A.
      Index degree = 0;
      for (Index i = 0; i < n; ++i) degree = std::max(degree, static_cast<Index>(signs->similar(i).size()));
      const double c = 1 / static_cast<double>(degree), room = c * unit;
      const double mix = by_oracle.violations.max / (by_oracle.violations.max + room);
      Matrix interior = Matrix::Identity(n, n) * unit;
      for (Index i = 0; i < n; ++i)
        for (const ObjectId j : signs->similar(i)) interior(i, static_cast<Index>(j)) = c * unit;
      const Matrix mixed = (1 - mix) * points * points.transpose() + mix * interior;
      const SemidefiniteSolution x{{{false, mixed}}};
      CHECK(close(*upper, std::min(0.0, distance_cost(program.cost(), x)), {1e-10, 1e-12}));
      CHECK(mixed.trace() <= 1.7 * (1 + 1e-12));
      CHECK(SymmetricEigen(mixed, false).eigenvalues()[0] > -1e-12);
      std::vector<ConstraintId> rows;
      Executor executor;
      CHECK(program.separate(SquaredDistances(program.cost(), x), 1, 0, rows, executor).max <= 1e-12);
    }
  };
  check(cylinder_signs(6, 4), false);
  check(cylinder_signs(6, 4), true);
  check(neighbor_signs(rectangle_points(20, kSeed), 3, true), false);
  check(neighbor_signs(rectangle_points(20, kSeed), 3, false), false);
}

TEST_CASE("neighbours of points leave an interior, though not with all options; circles leave none") {
  Rng rng(kSeed);
  for (int trial = 0; trial < 50; ++trial) {
    const SharedSigns directed = neighbor_signs(gaussian_points(15, 2, rng), 3, false);
    const PsdeProgram program(directed, {});
    CHECK(program.has_interior());  // d_ij <= r_i and > r_j: radii fall along every arc
    CHECK_FALSE(PsdeProgram(directed, PsdeOptions{true, true, 1}).has_interior());
  }
  const PsdeProgram circle(signs_of(3, {{0, 1}, {1, 2}, {2, 0}}), {});
  CHECK_FALSE(circle.has_interior());
  CHECK_FALSE(circle.repaired_value(-1, 0.1, 1));
  CHECK(*circle.repaired_value(-1, 0, 1) == -1);  // nothing to repair
  // A point of the interior of an asymmetric chain: rows hold with equal or more room.
  const SharedSigns chain = signs_of(4, {{0, 1}, {1, 2}, {2, 3}, {3, 2}});
  const PsdeProgram program(chain, {});
  REQUIRE(program.has_interior());
  const auto value = program.repaired_value(0, 1e15, 1);
  REQUIRE(value);
  // Depths 0, 1, 2, 0 of the radii: pairs (0 1), (1 2), (2 3) are near to 1/3, 2/3 and 1; the largest sum of a row is
  // 5/3.
  const double c = 3.0 / 5;
  Matrix interior = Matrix::Identity(4, 4);
  interior(0, 1) = interior(1, 0) = c / 3;
  interior(1, 2) = interior(2, 1) = c * 2 / 3;
  interior(2, 3) = interior(3, 2) = c;
  const SemidefiniteSolution x{{{false, interior / 4}}};
  CHECK(close(*value, std::min(0.0, distance_cost(program.cost(), x)), {1e-9, 0}));
  std::vector<ConstraintId> rows;
  Executor executor;
  CHECK(program.separate(SquaredDistances(program.cost(), x), 1, 0, rows, executor).max == 0);
}

TEST_CASE("the map lies along the axes of greatest variance and says how much of it they hold") {
  Rng rng(kSeed);
  Observations observations;
  observations.name = "test";
  for (int i = 0; i < 12; ++i) observations.objects.push_back("o" + std::to_string(i));
  observations.pair_signs = cylinder_signs(6, 2);
  const auto make = [&](const std::string& text) { return made("psde", observations, text); };
  const Problem two = make("{}"), three = make("{ n_components = 3 }"), all = make("{ n_components = 0 }");
  Matrix points = Matrix::Zero(12, 3);
  for (Index i = 0; i < 12; ++i) {
    points(i, 0) = i < 6 ? 1 : -1;
    points(i, 1) = 3 * (i % 2 ? 1 : -1);
  }
  for (const bool factored : {true, false}) {
    SemidefiniteSolution x{{{factored, factored ? points : Matrix(points * points.transpose())}}};
    const Embedding map = two.decode(x);
    CHECK(map.only().cols() == 2);
    CHECK(close(map.only().col(0).squaredNorm(), 12 * 9, kSum));
    CHECK(close(map.only().col(1).squaredNorm(), 12, kSum));
    CHECK(map.estimates.at(0).first == "eigenvalue_share");
    CHECK(close(map.estimates.at(0).second, 1, kSum));
    CHECK(map.estimates.at(1).second == 2);
    CHECK(three.decode(x).only().cols() == 3);
    CHECK(three.decode(x).only().col(2).norm() < 1e-6);
    CHECK(all.decode(x).only().cols() == 2);
  }
  const Solution start = two.start(rng);
  const Matrix u = std::get<SemidefiniteSolution>(start).blocks[0].values;
  CHECK(close(u.squaredNorm(), 1, kSum));
}

}  // namespace
}  // namespace psde_program_test
