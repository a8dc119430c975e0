// Both solvers of assignments against all matchings, on costs that shrink to the smallest wrong ones.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solvers/assignment/assignment_costs.hpp"
#include "solvers/catalog.hpp"
#include "tests/support/least_cost.hpp"
#include "tests/support/properties.hpp"
#include "tests/support/toy_problems.hpp"

namespace assignment_property_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// Whole numbers with ties, or of sizes from 1e-30 to 1e30 and either sign.
Matrix drawn_costs() {
  Matrix out(drawn_size(1, 6), drawn_size(1, 6));
  const bool ties = *rc::gen::arbitrary<bool>();
  Rng rng = drawn_stream();
  const int power = *rc::gen::inRange(-100, 101);
  for (Index k = 0; k < out.size(); ++k)
    out.data()[k] = ties ? *rc::gen::inRange(-2, 3) : rng.normal() * std::exp2(power);
  return out;
}

}  // namespace

TEST_CASE("assignments cost no more than any other, and potentials prove it") {
  for (const char* solver : {"hungarian", "boost_matching"}) {
    CAPTURE(solver);
    check_property(solver, [&] {
      const Matrix costs = drawn_costs();
      const Problem problem("toy_assignment", CheapestAssignment(costs));
      Rng rng = drawn_stream();
      Solution x = problem.start(rng);
      Executor executor;
      SolveContext context(executor);
      const Summary summary = solver_catalog().at(solver).make({})->solve(problem, x, context);
      const auto& result = std::get<AssignmentSolution>(x);
      const double size = costs.cwiseAbs().maxCoeff(), rounding = 1e-11 * size;
      RC_ASSERT(summary.termination == Termination::converged);
      std::vector<Index> taken;
      for (const Index j : result.column_of)
        if (j >= 0) taken.push_back(j);
      std::ranges::sort(taken);
      RC_ASSERT(std::ranges::adjacent_find(taken) == taken.end());
      RC_ASSERT(std::ssize(taken) == std::min(costs.rows(), costs.cols()));
      RC_ASSERT(std::abs(assignment::cost_of(costs, result) - least_cost(costs)) <= rounding);
      if (solver != std::string_view("hungarian")) return;
      for (Index i = 0; i < costs.rows(); ++i)
        for (Index j = 0; j < costs.cols(); ++j)
          RC_ASSERT(result.row_potential[i] + result.column_potential[j] <= costs(i, j) + rounding);
      RC_ASSERT(std::abs(result.row_potential.sum() + result.column_potential.sum() - least_cost(costs)) <=
                10 * rounding);
    });
  }
}

TEST_CASE("the cost of the best assignment is that of every order of rows and columns") {
  check_property("permutations", [] {
    const Matrix costs = drawn_costs();
    Rng rng = drawn_stream();
    std::vector<Index> rows(static_cast<std::size_t>(costs.rows())), columns(static_cast<std::size_t>(costs.cols()));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::iota(columns.begin(), columns.end(), Index{0});
    rng.shuffle(std::span(rows));
    rng.shuffle(std::span(columns));
    const Matrix shuffled = costs(rows, columns);
    const auto cost = [&](const Matrix& of) {
      const Problem problem("toy_assignment", CheapestAssignment(of));
      Solution x = problem.start(rng);
      Executor executor;
      SolveContext context(executor);
      static_cast<void>(solver_catalog().at("hungarian").make({})->solve(problem, x, context));
      return assignment::cost_of(of, std::get<AssignmentSolution>(x));
    };
    RC_ASSERT(std::abs(cost(costs) - cost(shuffled)) <= 1e-11 * costs.cwiseAbs().maxCoeff());
  });
}

}  // namespace assignment_property_test
