// A run that is killed again and again, each time before another of its calls, resumes to what an undisturbed one
// brings about. Every call of a command from nothing: power_loss_test.cpp; random moments: endurance_test.cpp.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/syscall.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/results/rows.hpp"
#include "tests/faults/fault_kinds.hpp"
#include "tests/faults/traced_command.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_experiments.hpp"

namespace killed_run_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

/// Before which calls on files of the results the command is killed: before the n-th of this kind, by any of its
/// processes.
struct TracedPoint {
  std::string name;
  std::vector<long> calls;
  int n = 1;
  std::string ending{};  // of the file's name
};

/// Each is met while runs are left: a run makes at least three files, each synced and renamed, and a row.
std::vector<TracedPoint> traced_points() {
  return {{"before the first row is written", {SYS_write}, 1, kRowsFile.data()},
          {"before the second row is synced", {SYS_fsync, SYS_fdatasync}, 2, kRowsFile.data()},
          {"before the third map gets its name", {SYS_rename, SYS_renameat, SYS_renameat2}, 3, ".csv.part"},
          {"before a trace is synced", {SYS_fsync, SYS_fdatasync}, 2, ".json.part"},
          {"before a log is opened", {SYS_open, SYS_openat}, 2, ".log"},
          {"before the fortieth call", calls_on_files(), 40},
          {"before the hundredth call", calls_on_files(), 100}};
}

}  // namespace

TEST_CASE("a command killed before any of its calls resumes, when repeated, to the rows of an uninterrupted one") {
  ALIDADE_NEEDS_TRACING();
  const ScratchFolder scratch{{"c.toml", kManyRuns}};
  run_well("run c.toml --out whole --jobs 2", scratch);
  const auto expected = comparable(scratch / "whole");
  REQUIRE(expected.size() == 24);
  for (const char* jobs : {"1", "2"}) {
    CAPTURE(jobs);
    const std::string out = std::string("killed ") + jobs;
    const fs::path folder = scratch / out;
    const std::vector<std::string> arguments = {"run", "c.toml", "--out", out, "--jobs", jobs};
    std::size_t had = 0;
    for (const TracedPoint& point : traced_points()) {
      CAPTURE(point.name);
      int met = 0;
      const TracedEnd end = run_traced(arguments, scratch, point.calls, [&](const SystemCall& call) -> Fate {
        if (!is_below(call.path, folder) || !call.path.ends_with(point.ending) || ++met != point.n) return {};
        return {Fate::Kind::killed};
      });
      CHECK_FALSE(end.hung);
      CHECK(met >= point.n);
      CHECK(end.ended.status == -SIGKILL);
      CHECK(end.ended.err.empty());
      // Rows that were there are still there.
      const std::size_t has = fs::exists(folder / kRowsFile) ? read_row_file(folder / kRowsFile).rows.size() : 0;
      CHECK(has >= had);
      had = has;
    }
    CHECK(had < expected.size());
    run_quietly(arguments, scratch);
    CHECK(comparable(folder) == expected);
    CHECK(comparable_files(folder) == comparable_files(scratch / "whole"));
    CHECK(read_row_file(folder / kRowsFile).notes.empty());
  }
}

}  // namespace killed_run_test
