// What it means to meet a tolerance: errors in CSDP's norms, and a bound that is proven.
#include "solvers/semidefinite/semidefinite_run.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/semidefinite_programs.hpp"

namespace met_tolerance_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

TEST_CASE("errors are relative to the norms of b and C, and numbers that are not finite meet nothing") {
  const SemidefiniteProgram program = cut_of_complete_graph(9);  // nine rows, each with the bound 1
  SemidefiniteSolution x;
  x.blocks = {{false, 1.5 * Matrix::Identity(9, 9)}};
  x.multipliers = Vector::Zero(9);
  x.dual_blocks = {Matrix::Zero(9, 9)};
  const SemidefiniteErrors errors = errors_of(program, x);
  CHECK(errors.dimacs[0] == doctest::Approx(1.5 / 2));  // |r| = 1.5, largest bound 1
  double cost = 0;
  for (const SymmetricEntry& e : program.cost) cost += (e.row == e.col ? 1 : 2) * e.value * e.value;
  const double dual = std::sqrt(cost) / (1 + std::sqrt(cost));
  const double gap = std::max(std::abs(errors.dimacs[4]), std::abs(errors.dimacs[5]));
  CHECK(errors.worst_by_norms == doctest::Approx(std::max({1.5 / 4, dual, gap})));
  SemidefiniteErrors some;
  some.worst_by_norms = 1e-7;
  CHECK(met_by_errors(some, 1e-8));
  CHECK_FALSE(met_by_errors(some, 9e-9));
  some.worst_by_norms = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(met_by_errors(some, 1));
}

TEST_CASE("without a proven bound no tolerance is met; with one, the gap decides, of either sign") {
  CHECK_FALSE(met_by_bound(std::nullopt, 1));
  CHECK(met_by_bound(Certificate{.lower_bound = 2 - 3e-7, .gap = 3e-7, .scale = 3}, 1e-8));
  CHECK_FALSE(met_by_bound(Certificate{.lower_bound = 2 - 4e-7, .gap = 4e-7, .scale = 3}, 1e-8));
  CHECK_FALSE(met_by_bound(Certificate{.lower_bound = 2 + 4e-7, .gap = -4e-7, .scale = 3}, 1e-8));
  CHECK_FALSE(met_by_bound(Certificate{.lower_bound = 0, .gap = std::numeric_limits<double>::quiet_NaN()}, 1));
}

}  // namespace
}  // namespace met_tolerance_test
