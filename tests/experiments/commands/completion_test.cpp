#include "experiments/commands/command.hpp"

#include <doctest/doctest.h>

#include <set>

#include "experiments/commands/commands.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace completion_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

/// What bash offers for a command line whose last word is being typed.
std::set<std::string> offered(const std::vector<std::string>& words) {
  const ScratchFolder folder;
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  write_text(folder / "try.sh", "compopt() { :; }\nsource <('" + std::string(alidade_command()) +
                                    "' completion bash)\nCOMP_WORDS=(" + line +
                                    ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_alidade\n"
                                    "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const Ended ended = run_line("bash try.sh", folder);
  REQUIRE_MESSAGE(ended.status == 0, ended.err);
  CHECK(ended.err.empty());
  const auto lines = lines_of(ended.out);
  return {lines.begin(), lines.end()};
}

using Words = std::set<std::string>;

TEST_CASE("bash completes commands, options, names of the catalogs and files") {
  CHECK(offered({"alidade", "em"}) == Words{"embed"});
  CHECK(offered({"alidade", "data", "f"}) == Words{"fetch"});
  CHECK(offered({"alidade", "list", "p"}) == Words{"problems"});
  CHECK(offered({"alidade", "list", "problems", "isom"}) == Words{"isomap"});
  CHECK(offered({"alidade", "list", "solvers", "low"}) == Words{"low_rank"});
  CHECK(offered({"alidade", "embed", "--prob"}) == Words{"--problem"});
  CHECK(offered({"alidade", "embed", "--problem", "nerv"}) == Words{"nerv", "nerv_sparse"});
  CHECK(offered({"alidade", "embed", "-s", "cutt"}) == Words{"cutting_plane"});
  CHECK(offered({"alidade", "data", "info", "olive"}) == Words{"olivetti"});
  CHECK(offered({"alidade", "embed", "try"}) == Words{"try.sh"});
  CHECK(offered({"alidade", "run", "--out", "try"}) == Words{"try.sh"});
  CHECK(offered({"alidade", "completion", ""}) == Words{"bash", "zsh"});
  CHECK(offered({"alidade", "help", "ta"}) == Words{"table"});
  CHECK(offered({"alidade", "ranks", "--post-hoc", "h"}) == Words{"holm"});
}

TEST_CASE("zsh reads its script, which has every command and escapes special characters") {
  const Ended script = run_well("completion zsh");
  CHECK(script.out.starts_with("#compdef alidade\n"));
  CHECK(holds_all(script.out, {"_alidade_embed()", "_alidade_data_fetch()", "isomap"}));
  commands::Command tricky{"alidade", "", "maps"};
  tricky.commands.push_back({"do", "", "it's [a: b]"});
  const std::string text = commands::completion_script(tricky, "zsh");
  CHECK(text.find("'do:it'\\''s \\[a\\: b\\]'") != std::string::npos);
  if (!there_is("zsh")) {
    MESSAGE("no zsh here: its script was not read by it");
    return;
  }
  const ScratchFolder folder{{"_alidade", script.out}};
  const Ended ended = run_line("zsh -n _alidade", folder);
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(ended.err.empty());
}

TEST_CASE("an unknown shell is refused") {
  const Ended ended = run_command("completion fish");
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(ended.err.find("'shell' is bash or zsh, not 'fish'") != std::string::npos);
}

TEST_CASE("completion offers what an option takes") {
  CHECK(offered({"alidade", "table", "--interval", ""}) == Words{"usual", "t", "bootstrap", "none", "quartiles"});
  CHECK(offered({"alidade", "cite", "--format", ""}) == Words{"text", "latex", "bibtex"});
  CHECK(offered({"alidade", "embed", "--missing", ""}) == Words{"error", "drop", "mean", "knn", "path", "weight"});
  CHECK(offered({"alidade", "embed", "--test", "try"}) == Words{"try.sh"});
  for (const commands::Command& command : commands::all_commands())
    for (const commands::CommandOption& option : command.options) {
      const std::vector<std::string> words = option.values();
      if (words.empty() || option.is_argument() || option.is_flag()) continue;
      CAPTURE(command.name);
      CAPTURE(option.name);
      CHECK(offered({"alidade", command.name, option.names().back(), ""}) == Words(words.begin(), words.end()));
    }
}

TEST_CASE("the manual page has every command and option, and escapes roff's special characters") {
  const Ended page = run_well({"man"});
  CHECK(holds_all(page.out, {".TH ALIDADE 1", ".SS \"alidade embed\"", ".SS \"alidade data fetch\"",
                             "\\fB\\-\\-bootstrap\\fR", ".SH EXIT STATUS", "ALIDADE_DATA"}));
  commands::Command tricky{"alidade", "", "maps"};
  tricky.commands.push_back({"x", "", ".dots \\ 'quotes'-"});
  const std::string text = commands::man_page(tricky, "1");
  CHECK(text.find("\\&.dots \\e 'quotes'\\-") != std::string::npos);
  if (!there_is("man")) {
    MESSAGE("no man here: the page was not set");
    return;
  }
  const ScratchFolder folder{{"alidade.1", page.out}};
  const Ended set = run_line("man --warnings -l alidade.1", folder);
  CHECK_MESSAGE(set.status == 0, set.err);
  CHECK_MESSAGE(set.err.empty(), set.err);
  CHECK(set.out.find("alidade ranks") != std::string::npos);
}

TEST_CASE("the version says how the program was built") {
  const Ended ended = run_well({"--version"});
  const auto lines = lines_of(ended.out);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("alidade "));
  CHECK(lines[1].starts_with("Built by "));
  CHECK(lines[2].find("Eigen 3") != std::string::npos);
  CHECK(lines[3].starts_with("With "));
}

}  // namespace
}  // namespace completion_test
