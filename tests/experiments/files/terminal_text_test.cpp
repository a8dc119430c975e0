#include "experiments/files/terminal_text.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <string>

#include "experiments/files/text_grid.hpp"

namespace terminal_text_test {
namespace {

using namespace alidade;

TEST_CASE("a table on a terminal has aligned columns, no bars and no backslashes") {
  const TextGrid grid{{"method", "p"}, {{"a\\<b", "0.02"}, {"plain", "\\< 0.0001"}}, 1};
  CHECK(terminal_text(to_text(grid, TableFormat::markdown), {}) ==
        "method          p\n"
        "──────   ────────\n"
        "a<b          0.02\n"
        "plain    < 0.0001\n");
}

TEST_CASE("what is bold in Markdown has a colour, or a star without colours") {
  const std::string markdown = "| m | x |\n|:--|--:|\n| a | **0.1 ± 0.01** |\n| b | 0.2 ± 0.01 |\n";
  CHECK(terminal_text(markdown, {}) ==
        "m            x\n"
        "─   ──────────\n"
        "a   0.1 ± 0.01*\n"
        "b   0.2 ± 0.01\n");
  const std::string coloured = terminal_text(markdown, {.colour = true, .width = 0});
  CHECK(coloured.find("\033[1;32m0.1 ± 0.01\033[0m") != std::string::npos);
  CHECK(coloured.find("*") == std::string::npos);
  CHECK(terminal_text("lower is better, best in bold.\n", {}) == "lower is better, best with *.\n");
}

TEST_CASE("a bar within a name stays, and is no border") {
  CHECK(terminal_text("| a\\|b | n |\n|:-----|--:|\n| c\\*d | 1 |\n", {}) ==
        "a|b   n\n"
        "───   ─\n"
        "c*d   1\n");
}

TEST_CASE("paragraphs are wrapped at words, tables are not") {
  const std::string text = "one two three four\n\n| a long head | b |\n|:--|--:|\n| c | d |\n";
  const std::string shown = terminal_text(text, {.colour = false, .width = 9});
  CHECK(shown.starts_with("one two\nthree\nfour\n\na long head   b\n"));
  CHECK(terminal_text("p \\< 0.05 | alpha\n", {}) == "p < 0.05 | alpha\n");
  CHECK(terminal_text("", {}).empty());
  CHECK(terminal_text("| no table\n", {}) == "| no table\n");
}

TEST_CASE("a file is no terminal") {
  const int file = ::open("/dev/null", O_WRONLY);
  REQUIRE(file >= 0);
  const TerminalStyle style = terminal_style(file);
  ::close(file);
  CHECK(!style.colour);
  CHECK(style.width == 0);
}

TEST_CASE("a shell reads the words of a command to paste as they were") {
  CHECK(shell_word("results/my-study_2.csv") == "results/my-study_2.csv");
  CHECK(shell_word("Größe") == "Größe");
  CHECK(shell_word("my study") == "'my study'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  for (const std::string word :
       {"", "~", "a b", "$HOME", "`id`", "a;b", "*", "it's 'so'", "a\\b", "#x", "\"", "a\tb"}) {
    FILE* const shell = ::popen(("printf %s " + shell_word(word)).c_str(), "r");
    REQUIRE(shell != nullptr);
    std::string read(100, '\0');
    read.resize(::fread(read.data(), 1, read.size(), shell));
    CHECK(::pclose(shell) == 0);
    CHECK(read == word);
  }
}

}  // namespace
}  // namespace terminal_text_test
