// Tables as text: escapes of Markdown, and the same table in a terminal.
#include "experiments/files/text_grid.hpp"

#include <doctest/doctest.h>

using namespace alidade;

TEST_CASE("in a terminal a table has no escapes, and its columns stay aligned") {
  const TextGrid grid{
      {"method", "p"},
      {{escaped("a<b", TableFormat::markdown), "0.02"}, {"plain", escaped(p_text(1e-9), TableFormat::markdown)}},
      1};
  const std::string markdown = to_text(grid, TableFormat::markdown);
  CHECK(markdown ==
        "| method |         p |\n"
        "|:-------|----------:|\n"
        "| a\\<b   |      0.02 |\n"
        "| plain  | \\< 0.0001 |\n");
  CHECK(for_terminal(markdown) ==
        "| method |         p |\n"
        "|:-------|----------:|\n"
        "| a<b    |      0.02 |\n"
        "| plain  |  < 0.0001 |\n");
  // A bar would end its cell; a line that is not of a table keeps its blanks.
  CHECK(for_terminal("| x\\|y |\n") == "| x\\|y |\n");
  CHECK(for_terminal("p \\< 0.05 | alpha\n") == "p < 0.05 | alpha\n");
  CHECK(for_terminal("") == "");
}
