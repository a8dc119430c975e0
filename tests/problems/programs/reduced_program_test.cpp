// Programs whose blocks fall into parts: the reduced program has the same optimum, and its solution is one of the given.
#include "problems/programs/reduced_program.hpp"

#include <doctest/doctest.h>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/random.hpp"
#include "problems/programs/bound_proof.hpp"
#include "problems/programs/fixed_diagonal.hpp"
#include "tests/support/semidefinite_programs.hpp"

namespace reduced_program_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using Slacks = ReducedProgram::Slacks;

/// A cut of a path of five vertices as in qpG of SDPLIB: X_ii + X_kk = 1, with k = i + 5 a slack in the same block.
SemidefiniteProgram boxed_path() {
  SemidefiniteProgram out{{{"X", 10, false}}, {}, {}};
  for (Index i = 0; i + 1 < 5; ++i) out.cost.push_back({0, i, i + 1, i % 2 == 0 ? 1.0 : -2.0});
  for (Index i = 0; i < 5; ++i)
    out.constraints.push_back({"", {{0, i, i, 1}, {0, i + 5, i + 5, 1}}, Relation::equal, 1});
  return out;
}

TEST_CASE("a block that hangs together stays as it is") {
  const SemidefiniteProgram program = theta_of_cycle(7);
  for (const Slacks slacks : {Slacks::keep, Slacks::drop}) CHECK_FALSE(ReducedProgram(program, slacks).smaller());
  const SemidefiniteProgram mixed = mixed_program();
  CHECK_FALSE(ReducedProgram(mixed, Slacks::keep).smaller());
}

TEST_CASE("rows that no entry joins become blocks of their own, single ones nonnegative numbers") {
  const SemidefiniteProgram program = boxed_path();
  const ReducedProgram kept(program, Slacks::keep);
  REQUIRE(kept.smaller());
  REQUIRE(kept.program().blocks.size() == 2);
  CHECK(kept.program().blocks[0].size == 5);
  CHECK_FALSE(kept.program().blocks[0].diagonal);
  CHECK(kept.program().blocks[1].size == 5);
  CHECK(kept.program().blocks[1].diagonal);
  require_valid(kept.program());

  const ReducedProgram dropped(program, Slacks::drop);
  REQUIRE(dropped.program().blocks.size() == 1);
  for (const auto& row : dropped.program().constraints) CHECK(row.relation == Relation::at_most);
  require_valid(dropped.program());
  const FixedDiagonalForm form = fixed_diagonal_form(dropped.program());
  REQUIRE(form.found);
  CHECK(form.found->capped == std::vector<bool>(5, true));
  // All of a path's edges can be met: the optimum is -2 (1 + 2 + 1 + 2).
  Vector y(5);
  y << -1, -3, -3, -3, -2;
  const auto bound = prove_bound(program, y).lower_bound;
  REQUIRE(bound);
  CHECK(*bound == -12);
  CHECK(prove_bound(dropped.program(), y).lower_bound == bound);
}

TEST_CASE("a solution of the reduced program meets the constraints of the one given") {
  const SemidefiniteProgram program = boxed_path();
  Rng rng(41);
  Matrix v(5, 2);
  for (Index i = 0; i < v.size(); ++i) v.data()[i] = rng.normal();
  v.rowwise().normalize();
  for (const double shrink : {1.0, 0.5}) {
    CAPTURE(shrink);
    Matrix rows = v;
    rows.row(2) *= shrink;
    SemidefiniteSolution x;
    x.blocks.push_back({true, rows});
    x.multipliers = Vector::Constant(5, -1);
    const ReducedProgram dropped(program, Slacks::drop);
    const SemidefiniteSolution whole = dropped.expanded(x);
    CHECK(whole.blocks[0].factored == (shrink == 1));  // a slack above 0 has no column
    CHECK(whole.multipliers == x.multipliers);
    const SemidefiniteErrors errors = errors_of(program, whole);
    CHECK(errors.dimacs[0] < 1e-14);
    CHECK(errors.dimacs[1] < 1e-14);
    CHECK(errors.primal_objective == doctest::Approx(errors_of(dropped.program(), x).primal_objective));

    const ReducedProgram kept(program, Slacks::keep);
    SemidefiniteSolution dense;
    dense.blocks.push_back({false, rows * rows.transpose()});
    dense.blocks.push_back({false, Matrix::Zero(5, 1)});
    dense.blocks[1].values(2, 0) = 1 - shrink * shrink;
    dense.multipliers = x.multipliers;
    CHECK(errors_of(program, kept.expanded(dense)).dimacs[0] < 1e-14);
  }
}

TEST_CASE("parts, unused rows and rays come back to their places") {
  // Blocks {1, 4}, {2, 3}, 5 alone, 6 unused; and an unused number of cost 3.
  SemidefiniteProgram program{{{"X", 6, false}, {"numbers", 2, true}}, {}, {}};
  program.cost = {{0, 0, 3, 1}, {0, 1, 2, -1}, {0, 4, 4, 2}, {1, 0, 0, 3}, {1, 1, 1, 1}};
  program.constraints.push_back({"", {{0, 0, 0, 1}, {0, 3, 3, 1}}, Relation::equal, 1});
  program.constraints.push_back({"", {{0, 1, 1, 1}, {0, 2, 2, 1}, {1, 1, 1, 1}}, Relation::equal, 2});
  program.constraints.push_back({"", {{0, 4, 4, 1}}, Relation::at_least, 1});
  const ReducedProgram reduced(program, Slacks::keep);
  REQUIRE(reduced.smaller());
  require_valid(reduced.program());
  Index numbers = 0, rows = 0;
  for (const auto& block : reduced.program().blocks) (block.diagonal ? numbers : rows) += block.size;
  CHECK(numbers == 2);
  CHECK(rows == 4);
  SemidefiniteSolution x;
  Rng rng(42);
  for (const auto& block : reduced.program().blocks) {
    Matrix values(block.size, block.diagonal ? 1 : block.size);
    for (Index i = 0; i < values.size(); ++i) values.data()[i] = rng.normal();
    if (!block.diagonal) values = (values * values.transpose()).eval();
    x.blocks.push_back({false, block.diagonal ? Matrix(values.cwiseAbs()) : values});
  }
  x.multipliers = Vector::Ones(3);
  x.ray = SemidefiniteSolution::Ray{{}, x.blocks};
  const SemidefiniteSolution whole = reduced.expanded(x);
  for (const auto& blocks : {whole.blocks, whole.ray->blocks}) {
    REQUIRE(blocks.size() == 2);
    CHECK(blocks[0].values.row(5).isZero(0));
    CHECK(blocks[1].values(0, 0) == 0);
    CHECK(SymmetricEigen(blocks[0].values, false).eigenvalues()[0] > -1e-12);
    CHECK(inner_product(program.cost, blocks) == doctest::Approx(inner_product(reduced.program().cost, x.blocks)));
    for (std::size_t r = 0; r < 3; ++r)
      CHECK(inner_product(program.constraints[r].entries, blocks) ==
            doctest::Approx(inner_product(reduced.program().constraints[r].entries, x.blocks)));
  }
}

}  // namespace
}  // namespace reduced_program_test
