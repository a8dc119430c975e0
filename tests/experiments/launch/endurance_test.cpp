// Runs that are interrupted in each of their parts, very many misfortunes, and very many runs.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/launch/process_pool.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/loaded_data.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/random.hpp"
#include "problems/core/run_clock.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/row_fields.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/wait_until.hpp"

namespace endurance_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

/// Choosing, bootstrap, folds and several methods: every part of a run is met by some kill.
const std::string kVaried = R"(
name = "varied"
repeats = 4
[split]
folds = 2
[uncertainty]
bootstrap = 2
[[dataset]]
name = "europe"
triplets = 1000
noise = [0.0, 0.1]
[[dataset]]
name = "gaussian"
n = 40
triplets = 800
[[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 10 }
[[method]]
problem = "tste"
solver = { name = "riemannian_sgd", max_iter = 4 }
[[method]]
id = "chosen"
problem = "ste"
solver = { name = "ceres", max_iter = 5 }
choose = { problem.lambda = [0.0, 0.1] }
)";

struct Usage {
  double resident_mb = 0;
  std::size_t files = 0;
};

Usage usage_of(pid_t process) {
  Usage out;
  const std::string folder = "/proc/" + std::to_string(process);
  std::ifstream in(folder + "/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmRSS:")) out.resident_mb = std::stod(line.substr(6)) / 1024;
  std::error_code ignored;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder + "/fd", ignored)) ++out.files;
  return out;
}

}  // namespace

// The command itself, by the real clock: timing/process_limits_test.cpp.
TEST_CASE("a run interrupted in any stage stops by itself and is cancelled") {
  struct Part {
    std::string name, config;
  };
  const std::string endless = "solver = { name = \"riemannian_sgd\", max_iter = 50, n_init = 1000000000 }\n";
  const std::string data = "[[dataset]]\nname = \"europe\"\n";
  const ScratchFolder scratch;
  for (const Part& part : std::vector<Part>{
           {"start", data + "[[method]]\nproblem = \"ste\"\n" + endless},
           {"solve", data + "[[method]]\nproblem = \"ste\"\n" + endless},
           {"choose", data + "[[method]]\nproblem = \"ste\"\nchoose = { problem.lambda = [0.0, 0.1] }\n" + endless},
           {"input", data +
                         "[[method]]\nproblem = \"mvmds\"\nsolver = \"majorization\"\ninput = { problem = \"ste\", " +
                         endless.substr(0, endless.size() - 1) + " }\n"},
           {"bootstrap",
            "[uncertainty]\nbootstrap = 10000\n" + data + "[[method]]\nproblem = \"ste\"\nsolver = \"ceres\"\n"}}) {
    CAPTURE(part.name);
    const Experiment experiment = interpret(parse_config("name = \"x\"\n" + part.config, "c.toml"));
    const std::vector<PlannedRun> runs = plan(experiment);
    LoadedData loaded(experiment, runs, "no data");
    const LoadedData::Entry& entry = loaded.get(runs.front());
    REQUIRE(entry.observations);
    const fs::path log = scratch / (part.name + ".log");
    std::array<int, 2> reached{};
    REQUIRE(::pipe(reached.data()) == 0);

    const RunClock::ByHand clock;  // stands still: no grace is ever over, and nobody is killed
    PoolJobs jobs;
    jobs.count = 1;
    jobs.prepare = [](std::size_t) { return true; };
    jobs.work = [&](std::size_t, std::stop_token stop) {
      std::once_flag once;
      const auto is_there = [&] {
        std::call_once(once, [&] {
          if (::write(reached[1], "r", 1) != 1) ::_exit(1);
        });
      };
      if (part.name == "start") is_there();
      RunRequest request{experiment, runs.front(), *entry.observations, 0.0, 1, std::move(stop), Log::to_file(log)};
      request.progress = [&](const TraceRecord& record) {
        if (part.name == "solve" && record.iteration > 0) is_there();
      };
      request.on_stage = [&](const RunStage& stage) {
        if (part.name == "choose" && stage.kind == RunStage::Kind::choose) is_there();
        if (part.name == "bootstrap" && stage.kind == RunStage::Kind::bootstrap && stage.done > 0) is_there();
      };
      const ResultRow row = execute(request).row;
      return text_field(row, "status") + ", " + text_field(row, "termination");
    };
    jobs.log = [](std::size_t) { return fs::path(); };
    ChildOutcome ended;
    jobs.done = [&](const ChildOutcome& outcome) { ended = outcome; };
    jobs.tick = [] {};
    bool interrupted = false;
    run_in_children({}, jobs, [&] {
      pollfd news{reached[0], POLLIN, 0};
      // The input's solve tells its log alone.
      if (::poll(&news, 1, 0) == 1 || content_of(log).find("start 1 of") != std::string::npos) interrupted = true;
      return interrupted;
    });
    CHECK(interrupted);
    CAPTURE(ended.failure);
    CHECK(ended.delivered);
    CHECK(ended.payload.starts_with("cancelled, "));
    CHECK(ended.wall_seconds == 0);
    ::close(reached[0]);
    ::close(reached[1]);
  }
}

TEST_CASE("a command interrupted while reading data finishes reading and starts no run") {
  const ScratchFolder scratch;
  const fs::path pipe = scratch / "t.csv";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  write_text(scratch / "c.toml",
             "name = \"x\"\nrepeats = 3\n[[dataset]]\nname = \"triplets\"\nfile = \"t.csv\"\n"
             "[[method]]\nproblem = \"ste\"\nsolver = { name = \"riemannian_sgd\", max_iter = 50, n_init = 1000000000 "
             "}\n");
  Command command({"run", "c.toml", "--out", "r"}, scratch);
  // It has opened the data, and reads until they are closed here.
  int data = -1;
  REQUIRE(wait_until([&] { return (data = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0; }));
  const auto send = [&](const std::string& text) {
    REQUIRE(::write(data, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  const auto triplet = [](int i) {
    return std::to_string(i % 97) + "," + std::to_string((i + 1 + i % 5) % 97) + "," +
           std::to_string((i + 20 + i % 7) % 97) + "\n";
  };
  std::string text = "anchor,near,far\n";
  for (int i = 0; i < 200; ++i) text += triplet(i);
  send(text);
  command.send(SIGINT);
  text.clear();
  for (int i = 200; i < 400; ++i) text += triplet(i);
  send(text);
  ::close(data);
  const Ended ended = command.wait();
  CAPTURE(ended.err);
  CHECK(ended.status == 130);
  const auto rows = rows_in(scratch / "r");
  CHECK(rows.size() <= 1);
  for (const auto& [id, row] : rows) CHECK(text_field(row, "status") == "cancelled");
}

TEST_SUITE_BEGIN("heavy");

TEST_CASE("after a hundred kills no run is lost or doubled, and rows are as without kills") {
  const ScratchFolder scratch{{"c.toml", kVaried}};
  const auto begin = std::chrono::steady_clock::now();
  run_well("run c.toml --out whole --jobs 2", scratch);
  double seconds = seconds_since(begin);
  const auto expected = comparable(scratch / "whole");
  const auto expected_files = comparable_files(scratch / "whole");
  REQUIRE(expected.size() == 72);

  constexpr std::uint64_t kSeed = 20;
  Rng rng = Rng::stream(kSeed, "hundred kills");
  CAPTURE(kSeed);
  int kills = 0, rounds = 0;
  std::size_t orphans = 0;
  while (kills < 100 && rounds < 50) {
    const std::string out = "killed " + std::to_string(rounds++);
    const fs::path folder = scratch / out;
    std::size_t had = 0;
    int status = -SIGKILL;
    while (status == -SIGKILL) {
      Command command({"run", "c.toml", "--out", out, "--jobs", rng.below(2) == 0 ? "1" : "2"}, scratch);
      // Some while it begins, most while runs are under way.
      std::vector<pid_t> children;
      auto since = std::chrono::steady_clock::now();
      const bool early = rng.below(4) == 0;
      for (int i = 0; !early && children_of(command.pid()).empty() && i < 20'000; ++i)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      if (!early) since = std::chrono::steady_clock::now();
      const double delay = early ? rng.uniform(0, 0.1) : rng.uniform(0, 0.2) * seconds;
      while (seconds_since(since) < delay) std::this_thread::sleep_for(std::chrono::microseconds(200));
      children = children_of(command.pid());
      command.send(SIGKILL);
      status = command.wait().status;
      if (status == -SIGKILL)
        ++kills;
      else
        seconds /= 2;  // the machine has become faster than it was at first
      // What the killed command had begun does not go on.
      for (const pid_t child : children) {
        const auto is_gone = [&] { return !fs::exists("/proc/" + std::to_string(child)); };
        if (!wait_until(is_gone)) ++orphans;
      }
      // Rows that were there are still there; none is twice.
      if (fs::exists(folder / kRowsFile)) {
        const RowFile rows = read_row_file(folder / kRowsFile);
        CHECK(rows.rows.size() >= had);
        for (const std::string& note : rows.notes) CHECK(note.find("run again") == std::string::npos);
        had = rows.rows.size();
      }
      if (kills == 100) break;
    }
    run_well({"run", "c.toml", "--out", out, "--jobs", "2"}, scratch);
    CHECK(lines_of(content_of(folder / kRowsFile)).size() == expected.size());
    CHECK(comparable(folder) == expected);
    CHECK(comparable_files(folder) == expected_files);
    CHECK(read_row_file(folder / kRowsFile).notes.empty());
  }
  CHECK(kills == 100);
  CHECK(rounds > 1);
  CHECK(orphans == 0);
  MESSAGE(kills << " kills in " << rounds << " experiments, at last within " << 0.2 * seconds << " s");
}

// The command keeps the lines that it wrote, so as to bring them back if others take them away.
TEST_CASE("ten thousand runs take no more open files than one thousand, and memory for their lines alone") {
  const ScratchFolder scratch{{"c.toml", R"(
name = "soak"
repeats = 10000
[evaluate]
metrics = ["train_error"]
schedule = { kind = "none" }
[[dataset]]
name = "gaussian"
n = 10
triplets = 40
[[method]]
problem = "ste"
solver = { name = "ceres", max_iter = 1 }
)"}};
  const fs::path rows = scratch / "r" / kRowsFile;
  const auto begin = std::chrono::steady_clock::now();
  Command command({"run", "c.toml", "--out", "r", "--jobs", "2"}, scratch);
  std::map<std::size_t, Usage> usage;  // by rows written
  std::ifstream in;
  std::size_t count = 0;
  double lines_mb = 0, early_lines_mb = 0;
  for (const std::size_t at : {1000U, 9900U}) {
    early_lines_mb = lines_mb;
    while (count < at) {
      if (!in.is_open()) in.open(rows);
      std::string line;
      while (std::getline(in, line) && !in.eof()) {
        ++count;
        lines_mb += static_cast<double>(line.size() + 1) / (1 << 20);
      }
      in.clear();
      REQUIRE(seconds_since(begin) < 3600);
      REQUIRE(fs::exists("/proc/" + std::to_string(command.pid()) + "/fd/0"));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    usage[at] = usage_of(command.pid());
  }
  const Ended ended = command.wait();
  const double seconds = seconds_since(begin);
  CHECK(ended.status == 0);
  CHECK(ended.out.find("10000 runs: 10000 ok") == 0);
  const Usage early = usage.at(1000), late = usage.at(9900);
  MESSAGE("parent: " << early.resident_mb << " MB and " << early.files << " files after 1000 runs, " << late.resident_mb
                     << " MB and " << late.files << " files after 9900, whose lines have " << lines_mb - early_lines_mb
                     << " MB more; " << 1000 * seconds / 10000 << " ms a run");
  CHECK(late.resident_mb < early.resident_mb + lines_mb - early_lines_mb + 4);
  CHECK(late.files <= early.files + 2);  // pipes of the runs under way
}

TEST_SUITE_END();

}  // namespace endurance_test
