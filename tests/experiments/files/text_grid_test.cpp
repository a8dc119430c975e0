// Tables as text: escapes of Markdown, and the same table in a terminal.
#include "experiments/files/text_grid.hpp"

#include <doctest/doctest.h>

namespace text_grid_test {

using namespace alidade;

TEST_CASE("a table in Markdown is padded, and its text cannot break out of a cell") {
  const TextGrid grid{
      {"method", "p"},
      {{escaped("a<b", TableFormat::markdown), "0.02"}, {"plain", escaped(p_text(1e-9), TableFormat::markdown)}},
      1};
  CHECK(to_text(grid, TableFormat::markdown) ==
        "| method |         p |\n"
        "|:-------|----------:|\n"
        "| a\\<b   |      0.02 |\n"
        "| plain  | \\< 0.0001 |\n");
}

TEST_CASE("a compact table in Markdown keeps the Markdown of its cells, but not what would end one") {
  CHECK(compact_markdown({{"key", "meaning"}, {{"`a`", "x | y\nz"}}, 2}) ==
        "| key | meaning |\n|---|---|\n| `a` | x \\| y z |\n");
}

TEST_CASE("LaTeX without packages for other alphabets prints the signs of a caption") {
  CHECK(escaped("0.1 ± 0.2, n ≥ 8, p ≤ 1, a ≈ b, 2 × 3", TableFormat::latex) ==
        "0.1 $\\pm$ 0.2, n $\\ge$ 8, p $\\le$ 1, a $\\approx$ b, 2 $\\times$ 3");
  CHECK(escaped("a \"b\"; c_1", TableFormat::latex) == "a ''b''; c\\_1");
}

TEST_CASE("a formula of a spreadsheet is one by its first character, unless it is a number") {
  for (const char* cell : {"=1+1", "=cmd|' /C calc'!A0", "+A1", "-A1", "@SUM(1)", "\tx", "\rx", "--", "-0.5x", "+-1"}) {
    CAPTURE(cell);
    CHECK(is_formula(cell));
  }
  for (const char* cell : {"", "=", "-", "a=1", "0", "-0.5", "+1e3", "-1e-300", "'=1", " =1"}) {
    CAPTURE(cell);
    CHECK_FALSE(is_formula(cell));
  }
}

TEST_CASE("CSV for spreadsheets has no formulas, and nothing else is changed") {
  const std::string plain = "method,x,y\nste,-0.5,+3\n\"a,b\",\"say \"\"=1\"\"\",\n,,\n\"two\nlines\",-1,1";
  CHECK(for_spreadsheets(plain) == plain);
  CHECK(for_spreadsheets("") == "");
  CHECK(for_spreadsheets("=a,1\n\"=b,\"\"c\"\"\",-2\n-x,@y\n") == "'=a,1\n\"'=b,\"\"c\"\"\",-2\n'-x,'@y\n");
  CHECK(for_spreadsheets("a,=1") == "a,'=1");
  CHECK(for_spreadsheets("\"=never closed") == "\"'=never closed");
  CHECK(for_spreadsheets("\"a\"\"\"\n=b") == "\"a\"\"\"\n'=b");
}

}  // namespace text_grid_test
