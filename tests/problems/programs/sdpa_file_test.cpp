#include "problems/programs/sdpa_file.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "problems/core/error.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/semidefinite_programs.hpp"
#include "tests/support/text_holds.hpp"

namespace sdpa_file_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

void check_same(const SemidefiniteProgram& a, const SemidefiniteProgram& b) {
  REQUIRE(a.blocks.size() == b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    CHECK(a.blocks[i].size == b.blocks[i].size);
    CHECK(a.blocks[i].diagonal == b.blocks[i].diagonal);
  }
  const auto same_entries = [](const std::vector<SymmetricEntry>& x, const std::vector<SymmetricEntry>& y) {
    return std::ranges::equal(x, y, [](const auto& p, const auto& q) {
      return p.block == q.block && p.row == q.row && p.col == q.col &&
             same_bits(std::span(&p.value, 1), std::span(&q.value, 1));
    });
  };
  CHECK(same_entries(a.cost, b.cost));
  REQUIRE(a.constraints.size() == b.constraints.size());
  for (std::size_t r = 0; r < a.constraints.size(); ++r) {
    CHECK(same_entries(a.constraints[r].entries, b.constraints[r].entries));
    CHECK(a.constraints[r].relation == b.constraints[r].relation);
    CHECK(same_bits(std::span(&a.constraints[r].bound, 1), std::span(&b.constraints[r].bound, 1)));
  }
}

// The example of section 6 of the manual: optimum -41.9, which is the maximum of <F_0, Y>.
const std::string kExample = R"("Example 1: mDim = 3, nBLOCK = 1, {2}"
   3  =  mDIM
   1  =  nBLOCK
   2  = bLOCKsTRUCT
{48, -8, 20}
0 1 1 1 -11
0 1 2 2 23
1 1 1 1 10
1 1 1 2 4
2 1 2 2 -8
3 1 1 2 -8
3 1 2 2 -2
)";

TEST_CASE("the manual's example is read, with remarks and braces") {
  const SemidefiniteProgram program = parse_sdpa(kExample, "example");
  REQUIRE(program.blocks.size() == 1);
  CHECK(program.blocks[0].size == 2);
  CHECK_FALSE(program.blocks[0].diagonal);
  REQUIRE(program.constraints.size() == 3);
  CHECK(program.constraints[0].bound == 48);
  CHECK(program.constraints[2].bound == 20);
  REQUIRE(program.cost.size() == 2);
  CHECK(program.cost[0].value == 11);  // the file maximises
  CHECK(program.cost[1].value == -23);
  REQUIRE(program.constraints[0].entries.size() == 2);
  CHECK(program.constraints[0].entries[1].row == 0);
  CHECK(program.constraints[0].entries[1].col == 1);
  CHECK(program.constraints[0].entries[1].value == 4);
  require_valid(program);
}

TEST_CASE("several blocks, several lines, Windows' line ends, entries from below and of 0") {
  const std::string text =
      "* a remark\r\n2\r\n3\r\n(2, -3,\r\n1)\r\n1.5e-3,\r\n +2\r\n0 1 1 2 0\r\n0 2 3 3 1\r\n\r\n"
      "1 1 2 1 -4\r\n2 3 1 1 +1e300\r\n2 2 1 1 1";
  const SemidefiniteProgram program = parse_sdpa(text, "text");
  REQUIRE(program.blocks.size() == 3);
  CHECK(program.blocks[1].diagonal);
  CHECK(program.blocks[1].size == 3);
  CHECK(program.constraints[0].bound == 1.5e-3);
  CHECK(program.constraints[1].bound == 2);
  CHECK(program.cost.size() == 1);
  CHECK(program.constraints[0].entries[0].row == 0);
  CHECK(program.constraints[0].entries[0].col == 1);
  CHECK(program.constraints[1].entries[0].value == 1e300);
}

TEST_CASE("whole numbers with a point, Fortran's exponents, and remarks after the numbers of a line") {
  const std::string text =
      "2.0 constraints\n+2. blocks\n{2.0, -1e0} sizes\n1D+0 -2.5d-1 right sides\n"
      "0 1.0 1 2 1D2 the cost\n1 1 1 1 1\n2 2 1.0 1.0 .5E+1 * of a diagonal block\n";
  const SemidefiniteProgram program = parse_sdpa(text, "text");
  REQUIRE(program.blocks.size() == 2);
  CHECK(program.blocks[0].size == 2);
  CHECK(program.blocks[1].diagonal);
  REQUIRE(program.constraints.size() == 2);
  CHECK(program.constraints[0].bound == 1);
  CHECK(program.constraints[1].bound == -0.25);
  CHECK(program.cost[0].value == -100);
  CHECK(program.constraints[1].entries[0].value == 5);
}

TEST_CASE("the dense format is read as the sparse one, and must be symmetric") {
  const std::string head = "\"Dense\n 2 = mDIM\n 2 = nBLOCK\n (2, -2) = bLOCKsTRUCT\n{1.0, 2.0}\n";
  const SemidefiniteProgram dense = parse_sdpa(head +
                                                   "{ { {1.0, 0.5}, {0.5, 2.0} } {3, 0} }\n"
                                                   "{ { {1, 0}, {0, 0} } {0, 4} }\n"
                                                   "{ { {0, 6}, {6, 1} } {0, 0} }\n",
                                               "f.dat");
  const SemidefiniteProgram sparse = parse_sdpa(head +
                                                    "0 1 1 1 1.0\n0 1 1 2 0.5\n0 1 2 2 2.0\n0 2 1 1 3\n"
                                                    "1 1 1 1 1\n1 2 2 2 4\n2 1 1 2 6\n2 1 2 2 1\n",
                                                "f.dat-s");
  CHECK(to_sdpa(dense) == to_sdpa(sparse));
  const SemidefiniteProgram rounded =
      parse_sdpa(head + "1 0.5000000000000002 0.5 2 3 0 1 0 0 0 0 4 0 6 6 1 0 0\n", "f.dat");
  CHECK(rounded.cost[1].value == -0.5000000000000001);
  const auto message_for = [&](const std::string& matrices) {
    return message_of<DataError>([&] { return parse_sdpa(head + matrices, "f.dat"); });
  };
  CHECK(
      message_for("1 2\n3 4\n 0 0\n1 0 0 1 0 0\n1 0 0 1 0 0\n").find("f.dat:7: block 1 of matrix 0 is not symmetric") ==
      0);
  CHECK(message_for("0 1 1 1 1\n*INTEGER\n*1\n").find("*INTEGER asks for integer variables") != std::string::npos);
}

TEST_CASE("a written file reads back bit for bit") {
  Rng rng(502);
  for (int trial = 0; trial < 20; ++trial) {
    SemidefiniteProgram program = smallest_eigenvalue_program(gaussian_symmetric(6, rng));
    program.blocks.push_back({"d", 4, true});
    for (int r = 0; r < 5; ++r) {
      SemidefiniteConstraint row;
      row.bound = rng.normal() * std::pow(10.0, static_cast<double>(rng.below(600)) - 300);
      row.entries = {{0, r, r + 1, rng.normal() * std::pow(10.0, static_cast<double>(rng.below(600)) - 300)},
                     {1, r % 4, r % 4, 0.1}};
      program.constraints.push_back(row);
    }
    check_same(parse_sdpa(to_sdpa(program), "text"), program);
  }
  // Inequalities come back as their equality form.
  check_same(parse_sdpa(to_sdpa(mixed_program()), "text"), *equality_form(mixed_program()).program);
  SemidefiniteProgram broken = mixed_program();
  broken.cost[0].col = 7;
  CHECK_THROWS_AS(static_cast<void>(to_sdpa(broken)), DataError);
}

TEST_CASE("every fault of a file is named with its line") {
  const auto message_for = [](const std::string& text) {
    const std::string out = message_of<DataError>([&] { return parse_sdpa(text, "f.dat-s"); });
    CHECK(out.find('\n') == std::string::npos);
    return out;
  };
  const std::string head = "1\n2\n2 -2\n1\n";
  CHECK(message_for(head + "1 1 1 1 1\n") == "(no error)");
  CHECK(holds_all(message_for(""), {"f.dat-s:1:", "number of constraints"}));
  CHECK(holds_all(message_for("* only a remark\n"), {"f.dat-s:1:", "number of constraints"}));
  CHECK(holds_all(message_for("many\n"), {"f.dat-s:1: the number of constraints", "a whole number, not 'many'"}));
  CHECK(holds_all(message_for("0\n1\n2\n"), {"f.dat-s:1: the number of constraints is 0"}));
  CHECK(holds_all(message_for("-3\n1\n2\n"), {"f.dat-s:1: the number of constraints is -3"}));
  CHECK(holds_all(message_for("99999999999999999999\n"),
                  {"f.dat-s:1: the number of constraints", "a whole number, not '99999999999999999999'"}));
  CHECK(holds_all(message_for("1\n"), {"f.dat-s:1:", "number of blocks"}));
  CHECK(holds_all(message_for("1\n0\n"), {"f.dat-s:2: the number of blocks is 0"}));
  CHECK(holds_all(message_for("1\n2\n2\n"), {"f.dat-s:3: ends before the size of block 2"}));
  CHECK(holds_all(message_for("1\n2\n2 0\n"), {"f.dat-s:3: the size of block 2 of 2 is 0"}));
  CHECK(holds_all(message_for("1\n2\n2 x\n"), {"f.dat-s:3: the size of block 2 of 2", "a whole number, not 'x'"}));
  for (const char* size : {"9999999999999999", "-999999999", "-9223372036854775808", "1000000 -1000001"})
    CHECK(holds_all(message_for("1\n2\n" + std::string(size) + " 1\n1\n"), {"f.dat-s:3: the size", "2000000 rows"}));
  CHECK(holds_all(message_for("2\n1\n2\n1\n"), {"f.dat-s:4: ends before the right side of constraint 2"}));
  CHECK(holds_all(message_for("1\n1\n2\nnan\n"), {"f.dat-s:4: the right side of constraint 1", "is nan", "finite"}));
  CHECK(message_for("1\n1\n2\n1e999\n").find("f.dat-s:4: the right side") == 0);
  CHECK(holds_all(message_for("1\n1\n2\n1 2\n"), {"f.dat-s:4: '2' follows", "right side"}));
  CHECK(holds_all(message_for(head + "1 1 1 1\n"), {"f.dat-s:5: an entry", "the value is missing"}));
  CHECK(message_for(head + "1 1\n").find("f.dat-s:5:") == 0);
  CHECK(holds_all(message_for(head + "1 1 1 1 1 7\n"), {"f.dat-s:5: '7' follows an entry"}));
  CHECK(holds_all(message_for(head + "1 1 1 1 one\n"), {"f.dat-s:5: the value of an entry", "a number, not 'one'"}));
  CHECK(holds_all(message_for(head + "1 1 1 1 inf\n"), {"f.dat-s:5: the value of an entry is inf", "finite"}));
  CHECK(message_for(head + "1 1 1 1 NaN\n").find("f.dat-s:5: the value of an entry is") == 0);
  CHECK(
      holds_all(message_for(head + "1 1 1.5 1 1\n"), {"f.dat-s:5: the row of an entry", "a whole number, not '1.5'"}));
  CHECK(holds_all(message_for(head + "2 1 1 1 1\n"), {"f.dat-s:5: matrix 2 does not exist", "0 (the objective) to 1"}));
  CHECK(message_for(head + "-1 1 1 1 1\n").find("matrix -1 does not exist") != std::string::npos);
  CHECK(holds_all(message_for(head + "1 3 1 1 1\n"), {"f.dat-s:5: block 3 does not exist", "1 to 2"}));
  CHECK(message_for(head + "1 0 1 1 1\n").find("block 0 does not exist") != std::string::npos);
  CHECK(holds_all(message_for(head + "\n1 1 3 1 1\n"), {"f.dat-s:6: block 1", "1 to 2", "no (3, 1)"}));
  CHECK(message_for(head + "1 1 0 1 1\n").find("there is no (0, 1)") != std::string::npos);
  CHECK(holds_all(message_for(head + "1 2 1 2 1\n"), {"f.dat-s:5: block 2 is diagonal", "(1, 2)"}));
  CHECK(
      holds_all(message_for(head + "1 1 1 2 1\n1 1 2 1 1\n"), {"f.dat-s:6: the entry (1, 2) of block 1 of matrix 1"}));
  for (const char* none : {"0 1 1 1 1\n", "1 1 1 1 0\n"})  // which no solver gets to see: distinct_rows.hpp
    CHECK(parse_sdpa(head + none, "f.dat-s").constraints[0].entries.empty());
  // No number, though like those with a point or an exponent of Fortran.
  CHECK(holds_all(message_for("2.5\n"), {"f.dat-s:1: the number of constraints", "a whole number, not '2.5'"}));
  CHECK(holds_all(message_for("1e30\n"), {"f.dat-s:1: the number of constraints", "a whole number, not '1e30'"}));
  CHECK(holds_all(message_for(head + "1 1 1 1 1dd0\n"), {"f.dat-s:5: the value of an entry", "a number, not '1dd0'"}));
  CHECK(holds_all(message_for(head + "1 1 1 1 d0\n"), {"f.dat-s:5: the value of an entry", "a number, not 'd0'"}));
  CHECK(holds_all(message_for(head + "1 1 1 1 1 2D0\n"), {"f.dat-s:5: '2D0' follows an entry"}));
  CHECK(message_for(head + std::string(100, 'y') + "\n").size() < 120);
  // Cut anywhere, the example is an error or a program, never anything else.
  for (std::size_t length = 0; length < kExample.size(); ++length) {
    const std::string message = message_for(kExample.substr(0, length));
    CHECK((message == "(no error)" || message.starts_with("f.dat-s:")));
  }
}

}  // namespace
}  // namespace sdpa_file_test
