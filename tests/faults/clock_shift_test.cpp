// The wall clock jumps by hours while commands run: no result changes, and no time limit is met too soon or never.
#include <doctest/doctest.h>

#include "tests/faults/scenarios.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/test_paths.hpp"

namespace clock_shift_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kEndless = {"run",   "c.toml",
                                           "--out", "endless",
                                           "--set", "timeout=\"0.2s\"",
                                           "--set", "repeats=1",
                                           "--set", "method.1.solver.max_iter=1000000000"};

/// A command under a clock that jumps, and how often it looked at it.
struct Shifted {
  Ended ended;
  std::size_t looks = 0;
};

Shifted run_shifted(const std::vector<std::string>& arguments, const fs::path& folder) {
  const ScratchFolder scratch;
  std::string line = "LD_PRELOAD='" + std::string(clock_shift_library()) + "' ALIDADE_CLOCK_LOG='" +
                     (scratch / "log").string() + "' '" + std::string(alidade_command()) + "'";
  for (const std::string& word : arguments) line += " '" + word + "'";
  Shifted out{run_line(line, folder)};
  out.looks = content_of(scratch / "log").size();
  return out;
}

}  // namespace

TEST_CASE("a wall clock that jumps by hours changes no result") {
  for (const Scenario& scenario : {run_scenario(), embed_scenario(), merge_scenario()}) {
    CAPTURE(scenario.name);
    const Expected expected = undisturbed(scenario);
    const fs::path folder = restarted(scenario);
    const Shifted shifted = run_shifted(scenario.arguments, folder);
    INFO(shifted.ended.out, shifted.ended.err);
    CHECK(shifted.ended.status == 0);
    CHECK(shifted.looks > 0);
    CHECK(difference(scenario.outcome(folder), expected.outcome) == "");
  }
}

TEST_CASE("a wall clock that jumps by hours neither hastens nor delays a time limit") {
  const Scenario scenario = run_scenario();
  const fs::path folder = restarted(scenario);
  // Far from the limit it is not met ...
  Shifted shifted = run_shifted({"run", "c.toml", "--out", "r", "--set", "timeout=\"1h\""}, folder);
  CHECK(shifted.looks > 0);
  CHECK(shifted.ended.out.find("4 runs: 4 ok") == 0);
  // ... and a run that has no other end meets it, or, on a machine that gives it no time to notice, is killed for it.
  shifted = run_shifted(kEndless, folder);
  INFO(shifted.ended.out, shifted.ended.err);
  const std::string rows = content_of(folder / "endless/runs.jsonl");
  CHECK((rows.find("\"termination\":\"time_limit\"") != std::string::npos ||
         rows.find("Exceeded the time limit of 0.2 s") != std::string::npos));
}

TEST_SUITE_BEGIN("timing");

TEST_CASE("under a wall clock that jumps by hours a run meets its time limit by itself") {
  const Scenario scenario = run_scenario();
  const fs::path folder = restarted(scenario);
  const Shifted shifted = run_shifted(kEndless, folder);
  INFO(shifted.ended.out, shifted.ended.err);
  CHECK(shifted.ended.status == 0);
  const std::string rows = content_of(folder / "endless/runs.jsonl");
  CHECK(rows.find("\"termination\":\"time_limit\"") != std::string::npos);
}

TEST_SUITE_END();

}  // namespace clock_shift_test
