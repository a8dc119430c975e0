// Solutions as text: what is written reads back, and every fault is named with its line.
#include "problems/programs/solution_file.hpp"

#include <doctest/doctest.h>

#include "problems/core/error.hpp"
#include "problems/programs/sdpa_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/text_holds.hpp"

namespace solution_file_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

TEST_CASE("a written solution reads back bit for bit, with its Z and its kind") {
  const SemidefiniteProgram program = theta_of_cycle(5);
  Rng rng(8201);
  for (const auto kind : {SolutionText::Kind::solution, SolutionText::Kind::infeasible, SolutionText::Kind::no_bound}) {
    Vector y(static_cast<Index>(program.constraints.size()));
    for (Index r = 0; r < y.size(); ++r) y[r] = rng.normal();
    SolutionText written = solution_text(program, y, {{false, gaussian_symmetric(5, rng)}});
    written.kind = kind;
    const SolutionText read = parse_solution(to_text(written), "text", program);
    CHECK(read.kind == kind);
    CHECK(read.multipliers == y);
    const auto same = [](const std::vector<SymmetricEntry>& a, const std::vector<SymmetricEntry>& b) {
      return std::ranges::equal(a, b, [](const auto& p, const auto& q) {
        return p.block == q.block && p.row == q.row && p.col == q.col && p.value == q.value;
      });
    };
    CHECK(same(read.dual, written.dual));
    CHECK(same(read.primal, written.primal));
    CHECK(same(read.dual, entries_of(program, dual_slack(program, y))));
  }
}

TEST_CASE("a factor of few columns is written as such, and X is its product") {
  const SemidefiniteProgram program = theta_of_cycle(5);
  Rng rng(8202);
  const Vector y = Vector::Zero(static_cast<Index>(program.constraints.size()));
  for (const Index columns : {1, 2, 3}) {
    Matrix v(5, columns);
    for (Index k = 0; k < v.size(); ++k) v.data()[k] = rng.normal();
    v.row(3).setZero();
    const SolutionText written = solution_text(program, y, {{true, v}});
    CHECK(written.factor.empty() == (columns == 3));
    CHECK(written.primal.empty() == (columns < 3));
    const std::string text = to_text(written);
    const SolutionText read = parse_solution(text, "text", program);
    CHECK(to_text(read) == text);
    Matrix x = Matrix::Zero(5, 5);
    const auto entries = entries_of_x(read);
    REQUIRE(entries.has_value());
    for (const SymmetricEntry& e : *entries) x(e.row, e.col) = x(e.col, e.row) = e.value;
    CHECK((x - v * v.transpose()).norm() <= 1e-14 * x.norm());
  }
}

TEST_CASE("a factor too large to multiply out is left alone") {
  SolutionText wide{SolutionText::Kind::solution, Vector()};
  for (Index i = 0; i < 20'000; ++i) wide.factor.push_back({0, i, 0, 1});
  CHECK_FALSE(entries_of_x(wide).has_value());
}

TEST_CASE("a solution of another program reads: CSDP's digits, remarks, Fortran's exponents, entries from below") {
  const SemidefiniteProgram program = parse_sdpa("2\n2\n2 -1\n1 1\n1 1 1 1 1\n2 1 2 2 1\n2 2 1 1 1\n", "program");
  const SolutionText read = parse_solution(
      "* a remark\n\" another\n1.000000000000000000e+00 -2.5D-1 \r\n1.0 1 2 1 5.0d-01 below\n\n2 2 1 1 3\n2 1 1 1 0\n",
      "text", program);
  CHECK(read.multipliers[0] == -1);
  CHECK(read.multipliers[1] == 0.25);
  REQUIRE(read.dual.size() == 1);
  CHECK(read.dual[0].row == 0);
  CHECK(read.dual[0].col == 1);
  CHECK(read.dual[0].value == 0.5);
  REQUIRE(read.primal.size() == 1);
  CHECK(read.primal[0].block == 1);
}

TEST_CASE("every fault of a solution is named with its line") {
  const SemidefiniteProgram program = parse_sdpa("2\n2\n2 -1\n1 1\n1 1 1 1 1\n2 1 2 2 1\n2 2 1 1 1\n", "program");
  const auto message_for = [&](const std::string& text) {
    return message_of<DataError>([&] { return parse_solution(text, "s.sol", program); });
  };
  CHECK(message_for("1 2\n1 1 1 2 0.5\n") == "(no error)");
  CHECK(holds_all(message_for(""), {"s.sol:1: ends before the line of y, which needs 2 numbers"}));
  CHECK(holds_all(message_for("* only a remark\n"), {"s.sol:1: ends before the line of y"}));
  CHECK(holds_all(message_for("1\n"), {"s.sol:1: the line of y has 1 numbers, but the program has 2 constraints"}));
  CHECK(holds_all(message_for("\n1 2\n"), {"s.sol:1: the line of y has 0 numbers"}));
  CHECK(holds_all(message_for("1 2 3\n"), {"s.sol:1: '3' follows y: the program has only 2 constraints"}));
  CHECK(holds_all(message_for("1 nan\n"), {"s.sol:1: a multiplier is nan, but numbers must be finite"}));
  CHECK(holds_all(message_for("1 1e999\n"), {"s.sol:1: a multiplier must be a number, not '1e999'"}));
  CHECK(holds_all(message_for("1 two\n"), {"s.sol:1: a multiplier must be a number, not 'two'"}));
  CHECK(holds_all(message_for("* ray: z\n1 2\n"), {"s.sol:1: '* ray: z' is no kind of ray. Write"}));
  CHECK(message_for("1 2\n3 1 2 1 1\n3 1 1 2 1\n") == "(no error)");
  CHECK(holds_all(message_for("1 2\n4 1 1 1 1\n"), {"s.sol:2: matrix 4 does not exist"}));
  CHECK(holds_all(message_for("1 2\n3 2 1 1 1\n"), {"s.sol:2: block 2 is diagonal and has no factor"}));
  CHECK(holds_all(message_for("1 2\n2 1 1 1 1\n3 1 1 1 1\n"), {"s.sol:3: block 1 has entries of X (2) and of a"}));
  CHECK(holds_all(message_for("1 2\n0 1 1 1 1\n"), {"s.sol:2: matrix 0 does not exist"}));
  CHECK(holds_all(message_for("1 2\n1 3 1 1 1\n"), {"s.sol:2: block 3 does not exist"}));
  CHECK(
      holds_all(message_for("1 2\n1 1 1 3 1\n"), {"s.sol:2: block 1 has rows and columns 1 to 2; there is no (1, 3)"}));
  CHECK(holds_all(message_for("1 2\n1 1 0 1 1\n"), {"there is no (0, 1)"}));
  CHECK(holds_all(message_for("1 2\n1 2 1 2 1\n"), {"s.sol:2: block 2 has rows and columns 1 to 1"}));
  CHECK(holds_all(message_for("1 2\n1 1 1 2 1\n1 1 2 1 1\n"),
                  {"s.sol:3: the entry (1, 2) of block 1 of matrix 1 is given a second time"}));
  CHECK(holds_all(message_for("1 2\n1 1 1 1 1\n1 1 1 1 1\n"), {"s.sol:3: the entry (1, 1) of block 1 of matrix 1"}));
  // In any order, the first line that repeats a place is named.
  CHECK(message_for("1 2\n2 2 1 1 1\n1 1 2 2 1\n1 1 1 2 1\n1 1 1 1 1\n") == "(no error)");
  CHECK(holds_all(message_for("1 2\n1 1 2 2 1\n1 1 1 1 1\n2 1 1 1 1\n1 1 2 1 1\n1 1 2 2 1\n1 1 1 1 3\n"),
                  {"s.sol:6: the entry (2, 2) of block 1 of matrix 1 is given a second time"}));
  CHECK(holds_all(message_for("1 2\n1 1 1 1 inf\n"), {"s.sol:2: the value of an entry is inf"}));
  CHECK(
      holds_all(message_for("1 2\n1 1 1.5 1 1\n"), {"s.sol:2: the row of an entry must be a whole number, not '1.5'"}));
  CHECK(holds_all(message_for("1 2\n1 1 1\n"), {"s.sol:2: an entry needs", "the column is missing"}));
  CHECK(holds_all(message_for("1 2\n1 1 1 1 1 1\n"), {"s.sol:2: '1' follows an entry"}));
}

TEST_CASE("a ray is written with its own Z, which has no cost in it, and called one if it proves what it shows") {
  SemidefiniteProgram program = parse_sdpa("1\n1\n2\n-1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 1\n", "program");
  SemidefiniteSolution::Ray ray;
  ray.multipliers = Vector::Constant(1, -1);
  const SolutionText text = ray_text(program, ray);
  CHECK(to_text(text) == "* ray: y proves that the program is infeasible\n1\n1 1 1 1 1\n1 1 2 2 1\n");
  ray = {};
  ray.blocks = {{false, Matrix::Identity(2, 2)}};  // not along the constraint
  const std::string likely = to_text(ray_text(program, ray));
  CHECK(likely == "* likely unbounded: X shows it up to rounding, without a proof\n0\n2 1 1 1 1\n2 1 2 2 1\n");
  CHECK(to_text(parse_solution(likely, "s.sol", program)) == likely);
  ray.multipliers = Vector::Constant(1, 1);  // the wrong sign
  ray.blocks.clear();
  CHECK(to_text(ray_text(program, ray)).starts_with("* likely infeasible: y shows it up to rounding"));
  program = parse_sdpa("1\n1\n2\n1\n0 1 1 1 1\n1 1 1 2 1\n", "program");
  ray = {};
  ray.blocks = {{false, (Matrix(2, 2) << 1, 0, 0, 0).finished()}};
  CHECK(to_text(ray_text(program, ray)) == "* ray: X shows that no y proves a bound\n0\n2 1 1 1 1\n");
}

}  // namespace
}  // namespace solution_file_test
