// Both solvers of assignments against all permutations, each other, and what linear programming duality asks.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "problems/core/error.hpp"
#include "solvers/assignment/assignment_costs.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/least_cost.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/toy_problems.hpp"

namespace assignment_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

struct Assigned {
  AssignmentSolution x;
  Summary summary;
};

Assigned assign(std::string_view solver, const Matrix& costs) {
  const Problem problem("toy_assignment", CheapestAssignment(costs));
  Rng rng(kSeed);
  Solution x = problem.start(rng);
  Executor executor;
  SolveContext context(executor);
  const Summary summary = solver_catalog().at(solver).make({})->solve(problem, x, context);
  return {std::get<AssignmentSolution>(x), summary};
}

/// A matching of as many pairs as there can be.
void check_matching(const AssignmentSolution& x, const Matrix& costs) {
  REQUIRE(static_cast<Index>(x.column_of.size()) == costs.rows());
  std::vector<bool> taken(static_cast<std::size_t>(costs.cols()), false);
  Index pairs = 0;
  for (const Index j : x.column_of) {
    if (j < 0) continue;
    REQUIRE(j < costs.cols());
    CHECK_FALSE(taken[static_cast<std::size_t>(j)]);
    taken[static_cast<std::size_t>(j)] = true;
    ++pairs;
  }
  CHECK(pairs == std::min(costs.rows(), costs.cols()));
}

/// Duality: feasible, equal on pairs, 0 on the unmatched, of one sign on the longer side.
void check_potentials(const Assigned& assigned, const Matrix& costs) {
  const auto& [x, summary] = assigned;
  const double tolerance = costs.size() > 0 ? 1e-12 * std::max(1e-300, costs.cwiseAbs().maxCoeff()) : 0;
  REQUIRE(x.row_potential.size() == costs.rows());
  REQUIRE(x.column_potential.size() == costs.cols());
  std::vector<bool> matched(static_cast<std::size_t>(costs.cols()), false);
  for (Index i = 0; i < costs.rows(); ++i) {
    const Index pair = x.column_of[static_cast<std::size_t>(i)];
    if (pair < 0) CHECK(x.row_potential[i] == 0);
    for (Index j = 0; j < costs.cols(); ++j) {
      const double reduced = costs(i, j) - x.row_potential[i] - x.column_potential[j];
      CHECK(reduced >= -tolerance);
      if (j == pair) {
        CHECK(std::abs(reduced) <= tolerance);
        matched[static_cast<std::size_t>(j)] = true;
      }
    }
  }
  for (Index j = 0; j < costs.cols(); ++j)
    if (!matched[static_cast<std::size_t>(j)]) CHECK(x.column_potential[j] == 0);
  if (costs.rows() < costs.cols()) CHECK(x.column_potential.maxCoeff() <= 0);
  if (costs.rows() > costs.cols() && costs.cols() > 0) CHECK(x.row_potential.maxCoeff() <= 0);
  REQUIRE(summary.certificate.has_value());
  const double slack = tolerance * static_cast<double>(std::max<Index>(1, costs.rows() + costs.cols()));
  CHECK(summary.certificate->lower_bound <= summary.objective + slack);
  CHECK(std::abs(summary.certificate->gap) <= slack);
}

void check_all(const Matrix& costs) {
  const double best = least_cost(costs);
  const double tolerance = 1e-11 * std::max(1e-300, costs.cwiseAbs().maxCoeff());
  for (const char* solver : {"hungarian", "boost_matching"}) {
    CAPTURE(solver);
    const Assigned assigned = assign(solver, costs);
    CHECK(assigned.summary.termination == Termination::converged);
    check_matching(assigned.x, costs);
    CHECK(std::abs(assigned.summary.objective - best) <= tolerance);
    CHECK(std::abs(assignment::cost_of(costs, assigned.x) - best) <= tolerance);
    if (solver == std::string_view("hungarian")) check_potentials(assigned, costs);
  }
}

TEST_CASE("the assignment of the reference") {
  std::ifstream in(std::string(test_folder()) + "/problems/data/multiview_reference.json");
  const auto reference = nlohmann::json::parse(in).at("assignment_max");
  const auto gain = reference.at("gain").get<std::vector<std::vector<double>>>();
  Matrix costs(static_cast<Index>(gain.size()), static_cast<Index>(gain[0].size()));
  for (Index i = 0; i < costs.rows(); ++i)
    for (Index j = 0; j < costs.cols(); ++j)
      costs(i, j) = -gain[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  for (const char* solver : {"hungarian", "boost_matching"}) {
    CAPTURE(solver);
    const Assigned assigned = assign(solver, costs);
    CHECK(assigned.x.column_of == reference.at("row_to_col").get<std::vector<Index>>());
    CHECK(assigned.summary.objective == doctest::Approx(-reference.at("value").get<double>()).epsilon(1e-14));
  }
}

TEST_CASE(
    "small assignments are those of all permutations, more rows or more columns, costs of any sign "
    "and size") {
  Rng rng = Rng::stream(kSeed, "small");
  for (int round = 0; round < 120; ++round) {
    const auto rows = static_cast<Index>(1 + rng.below(6)), columns = static_cast<Index>(1 + rng.below(6));
    const double scale = std::vector{1.0, 1e-200, 1e12, 1e299}[rng.below(4)];
    const double shift = std::vector{0.0, -3.0, 5.0}[rng.below(3)];
    CAPTURE(round);
    check_all(scale * (random_matrix(rows, columns, rng).array().max(-4).min(4) + shift) / 10);
  }
}

TEST_CASE("ties") {
  Rng rng = Rng::stream(kSeed, "ties");
  for (int round = 0; round < 120; ++round) {
    const auto rows = static_cast<Index>(1 + rng.below(6)), columns = static_cast<Index>(1 + rng.below(6));
    Matrix costs(rows, columns);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j) costs(i, j) = static_cast<double>(rng.below(3)) - 1;
    CAPTURE(round);
    check_all(costs);
  }
  check_all(Matrix::Zero(5, 5));
  check_all(Matrix::Constant(3, 6, -7));
}

TEST_CASE("larger ones: both agree, and the potentials prove it") {
  Rng rng = Rng::stream(kSeed, "larger");
  for (const auto& [rows, columns] : std::vector<std::pair<Index, Index>>{{60, 60}, {17, 40}, {40, 17}, {120, 120}}) {
    CAPTURE(rows);
    CAPTURE(columns);
    const Matrix costs = random_matrix(rows, columns, rng);
    const Assigned ours = assign("hungarian", costs);
    const Assigned theirs = assign("boost_matching", costs);
    check_matching(ours.x, costs);
    check_matching(theirs.x, costs);
    check_potentials(ours, costs);
    CHECK(theirs.summary.objective >= ours.summary.certificate->lower_bound - 1e-12);
    CHECK(ours.summary.objective == doctest::Approx(theirs.summary.objective).epsilon(1e-10));
  }
}

TEST_CASE("one by one, and nothing to assign") {
  check_all(Matrix::Constant(1, 1, -2.5));
  for (const auto& [rows, columns] : std::vector<std::pair<Index, Index>>{{0, 0}, {0, 3}, {3, 0}})
    for (const char* solver : {"hungarian", "boost_matching"}) {
      const Assigned assigned = assign(solver, Matrix(rows, columns));
      CHECK(assigned.x.column_of == std::vector<Index>(static_cast<std::size_t>(rows), -1));
      CHECK(assigned.summary.objective == 0);
      CHECK(assigned.summary.usable());
    }
}

TEST_CASE("costs that are no numbers are refused with their place") {
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(), 1e301}) {
    Matrix costs = Matrix::Ones(2, 3);
    costs(1, 2) = wrong;
    for (const char* solver : {"hungarian", "boost_matching"}) {
      try {
        static_cast<void>(assign(solver, costs));
        FAIL_CHECK("taken");
      } catch (const DataError& error) {
        CHECK(std::string_view(error.what()).find("row 2 and column 3 of toy_assignment") != std::string_view::npos);
      }
    }
  }
}

TEST_CASE("an assignment that is stopped leaves x alone") {
  Rng rng(kSeed);
  const Problem problem("toy_assignment", CheapestAssignment(random_matrix(9, 9, rng)));
  for (const char* solver : {"hungarian", "boost_matching"}) {
    Solution x = problem.start(rng);
    const auto before = std::get<AssignmentSolution>(x).column_of;
    std::stop_source stop;
    stop.request_stop();
    Executor executor;
    SolveContext context(executor);
    context.stop = stop.get_token();
    const Summary summary = solver_catalog().at(solver).make({})->solve(problem, x, context);
    CHECK(summary.termination == Termination::cancelled);
    CHECK(std::get<AssignmentSolution>(x).column_of == before);
    CHECK_FALSE(summary.certificate.has_value());
  }
}

}  // namespace
}  // namespace assignment_test
