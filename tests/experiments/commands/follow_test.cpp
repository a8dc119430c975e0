// `alidade report --follow`: the page of a real run in progress, and of one that has ended.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/held_run.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace follow_test {

using namespace alidade::testing;

namespace {

constexpr std::string_view kReload = "<meta http-equiv=\"refresh\"";

/// Twelve quick runs of each method.
std::string study(int methods) {
  std::string out = R"(name = "study"
repeats = 12
[[dataset]]
name = "uniform"
n = 12
triplets = 200
[[method]]
id = "quick"
problem = "ste"
solver = { name = "ceres", max_iter = 3 }
)";
  if (methods > 1)
    out += R"([[method]]
id = "other"
problem = "ste"
solver = { name = "riemannian_sgd", max_iter = 3 }
)";
  return out;
}

}  // namespace

TEST_CASE("a page follows a run until all runs have ended, and reloads itself only meanwhile") {
  const ScratchFolder scratch;
  const auto page = scratch / "r/report.html";
  const std::vector<alidade::PlannedRun> runs =
      alidade::plan(alidade::interpret(alidade::parse_config(study(2), "c.toml")));
  write_text(scratch / "c.toml", study(2));
  const auto held = hold_run(scratch / "r", runs[13].id);
  Command run({"run", "c.toml", "-o", "r"}, scratch);
  constexpr std::chrono::seconds kPatience{240};
  REQUIRE(wait_until([&] { return lines_of(content_of(scratch / "r/runs.jsonl")).size() == 13; }, kPatience));
  Command follow({"report", "r", "--follow"}, scratch);
  std::string seen;
  REQUIRE(wait_until(
      [&] {
        seen = std::filesystem::exists(page) ? content_of(page) : "";
        return holds(seen, "Running: ");
      },
      kPatience));
  CHECK(holds_all(seen, {kReload, "Running: 13 of 24 runs.</strong>"}));
  CHECK(holds(seen, "</html>"));  // replaced whole
  // The run is killed, and the same command does the runs that are left: the page follows both.
  run.send(SIGKILL);
  CHECK(run.wait().status == -SIGKILL);
  std::filesystem::remove(held);
  run_well("run c.toml -o r", scratch);
  const Ended followed = succeeded(follow.wait());
  CHECK(followed.out == "r/report.html\n");
  CHECK(holds(followed.err, "Finished: 24 of 24 runs."));
  CHECK(holds_none(content_of(page), {kReload, "Running: "}));
  CHECK(holds(content_of(page), "24 runs of 2 methods"));
}

TEST_CASE("an interrupted follower leaves a page that does not reload") {
  const ScratchFolder scratch{{"c.toml", study(1)}};
  run_well("run c.toml -o r", scratch);
  // As if the last run were still to come.
  const auto rows = lines_of(content_of(scratch / "r/runs.jsonl"));
  std::string first;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) first += rows[i] + "\n";
  write_text(scratch / "r/runs.jsonl", first);
  Command follow({"report", "r", "--follow", "-o", "page.html"}, scratch);
  const auto page = scratch / "page.html";
  REQUIRE(wait_until([&] { return std::filesystem::exists(page); }));
  CHECK(holds_all(content_of(page), {"Running: 11 of 12 runs.", kReload}));
  follow.send(SIGINT);
  const Ended ended = follow.wait();
  CHECK(ended.status == 130);
  CHECK(holds(ended.err, "does not reload any more"));
  CHECK_FALSE(holds(content_of(page), kReload));
}

TEST_CASE("following needs one folder that is there, and makes one page") {
  const ScratchFolder scratch;
  const auto refusal = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"report", "--follow"});
    const Ended ended = run_command(arguments, scratch);
    CHECK(ended.status == 2);
    return ended.err;
  };
  CHECK(holds(refusal({"nowhere"}), "Start the run first"));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"a", "b", "-o", "x.html"}, {"a", "-o", "-"}, {"a", "--figures", "f"}})
    CHECK(holds(refusal(more), "one page of one folder"));
}

}  // namespace follow_test
