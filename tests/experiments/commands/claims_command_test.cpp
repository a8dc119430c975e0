#include <doctest/doctest.h>

#include <regex>
#include <string>

#include "experiments/files/durable_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/text_holds.hpp"

namespace claims_command_test {

using namespace alidade::testing;
namespace fs = std::filesystem;

TEST_CASE("claims judges rows of a run, and what has no results is left open") {
  const ScratchFolder path{
      {"c.toml", std::string("name = \"tiny\"\nrepeats = 3\nseed = 4\n") + kSmallData + kQuickMethods}};
  run_well("run c.toml -o results/tiny", path);
  const std::string claim =
      "[[claim]]\nname = \"bounded\"\npaper = \"AB20\"\nsays = \"Errors are shares\"\nrule = \"within\"\nat_least = 0\n"
      "at_most = 1\n";
  write_text(path / "claims.toml", claim +
                                       "results = \"tiny\"\n[[claim]]\nname = \"other\"\nsays = \"Another\"\n"
                                       "results = \"elsewhere\"\nrule = \"within\"\nat_most = 1\n");
  const Ended text = run_quietly("claims claims.toml results/tiny/", path);
  CHECK(
      holds_all(text.out, {"| AB20", "3 of 3 within", "**holds**", "no results of elsewhere were given", "| not run"}));
  const Ended given = run_well("claims claims.toml results/tiny --given-only", path);
  CHECK(holds_all(given.out, {"Errors are shares", "**holds**"}));
  CHECK(given.out.find("Another") == given.out.npos);
  const Ended summary = run_command("claims claims.toml results/tiny --format summary", path);
  CHECK(holds_all(summary.out, {"Of 2 claims of 2 papers, holds: 1, ", "not run: 1", "| AB20 "}));
  CHECK(holds_all(run_command("claims claims.toml results/tiny --paper AB20", path).out, {"**holds**"}));
  check_refused({"claims", "claims.toml", "results/tiny", "--paper", "XY"}, path, {"no claim is about the paper 'XY'"});
  // The same on another instruction set is judged apart.
  fs::copy(path / "results/tiny", path / "results/tiny.other", fs::copy_options::recursive);
  const fs::path manifest = path / "results/tiny.other/manifest.json";
  write_text(manifest,
             std::regex_replace(*alidade::file_content(manifest), std::regex("avx512|avx2|baseline"), "other"));
  CHECK(holds_all(run_command("claims claims.toml results/tiny results/tiny.other --given-only", path).out,
                  {"on other: ste", "**holds**"}));
  const Ended csv = run_command("claims claims.toml results/tiny --format csv", path);
  CHECK(csv.out.starts_with("name,paper,figure,claim,"));

  write_text(path / "alone.toml", claim);
  run_well("claims alone.toml results/tiny", path);
  run_well("run c.toml -o more/tiny", path);
  run_well("run c.toml -o results/second", path);
  check_refused({"claims", "alone.toml", "results/tiny", "results/second"}, path,
                {"alone.toml:1:", "claim 'bounded' does not say which of the 2 folders"});
  check_refused({"claims", "alone.toml", "results/tiny", "more/tiny"}, path, {"Two results folders are called 'tiny'"});
  check_refused({"claims", "claims.toml", "results/second", "--given-only"}, path,
                {"claims.toml: no claim is about the results that were given"});
  check_refused({"claims", "nowhere.toml", "results/tiny"}, path, {"nowhere.toml"});
  check_refused({"claims", "alone.toml", "nowhere"}, path, {"nowhere"});
  check_refused({"claims", "alone.toml", "results/tiny", "--format", "latex"}, path, {"'latex'"});
  write_text(path / "bad.toml", "[[claim]]\nname = \"x\n");
  check_refused({"claims", "bad.toml", "results/tiny"}, path, {"bad.toml:2:"});
}

}  // namespace claims_command_test
