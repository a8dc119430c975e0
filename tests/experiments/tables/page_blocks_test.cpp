#include "experiments/tables/page_blocks.hpp"

#include <doctest/doctest.h>

#include "problems/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace page_blocks_test {

using namespace alidade;

TEST_CASE("a block is what stands between its markers") {
  const std::string page = "a\n<!-- table x -->\nb\n<!-- end x -->\nc\n";
  CHECK(block_of(page, "x", "p.md") == "b\n");
  CHECK_FALSE(block_of(page, "y", "p.md"));
  CHECK(with_block(page, "x", "d\ne\n", "p.md") == "a\n<!-- table x -->\nd\ne\n<!-- end x -->\nc\n");
  CHECK(
      testing::holds_all(testing::message_of<DataError>([&] { static_cast<void>(block_of(page + page, "x", "p.md")); }),
                         {"p.md:", "table x", "twice"}));
}

TEST_CASE("a figure moves beyond its interval, or by 2 per cent without one") {
  const auto table = [](const std::string& a, const std::string& b, const std::string& caption) {
    return "| method | d |\n|:--|--:|\n| A | " + a + " |\n| B | " + b + " |\n\n" + caption + "\n";
  };
  const std::string caption = "metrics.heldout_error: mean";
  const std::string before = table("**0.120 ± 0.010**", "0.200 [0.180, 0.230]", caption);
  CHECK(moved_figures(before, before).empty());
  CHECK(moved_figures(before, table("0.129 ± 0.003", "**0.225 [0.220, 0.230]**", caption)).empty());
  const auto moved = moved_figures(before, table("0.135 ± 0.003", "0.170 [0.160, 0.180]", caption));
  REQUIRE(moved.size() == 2);
  CHECK(moved[0].row == "A");
  CHECK(moved[0].column == "d");
  CHECK(moved[0].now == "0.135 ± 0.003");
  CHECK(moved_figures(table("1000", "5", caption), table("1015", "6", caption)).empty());
  CHECK(moved_figures(table("1000", "5", caption), table("1025", "7", caption)).size() == 2);
  CHECK(
      moved_figures(table("(7.924) × 10^-5", "(7.0 ± 0.1) × 10^-5 §", caption), table("0.0000793", "0.00007", caption))
          .empty());
  CHECK(moved_figures(table("(7.924) × 10^-5", "(7.0 ± 0.1) × 10^-5", caption),
                      table("0.000083", "(7.0 ± 0.1) × 10^-6", caption))
            .size() == 2);
  CHECK(moved_figures(table("4.4e-06", "5e-05", caption), table("4.5e-06", "6e-05", caption)).empty());
  CHECK(moved_figures(table("4.4e-06", "5e-05", caption), table("4.4e-08", "5e-07", caption)).size() == 2);
  CHECK(moved_figures(table("1", "never", caption), table("1", "3", caption)).size() == 1);
  CHECK(moved_figures(table("1", "2", "CPU seconds (seconds.cpu): mean"),
                      table("10", "20", "CPU seconds (seconds.cpu): mean"))
            .empty());
  CHECK(moved_figures(before, before + before).size() == 1);
  CHECK(moved_figures(before, "| method | e |\n|:--|--:|\n| A | 1 |\n| B | 2 |\n\nx\n").size() == 1);
}

}  // namespace page_blocks_test
