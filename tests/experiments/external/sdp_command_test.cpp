// Commands as solvers of semidefinite programs: a good one, wrong ones, and CSDP's own program where it is installed.
#include <doctest/doctest.h>

#include "tests/support/command_line.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/text_holds.hpp"

namespace sdp_command_test {

using namespace alidade::testing;

namespace {

/// The theta number of a cycle of five, the square root of 5: max <J, X>, tr X = 1, X_ij = 0 on edges.
std::string cycle() {
  std::string out = "6\n1\n5\n1 0 0 0 0 0\n";
  for (int i = 1; i <= 5; ++i)
    for (int j = i; j <= 5; ++j) out += "0 1 " + std::to_string(i) + " " + std::to_string(j) + " 1\n";
  for (int i = 1; i <= 5; ++i) out += "1 1 " + std::to_string(i) + " " + std::to_string(i) + " 1\n";
  for (int i = 1; i <= 4; ++i)
    out += std::to_string(i + 1) + " 1 " + std::to_string(i) + " " + std::to_string(i + 1) + " 1\n";
  return out + "6 1 1 5 1\n";
}

struct Desk {
  ScratchFolder scratch;
  Desk() { write_text(scratch / "p.dat-s", cycle()); }
  [[nodiscard]] Ended solve(const std::string& command, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"sdp", "p.dat-s", "--solver", "sdp_command", "--option", "command=" + command};
    words.insert(words.end(), more.begin(), more.end());
    return run_command(words, scratch);
  }
  void script(const std::string& text) const { write_text(scratch / "s.sh", text); }
};

}  // namespace

TEST_CASE("a command solves a semidefinite program, and Alidade proves its bound") {
  const Desk desk;
  run_well("sdp p.dat-s --solver admm -o good", desk.scratch);
  desk.script("cp '" + (desk.scratch / "good").string() + "' \"$2\"; grep -c . \"$1\" >&2\n");
  const Ended ended = succeeded(desk.solve("[sh, s.sh]", {"-o", "again"}));
  CHECK(holds_all(ended.out, {"sdp_command", "converged", "2.2360", "y proves the bound"}));
  run_well("verify p.dat-s again", desk.scratch);
}

TEST_CASE("a command that fails, or whose solution is wrong, proves nothing") {
  const Desk desk;
  desk.script("echo no licence >&2; exit 4\n");
  const Ended failed = desk.solve("[sh, s.sh]");
  CHECK(failed.status == 1);
  CHECK(holds_all(failed.out, {"backend_failure", "exit status 4", "no licence"}));
  desk.script("echo 7 nonsense > \"$2\"\n");
  CHECK(holds_all(desk.solve("[sh, s.sh]").out, {"backend_failure", "solution"}));
  desk.script("echo '-900 -900' > \"$2\"\n");
  const Ended wrong = desk.solve("[sh, s.sh]");
  CAPTURE(wrong.out);
  CHECK(wrong.status == 1);
  CHECK(wrong.out.find("converged") == std::string::npos);
  CHECK(desk.solve("no_such_program").err.find("no program 'no_such_program'") != std::string::npos);
}

TEST_CASE("CSDP's own program is such a command") {
  if (!there_is("csdp")) {
    MESSAGE("skipped: there is no program csdp");
    return;
  }
  const Desk desk;
  CHECK(holds_all(desk.solve("csdp").out, {"converged", "2.2360", "y proves the bound"}));
  write_text(desk.scratch / "c.toml", R"(name = "own"
[[dataset]]
name = "star"
[[method]]
id = "ours"
problem = "psde"
solver = { name = "cutting_plane", solver = "csdp" }
[[method]]
id = "theirs"
problem = "psde"
solver = { name = "cutting_plane", solver = { name = "sdp_command", command = ["csdp"] } }
)");
  run_well("run c.toml", desk.scratch);
}

}  // namespace sdp_command_test
