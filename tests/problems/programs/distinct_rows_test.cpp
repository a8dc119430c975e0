#include "problems/programs/distinct_rows.hpp"

#include <doctest/doctest.h>

#include "problems/programs/bound_proof.hpp"
#include "tests/support/semidefinite_programs.hpp"

namespace distinct_rows_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

SemidefiniteProgram with(std::vector<SemidefiniteConstraint> more) {
  SemidefiniteProgram out = theta_of_cycle(5);
  out.constraints.insert(out.constraints.end(), more.begin(), more.end());
  return out;
}

TEST_CASE("constraints that are no multiples of each other all stay") {
  const SemidefiniteProgram program = theta_of_cycle(5);
  const DistinctRows rows(program);
  CHECK_FALSE(rows.fewer());
  CHECK_FALSE(rows.contradiction());
  CHECK(rows.program(program).constraints.size() == program.constraints.size());
}

TEST_CASE("constraints that hold always and multiples of others are left out, and get the multiplier 0") {
  const SemidefiniteProgram program = with({{"", {}, Relation::equal, 0},
                                            {"", {{0, 0, 1, 0.0}}, Relation::at_most, 1},
                                            {"", {{0, 0, 3, 3}}, Relation::equal, 6},
                                            {"", {{0, 0, 3, -1}}, Relation::equal, -2},
                                            {"", {{0, 0, 3, 1}}, Relation::at_most, 2.5},
                                            {"", {{0, 1, 3, 7}, {0, 2, 4, 14}}, Relation::at_least, 7},
                                            {"", {{0, 2, 4, -2}, {0, 1, 3, -1}}, Relation::at_most, -2}});
  const DistinctRows rows(program);
  CHECK(rows.fewer());
  CHECK_FALSE(rows.contradiction());
  const std::size_t own = theta_of_cycle(5).constraints.size();
  const auto kept = rows.program(program).constraints;
  REQUIRE(kept.size() == own + 2);
  CHECK(kept[own].bound == 6);       // the first of the equations
  CHECK(kept[own + 1].bound == -2);  // the tighter of the inequalities
  SemidefiniteSolution x;
  x.multipliers = Vector::LinSpaced(static_cast<Index>(own) + 2, 1, 2);
  x.ray = SemidefiniteSolution::Ray{x.multipliers, {}};
  const SemidefiniteSolution out = rows.expanded(x);
  CHECK(out.multipliers.size() == static_cast<Index>(program.constraints.size()));
  CHECK(out.multipliers.sum() == doctest::Approx(x.multipliers.sum()));
  CHECK(out.multipliers[static_cast<Index>(own) + 2] == x.multipliers[static_cast<Index>(own)]);
  CHECK(out.ray->multipliers == out.multipliers);
}

TEST_CASE("a false constraint and multiples that contradict each other are proofs that there is no X") {
  using Rows = std::vector<SemidefiniteConstraint>;
  for (const Rows& more :
       {Rows{{"", {}, Relation::equal, 1}}, Rows{{"", {}, Relation::equal, -1e-9}},
        Rows{{"", {}, Relation::at_least, 1}}, Rows{{"", {{0, 0, 0, 0}}, Relation::at_most, -2}},
        Rows{{"", {{0, 0, 3, 3}}, Relation::equal, 6}, {"", {{0, 0, 3, 1}}, Relation::equal, 2.1}},
        Rows{{"", {{0, 0, 3, 3}}, Relation::at_least, 6}, {"", {{0, 0, 3, -1}}, Relation::at_least, -1}},
        Rows{{"", {{0, 0, 3, 3}}, Relation::at_most, 6}, {"", {{0, 0, 3, -1}}, Relation::equal, -3}}}) {
    const SemidefiniteProgram program = with(more);
    const DistinctRows rows(program);
    REQUIRE(rows.contradiction());
    CHECK(prove_infeasible(program, *rows.contradiction()).lower_bound.value_or(0) > 0);
  }
  for (const Rows& more :
       {Rows{{"", {}, Relation::at_least, -1}}, Rows{{"", {}, Relation::at_most, 2}},
        Rows{{"", {{0, 0, 3, 3}}, Relation::at_most, 6}, {"", {{0, 0, 3, -1}}, Relation::equal, -2}}})
    CHECK_FALSE(DistinctRows(with(more)).contradiction());
}

}  // namespace
}  // namespace distinct_rows_test
