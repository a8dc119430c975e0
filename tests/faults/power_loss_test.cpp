// The power fails after each change that a command makes to its folder: whatever was not synced may be gone. And the
// command is killed before each of its calls. Given again, it comes to what it brings about undisturbed.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "experiments/datasets/download/http_download.hpp"
#include "tests/faults/disk_model.hpp"
#include "tests/faults/fault_kinds.hpp"
#include "tests/faults/scenarios.hpp"
#include "tests/faults/traced_command.hpp"
#include "tests/support/needs_curl.hpp"
#include "tests/support/needs_data.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/test_paths.hpp"

namespace power_loss_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

using Left = DiskModel::Left;

/// Tries every `stride`-th of the states that a power failure may leave; returns how many differ.
std::size_t lose_power(const Scenario& scenario, std::size_t stride) {
  CAPTURE(scenario.name);
  const Expected expected = undisturbed(scenario);
  const fs::path folder = restarted(scenario);
  DiskModel disk(folder);
  std::set<DiskModel::State> seen;
  std::vector<std::pair<std::string, DiskModel::State>> states;
  const auto look = [&](const std::string& when) {
    for (const Left left : {Left::nothing, Left::names, Left::bytes, Left::names_and_half}) {
      DiskModel::State state = disk.left(left);
      if (seen.insert(state).second)
        states.emplace_back(when + ", left " + std::to_string(static_cast<int>(left)), state);
    }
  };
  std::size_t calls = 0;
  const TracedEnd end = run_traced(
      scenario.arguments, folder, DiskModel::calls(), [](const SystemCall&) { return Fate{}; },
      [&](const SystemCall& call, std::int64_t result) {
        if (disk.note(call, result))
          look(fmt::format("after change {}, call {} on {}", ++calls, call.number,
                           call.path.substr(folder.native().size())));
      });
  REQUIRE(end.ended.status == 0);
  for (std::size_t i = 0; i < states.size(); i += stride) {
    const auto& [when, state] = states[i];
    CAPTURE(when);
    DiskModel::write(state, emptied(scenario));
    CHECK(scenario.lost(folder) == "");
    check_given_again(scenario, expected, folder, Logs::may_be_lost);
  }
  // A command that said that it is done has everything on disk.
  DiskModel::write(disk.left(Left::nothing), emptied(scenario));
  CHECK_MESSAGE(difference(scenario.outcome(folder), expected.outcome) == "", "what was reported as done is lost");
  MESSAGE(scenario.name << ": " << calls << " changes, " << states.size() << " states, every " << stride << "th tried");
  return states.size();
}

/// Kills the command before every `stride`-th of those `calls` that are in its folder, of all its processes.
int kill_everywhere(const Scenario& scenario, int stride, const std::vector<long>& calls = calls_on_files()) {
  CAPTURE(scenario.name);
  const Expected expected = undisturbed(scenario);
  int kills = 0;
  for (int n = 1;; n += stride) {
    CAPTURE(n);
    const fs::path folder = restarted(scenario);
    int met = 0;
    std::string where;
    const TracedEnd end = run_traced(scenario.arguments, folder, calls, [&](const SystemCall& call) -> Fate {
      if (!is_below(call.path, folder) || ++met != n) return {};
      where = fmt::format("call {} on {}", call.number, call.path);
      return {Fate::Kind::killed};
    });
    if (met < n) break;
    ++kills;
    CAPTURE(where);
    CHECK_FALSE(end.hung);
    CHECK(end.ended.status == -SIGKILL);
    CHECK(scenario.lost(folder) == "");
    check_given_again(scenario, expected, folder);
  }
  MESSAGE(scenario.name << ": killed " << kills << " times");
  return kills;
}

}  // namespace

TEST_CASE("a power failure takes what was not synced, and only that") {
  ALIDADE_NEEDS_TRACING();
  const Scenario scenario = run_scenario();  // its rows are synced, the names of its logs are not
  const fs::path folder = restarted(scenario);
  DiskModel disk(folder);
  const TracedEnd end = run_traced(
      scenario.arguments, folder, DiskModel::calls(), [](const SystemCall&) { return Fate{}; },
      [&](const SystemCall& call, std::int64_t result) { disk.note(call, result); });
  REQUIRE(end.ended.status == 0);
  const auto logs = [](const DiskModel::State& state) {
    return std::ranges::count_if(state, [](const auto& file) { return file.first.ends_with(".log"); });
  };
  const std::string rows = content_of(folder / "r/runs.jsonl");
  for (const Left left : {Left::nothing, Left::names, Left::bytes, Left::names_and_half})
    CHECK(disk.left(left).at("r/runs.jsonl") == rows);
  CHECK(logs(disk.left(Left::nothing)) == 0);
  CHECK(logs(disk.left(Left::bytes)) == 0);
  CHECK(logs(disk.left(Left::names)) == 4);
  DiskModel::write(disk.left(Left::names_and_half), emptied(scenario));
  CHECK(content_of(folder / "r/runs.jsonl") == rows);
}

TEST_CASE("a resumed run comes to the same results after a power failure") {
  ALIDADE_NEEDS_TRACING();
  CHECK(lose_power(resume_scenario(), 17) > 40);
}

TEST_CASE("a map replaced when the power fails is the earlier or the new one") {
  ALIDADE_NEEDS_TRACING();
  CHECK(lose_power(embed_again_scenario(), 7) > 20);
  CHECK(kill_everywhere(embed_again_scenario(), 13) > 5);
}

TEST_CASE("a merge killed before changes that it makes comes to the same results") {
  ALIDADE_NEEDS_TRACING();
  CHECK(kill_everywhere(merge_scenario(), 9, DiskModel::calls()) > 5);
}

TEST_SUITE_BEGIN("heavy");

TEST_CASE("commands come to the same results after every power failure") {
  ALIDADE_NEEDS_TRACING();
  CHECK(lose_power(run_scenario(), 1) > 80);
  CHECK(lose_power(resume_scenario(), 1) > 40);
  CHECK(lose_power(embed_scenario(), 1) > 20);
  CHECK(lose_power(embed_again_scenario(), 1) > 20);
  CHECK(lose_power(merge_scenario(), 1) > 20);
  CHECK(lose_power(repair_scenario(), 1) > 20);
}

TEST_CASE("commands killed before their calls come to the same results") {
  ALIDADE_NEEDS_TRACING();
  CHECK(kill_everywhere(run_scenario(), 5) > 40);
  CHECK(kill_everywhere(resume_scenario(), 5) > 20);
  CHECK(kill_everywhere(embed_scenario(), 3) > 30);
  CHECK(kill_everywhere(embed_again_scenario(), 3) > 50);
  CHECK(kill_everywhere(merge_scenario(), 4) > 50);
  CHECK(kill_everywhere(repair_scenario(), 4) > 30);
  CHECK(kill_everywhere(two_jobs_scenario(), 9) > 10);
  CHECK(kill_everywhere(in_process_scenario(), 9) > 10);
  CHECK(kill_everywhere(shard_scenario(), 9) > 10);
  CHECK(kill_everywhere(report_scenario(), 3) > 5);
  CHECK(kill_everywhere(sdp_scenario(), 1) > 5);
  CHECK(kill_everywhere(init_scenario(), 1) > 3);
}

TEST_CASE("ranks of MPI killed at their calls lose nothing") {
  ALIDADE_NEEDS_TRACING();
#ifdef ALIDADE_SANITIZED
  MESSAGE("skipped: Open MPI is not made for sanitizers");
#else
  if (!fs::exists(fs::path(alidade_command()).parent_path() / "alidade_mpi.so") || !there_is("mpirun")) {
    MESSAGE("skipped: there is no MPI here");
    return;
  }
  const std::vector<std::string> mpirun = {"mpirun", "-n", "2", "--oversubscribe", "--allow-run-as-root"};
  const Scenario scenario = resume_scenario();
  const Expected expected = undisturbed(scenario);
  int kills = 0;
  constexpr int kStride = 9;
  for (int n = 1;; n += kStride) {
    CAPTURE(n);
    const fs::path folder = restarted(scenario), results = folder / "r";
    int met = 0;
    std::string where;
    const TracedEnd end = run_traced(
        scenario.arguments, folder, calls_on_files(),
        [&](const SystemCall& call) -> Fate {
          if (!is_below(call.path, results) || ++met != n) return {};
          where = fmt::format("call {} on {}", call.number, call.path);
          return {Fate::Kind::killed_alone};
        },
        {}, mpirun);
    if (met < n) break;
    ++kills;
    CAPTURE(where);
    CHECK_FALSE(end.hung);
    CHECK(scenario.lost(folder) == "");
    check_given_again(scenario, expected, folder);
  }
  MESSAGE("ranks killed " << kills << " times");
  CHECK(kills > 4);
#endif
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("needs data");

TEST_CASE("data fetch comes to the same files after power failures and kills") {
  ALIDADE_NEEDS_CURL();
  ALIDADE_NEEDS_DATA();
  const std::string data = alidade::testing::public_data();
  ALIDADE_NEEDS_TRACING();
  CHECK(lose_power(fetch_scenario(data), 1) > 3);
  CHECK(kill_everywhere(fetch_scenario(data), 1) > 10);
}

TEST_SUITE_END();

}  // namespace power_loss_test
