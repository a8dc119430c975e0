#include <doctest/doctest.h>

#include <string>

#include "tests/support/command_line.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace pages_command_test {

using namespace alidade::testing;
namespace fs = std::filesystem;

TEST_CASE("pages writes tables between their markers, lists them, and finds what moved") {
  const ScratchFolder path{
      {"tiny.toml", std::string("name = \"tiny\"\nrepeats = 3\nseed = 4\n") + kSmallData + kQuickMethods}};
  run_well("run tiny.toml -o results/tiny", path);
  const std::string first =
      "[[table]]\nname = \"errors\"\npage = \"page.md\"\nshows = \"Errors.\"\nconfigs = [\"tiny.toml\"]\n"
      "commands = [\"table results/tiny --rows \\\"method\\\"\", \"table results/tiny --value seconds.cpu\", \"table "
      "results/tiny --value n\"]\n"
      "measures = [\"solvers\"]\ncpu_minutes = 0.5\ncheck = true\n";
  write_text(path / "tables.toml", first +
                                       "[[table]]\nname = \"other\"\npage = \"page.md\"\nconfigs = [\"none.toml\"]\n"
                                       "commands = [\"table results/none\"]\n");
  const std::string page =
      "# Title\n<!-- table errors -->\nold\n<!-- end errors -->\nBetween.\n<!-- table other -->\nkept\n"
      "<!-- end other -->\nLast.\n";
  write_text(path / "page.md", page);

  const Ended listed = run_command("pages tables.toml --list", path);
  CHECK(listed.out == "errors\t-\t0.5\tcheck\ttiny.toml\tsolvers\t-\nother\t-\t0\t-\tnone.toml\t-\t-\n");
  CHECK(content_of(path / "page.md") == page);

  check_refused({"pages", "tables.toml", "--check"}, path, {"nothing was compared", "results", "Run its config"});
  run_well("pages tables.toml", path);  // without a commit it is compared, too
  CHECK(holds_all(run_well("pages tables.toml --check", path).out, {"1 table compared; 0 figures moved"}));

  run_well("pages tables.toml --commit abc123", path);
  const std::string written = content_of(path / "page.md");
  CAPTURE(written);
  CHECK(holds_all(
      written,
      {"# Title\n<!-- table errors -->\n\nErrors.\n\n    alidade run tiny.toml\n    alidade table ", "over 3 repeats",
       "*Made at commit abc123 on 20", "seconds of CPU time.*\n<!-- end errors", "\nkept\n\n*Stale: ", "Last.\n"}));
  CHECK(written.find("old\n") == std::string::npos);
  // Again: the same, and the mark is not set twice.
  run_well("pages tables.toml --commit abc123", path);
  CHECK(content_of(path / "page.md") == written);
  CHECK(holds_all(run_command("pages tables.toml errors --list", path).out, {"errors\tabc123\t0\t"}));

  const Ended same = run_well("pages tables.toml --check", path);
  CHECK(holds_all(same.out, {"1 table compared; 0 figures moved"}));
  run_well("run tiny.toml -o other/tiny --set dataset.0.n=30", path);
  const Ended moved = run_command("pages tables.toml errors --check --results other", path);
  CAPTURE(moved.out);
  CHECK(moved.status == 1);
  CHECK(holds_all(moved.out, {"errors: ste / ceres, gaussian: 20", " -> 30"}));

  check_refused({"pages", "tables.toml", "erors"}, path, {"tables.toml: there is no table 'erors'", "'errors'"});
  write_text(path / "page.md", "nothing\n");
  check_refused({"pages", "tables.toml"}, path, {"page.md: there is no place for table 'errors'"});
  write_text(path / "page.md", "<!-- end errors -->\n<!-- table errors -->\n");
  check_refused({"pages", "tables.toml"}, path, {"page.md: table 'errors' needs both of its lines"});
  write_text(path / "twice.toml", first + first);
  check_refused({"pages", "twice.toml"}, path, {"twice.toml:10:", "two tables of the name 'errors'"});
  write_text(path / "both.toml",
             "[[table]]\nname = \"a\"\npage = \"page.md\"\nscript = \"date\"\ncommands = [\"table results/tiny\"]\n");
  check_refused({"pages", "both.toml"}, path, {"both.toml:1:", "table 'a' has a script", "Leave one out"});
  write_text(path / "of.toml", "[[table]]\nname = \"a\"\npage = \"page.md\"\nof = [\"b\"]\n");
  check_refused({"pages", "of.toml"}, path, {"of.toml:1:", "table 'a' is of 'b'", "no table"});
  write_text(path / "bad.toml", "[[table]]\nname = \"a\"\npage = \"page.md\"\ncolour = 3\n");
  check_refused({"pages", "bad.toml"}, path, {"bad.toml:4:", "colour"});
}

TEST_CASE("reproduce.sh makes tables, resumes, checks them and lists those whose code has changed") {
  if (!there_is("git")) {
    MESSAGE("skipped: no git here");
    return;
  }
  const ScratchFolder scratch;
  const fs::path experiments = scratch / "experiments";
  fs::create_directories(experiments);
  fs::copy_file(std::string(source_folder()) + "/experiments/reproduce.sh", experiments / "reproduce.sh");
  write_text(scratch / "tiny.toml",
             std::string("name = \"tiny\"\nrepeats = 2\nseed = 4\n") + kSmallData + kQuickMethods);
  write_text(scratch / "code.cpp", "1\n");
  write_text(scratch / "page.md",
             "<!-- table sizes -->\n<!-- end sizes -->\n<!-- table claims -->\n<!-- end claims -->\n"
             "<!-- table printed -->\n<!-- end printed -->\n<!-- table verdicts -->\n<!-- end verdicts -->\n");
  write_text(
      scratch / "claims.toml",
      "[[claim]]\nname = \"a\"\nsays = \"A\"\nresults = \"tiny\"\nrule = \"within\"\nvalue = \"n\"\nat_most = 20\n");
  write_text(experiments / "tables.toml",
             "[[table]]\nname = \"claims\"\npage = \"page.md\"\ncommands = [\"claims claims.toml results/*\"]\n"
             "[[table]]\nname = \"verdicts\"\npage = \"page.md\"\nclaims = \"claims.toml\"\nof = [\"sizes\"]\n"
             "[[table]]\nname = \"printed\"\npage = \"page.md\"\n"
             "script = \"echo once >> log; echo '| a |'; echo '|--|'; cat number\"\nmeasures = [\"code.cpp\"]\n"
             "[[table]]\nname = \"sizes\"\npage = \"page.md\"\nconfigs = [\"tiny.toml\"]\ncheck = true\n"
             "commands = [\"table results/tiny --value n\"]\nmeasures = [\"code.cpp\"]\n");
  const auto sh = [&](const std::string& line) { return run_line(line, scratch); };
  const std::string git = "git -c user.name=t -c user.email=t@t -c commit.gpgsign=false ";
  REQUIRE(sh("git init -q . && git add -A && " + git + "commit -qm first").status == 0);
  const std::string script =
      "env -u RESULTS -u JOBS ALIDADE='" + std::string(alidade_command()) + "' bash experiments/reproduce.sh ";

  CHECK(holds_all(sh(script + "--stale sizes").out, {"sizes", "never made by its commands"}));
  // What a script printed before it failed is no table.
  CHECK(sh(script + "printed").status == 1);
  CHECK(content_of(scratch / "page.md").find("\n| a |") == std::string::npos);
  write_text(scratch / "number", "| 1 |\n");
  succeeded(sh(script));
  const std::string page = content_of(scratch / "page.md");
  CAPTURE(page);
  CHECK(holds_all(page, {"    echo once >> log", "\n| a |\n|--|\n| 1 |\n\n*Made at commit ", " on 20",
                         "alidade table results/tiny --value n", "*Made at commit ", "**holds**"}));
  CHECK(sh(script + "printed").status == 0);
  CHECK(content_of(scratch / "log") == "once\nonce\n");  // kept
  CHECK(holds_all(page.substr(page.find("<!-- table verdicts")),
                  {"alidade run tiny.toml\n    alidade claims claims.toml results/tiny --given-only\n", "**holds**",
                   "seconds of CPU time.*"}));
  const Ended again = sh(script + "sizes");
  CHECK(holds_all(again.out + again.err, {"4 done before"}));
  CHECK(content_of(scratch / "page.md") == page);
  CHECK(sh(script + "--stale sizes").status == 0);
  const Ended check = succeeded(sh(script + "--check"));
  CHECK(holds_all(check.out, {"1 table compared; 0 figures moved"}));

  write_text(scratch / "code.cpp", "one\n");
  REQUIRE(sh(git + "commit -qam 'Name the code' -m 'Results: unchanged'").status == 0);
  CHECK(sh(script + "--stale sizes").status == 0);
  write_text(scratch / "code.cpp", "2\n");
  REQUIRE(sh(git + "commit -qam 'Change the code'").status == 0);
  const Ended stale = sh(script + "--stale sizes");
  CHECK(stale.status == 1);
  CHECK(holds_all(stale.out, {"sizes", "Change the code"}));
  CHECK(holds_all(sh(script + "--stale verdicts").out, {"verdicts", "Change the code"}));
  CHECK(sh(script + "--nothing").status == 2);
  const Ended unbuilt = sh("env -u ALIDADE bash experiments/reproduce.sh");
  CHECK(unbuilt.status == 2);
  CHECK(holds_all(unbuilt.err, {"no command 'build/release/alidade'", "Build it"}));
  CHECK(sh(script + "nowhere").status == 2);
}

}  // namespace pages_command_test
