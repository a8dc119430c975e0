// Best known values that many processes keep in one file, and kill -9 at any point.
#include "experiments/tables/convergence.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/kill_points.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_disk.hpp"

namespace best_known_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

ValueTable row(int repeat, double objective) {
  return *parse_json(fmt::format(R"({{"schema":1,"run_id":"r{0}","experiment":"e","status":"ok",
      "method":"m","dataset":{{"id":"d","name":"europe","options":{{}}}},
      "problem":{{"name":"ste","options":{{"n_components":2}}}},"solver":{{"name":"s"}},
      "repeat":{0},"fold":null,"seed":1,"objective":{1}}})",
                                 repeat, objective),
                     "test")
              .get_if<ValueTable>();
}

void keep(const fs::path& file, std::vector<Row> rows) {
  BestKnownValues values("objective", false);
  values.read(file);
  if (values.learn(rows) > 0) values.keep_in(file, std::chrono::hours(1));  // however many write, on whatever disk
}

BestKnownValues kept_in(const fs::path& file) {
  BestKnownValues out("objective", false);
  out.read(file);
  return out;
}

double value_of(const BestKnownValues& values, int repeat) {
  const BestKnown* best = values.find(row(repeat, 0));
  return best ? best->value : -1;
}

/// In a process of its own, which ends with 1 if an error is thrown.
pid_t in_a_child(const std::function<void()>& work) {
  std::fflush(nullptr);  // what is printed already is not to be printed by the child too
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child > 0) return child;
  int status = 0;
  try {
    work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    status = 1;
  }
  ::_exit(status);
}

int status_of(pid_t child) {
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("many processes that write one file at once lose no value") {
  constexpr int kProcesses = 16, kRounds = 6;
  const ScratchFolder scratch;
  const fs::path file = scratch / "best_known.json";
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process)
    children.push_back(in_a_child([&] {
      for (int round = 0; round < kRounds; ++round) {
        const int own = 1 + process * kRounds + round;
        keep(file, {row(0, 1000 - own), row(own, own)});
      }
    }));
  for (const pid_t child : children) CHECK(status_of(child) == 0);
  const BestKnownValues kept = kept_in(file);
  CHECK(kept.size() == 1 + kProcesses * kRounds);
  for (int own = 1; own <= kProcesses * kRounds; ++own) CHECK(value_of(kept, own) == own);
  CHECK(value_of(kept, 0) == 1000 - kProcesses * kRounds);
  CHECK(inventory(scratch).size() == 1);  // nothing beside it
}

TEST_CASE("kill -9 at any point leaves the old values or the new") {
  using Call = KillPoint::Call;
  const ScratchFolder scratch;
  const fs::path file = scratch / "best_known.json";
  // A round improves one value of many and adds another.
  const auto keep_round = [&](int round) { keep(file, {row(0, 1'000'000 - round), row(round, round)}); };
  for (const int done : {0, 5}) {
    CAPTURE(done);
    const std::map<std::string, int> kills = kill_at_every_point(
        [&] {
          fs::remove(file);
          for (int round = 1; round <= done; ++round) keep_round(round);
        },
        [&] { keep_round(done + 1); },
        [&](const KillPoint& point) {
          const BestKnownValues kept = kept_in(file);
          const int reached = static_cast<int>(kept.size()) - (kept.size() > 0 ? 1 : 0);
          CHECK((reached == done || reached == done + 1));
          // The new values have their name once they are on the disk, all together.
          if (point.call == Call::write) CHECK(reached == done);
          if (point.call == Call::rename) CHECK(reached == done + (point.when == KillPoint::When::after ? 1 : 0));
          if (reached > 0) CHECK(value_of(kept, 0) == 1'000'000 - reached);
          for (int own = 1; own <= reached; ++own) CHECK(value_of(kept, own) == own);
          keep_round(done + 1);
          CHECK(static_cast<int>(kept_in(file).size()) == done + 2);
          CHECK(inventory(scratch).size() == 1);
        });
    for (const char* point :
         {"before write", "halfway write", "after write", "before sync", "after sync", "before rename", "after rename"})
      CHECK(kills.contains(point));
  }
}

TEST_CASE("an empty file of best known values holds nothing") {
  const ScratchFolder scratch;
  const fs::path file = scratch / "best_known.json";
  write_text(file, "");
  CHECK(kept_in(file).size() == 0);
  keep(file, {row(0, 2)});
  CHECK(value_of(kept_in(file), 0) == 2);
}

TEST_CASE("a full disk leaves best known values unchanged and creates no file") {
  const SmallDisk disk(64);
  if (!disk.mounted()) {
    MESSAGE("no small file system can be mounted here: " << disk.why_not());
    return;
  }
  const fs::path file = disk.path() / "best_known.json";
  disk.fill();
  CHECK_THROWS_WITH_AS(keep(file, {row(0, 2)}), doctest::Contains("No space left on device"), DataError);
  CHECK(inventory(disk.path()).size() == 1);  // the filler
  fs::remove(disk.path() / "filler");
  keep(file, {row(0, 2)});
  const std::string before = content_of(file);
  disk.fill();
  CHECK_THROWS_AS(keep(file, {row(0, 1)}), DataError);
  CHECK(content_of(file) == before);
  CHECK(inventory(disk.path()).size() == 2);
}

TEST_CASE("concurrent tables of different fields all keep their best known values") {
  const ScratchFolder scratch{{"c.toml", R"(
name = "small"
repeats = 3
[split]
holdout = 0.2
[[dataset]]
name = "uniform"
n = 15
triplets = 200
[[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 5 }
[evaluate]
metrics = ["train_error", "heldout_error", "procrustes"]
trace_metrics = ["train_error", "heldout_error", "procrustes"]
)"}};
  run_well("run c.toml --out r", scratch);
  const std::vector<std::string> fields{"objective", "metrics.train_error", "metrics.heldout_error",
                                        "metrics.procrustes"};
  std::vector<std::unique_ptr<Command>> tables;
  for (const std::string& field : fields)
    tables.push_back(
        std::make_unique<Command>(std::vector<std::string>{"table", "r", "--target", "0.1", "--value", field,
                                                           "--better", "lower", "--best-known", "best.json"},
                                  scratch));
  for (const auto& table : tables) {
    const Ended ended = succeeded(table->wait());
    CHECK(ended.err.find("3 instances, 3 of them new or improved") != ended.err.npos);
  }
  for (const std::string& field : fields) {
    BestKnownValues kept(field, false);
    kept.read(scratch / "best.json");
    CHECK(kept.size() == 3);
  }
}

TEST_SUITE_BEGIN("heavy");

TEST_CASE("kill -9 at random moments leaves the old values or the new") {
  constexpr std::uint64_t kSeed = 4;
  Rng rng = Rng::stream(kSeed, "kills of keepers");
  CAPTURE(kSeed);
  const ScratchFolder scratch;
  const fs::path file = scratch / "best_known.json";
  int done = 0;
  for (int kill = 0; kill < 60; ++kill) {
    CAPTURE(kill);
    std::array<int, 2> told{};
    REQUIRE(::pipe(told.data()) == 0);
    // Every round improves one value of many and adds another; what it says is on the disk.
    const pid_t child = in_a_child([&] {
      for (int round = done + 1;; ++round) {
        keep(file, {row(0, 1'000'000 - round), row(round, round)});
        if (::write(told[1], "x", 1) != 1) ::_exit(2);
      }
    });
    ::close(told[1]);
    int said = done;
    char round_done = 0;  // one or two are waited for, however slow the machine is
    for (auto wait = 1 + rng.below(2); wait > 0 && ::read(told[0], &round_done, 1) == 1; --wait) ++said;
    std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int>(rng.uniform(0, 20'000))));
    ::kill(child, SIGKILL);
    status_of(child);
    for (char letter = 0; ::read(told[0], &letter, 1) == 1;) ++said;
    ::close(told[0]);
    const BestKnownValues kept = kept_in(file);
    const int reached = static_cast<int>(kept.size()) - (kept.size() > 0 ? 1 : 0);
    CHECK((reached == said || reached == said + 1));
    if (reached > 0) CHECK(value_of(kept, 0) == 1'000'000 - reached);
    for (int own = 1; own <= reached; ++own) CHECK(value_of(kept, own) == own);
    done = reached;
  }
  CHECK(done >= 60);
  // Whether one of them died while it wrote is chance, so one such end is made here.
  write_text(scratch / "best_known.json.part", "{\"values\": [{\"data");
  CHECK(static_cast<int>(kept_in(file).size()) == done + 1);
  keep(file, {row(0, 1)});
  CHECK(inventory(scratch).size() == 1);
}

TEST_SUITE_END();

}  // namespace best_known_test
