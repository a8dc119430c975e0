// The process pool and runs on the real clock, one test for each mechanism: a limit kills, and time in which processes
// are stopped does not count. What follows from the clock alone is tested with a clock moved by hand, in
// process_pool_test.cpp, run_watch_test.cpp and run_clock_test.cpp.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "experiments/launch/process_pool.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/run_clock.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/wait_until.hpp"

namespace process_limits_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

/// The outcome of a pool with one job.
ChildOutcome outcome_of(const std::function<std::string()>& work, const PoolLimits& limits) {
  ChildOutcome out;
  PoolJobs jobs;
  jobs.count = 1;
  jobs.prepare = [](std::size_t) { return true; };
  jobs.work = [&](std::size_t, std::stop_token) { return work(); };
  jobs.log = [](std::size_t) { return fs::path(); };
  jobs.done = [&](const ChildOutcome& outcome) { out = outcome; };
  jobs.tick = [] {};
  run_in_children(limits, jobs, [] { return false; });
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("timing");

TEST_CASE("a child that hangs is killed when its time and the grace are over") {
  PoolLimits limits;
  limits.timeout_seconds = 0.05;
  limits.grace_seconds = 0.1;
  const ChildOutcome outcome = outcome_of(
      []() -> std::string {
        for (;;) ::pause();
      },
      limits);
  CHECK(outcome.failure.starts_with("Exceeded the time limit of"));
  CHECK(outcome.wall_seconds >= 0.15);
  CHECK(outcome.wall_seconds < 30);
}

TEST_CASE("time in which a child is stopped does not count against its time limit") {
  PoolLimits limits;
  limits.timeout_seconds = 1;
  limits.grace_seconds = 1;
  const ChildOutcome outcome = outcome_of(
      [] {
        const pid_t self = ::getpid();
        if (::fork() == 0) {
          ::sleep(4);
          ::kill(self, SIGCONT);
          ::_exit(0);
        }
        ::raise(SIGSTOP);
        return std::string("done");
      },
      limits);
  CAPTURE(outcome.failure);
  CHECK(outcome.payload == "done");
  CHECK(outcome.wall_seconds < 3);
}

TEST_CASE("Ctrl-Z stops the clock of a pool and of the work in it") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  std::fflush(nullptr);
  const pid_t pool = ::fork();
  if (pool == 0) {
    ::setpgid(0, 0);
    PoolLimits limits;
    limits.timeout_seconds = 3;
    limits.grace_seconds = 0.5;
    const ChildOutcome outcome = outcome_of(
        [&]() -> std::string {
          const auto begun = RunClock::now();
          if (::write(ends[1], "b", 1) != 1) return "no pipe";
          for (int i = 0; i < 60; ++i) {
            ::usleep(10'000);
            if (RunClock::now() - begun > std::chrono::seconds(3)) return "late";
          }
          return "in time";
        },
        limits);
    ::_exit(outcome.payload == "in time" ? 0 : 1);
  }
  char byte = 0;
  REQUIRE(::read(ends[0], &byte, 1) == 1);
  ::usleep(50'000);
  REQUIRE(::kill(-pool, SIGSTOP) == 0);
  ::sleep(5);
  REQUIRE(::kill(-pool, SIGCONT) == 0);
  int status = 0;
  REQUIRE(::waitpid(pool, &status, 0) == pool);
  CHECK(status == 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("no look at the clock counts a stop, whichever thread looks first, and no signal need be handled") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  std::fflush(nullptr);
  const pid_t watched = ::fork();
  if (watched == 0) {
    // SIGCONT is never handled here, as by the thread that is late.
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    const RunClock::Ticker ticker;
    std::atomic<bool> wrong{false};
    const auto begun = RunClock::now();
    const auto look = [&] {
      for (auto last = begun; last - begun < std::chrono::milliseconds(1500);) {
        const auto now = RunClock::now();
        if (now < last || now - last > std::chrono::milliseconds(2800))
          wrong = true;  // a stop, less than it waits when busy
        last = now;
      }
    };
    if (::write(ends[1], "b", 1) != 1) ::_exit(2);
    std::vector<std::thread> others;
    for (int i = 0; i < 4; ++i) others.emplace_back(look);
    for (std::thread& other : others) other.join();
    ::_exit(wrong ? 1 : 0);
  }
  char byte = 0;
  REQUIRE(::read(ends[0], &byte, 1) == 1);
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    ::usleep(100'000);
    REQUIRE(::kill(watched, SIGSTOP) == 0);
    ::usleep(3'000'000);
    REQUIRE(::kill(watched, SIGCONT) == 0);
  }
  int status = 0;
  REQUIRE(::waitpid(watched, &status, 0) == watched);
  CHECK(status == 0);
  CHECK(std::chrono::steady_clock::now() - begun > std::chrono::seconds(9));  // 9 s stopped, 1.5 s of its own
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("the time in which a run was stopped is not in its total") {
  const ScratchFolder path{
      {"c.toml", std::string("name = \"stopped\"\ntimeout = \"2s\"\n") + kSmallData +
                     "[[method]]\nproblem = \"ste\"\nsolver = { name = \"riemannian_sgd\", max_iter = "
                     "1000000000 }\n"}};
  Command command({"run", "c.toml", "--out", "r", "--in-process"}, path);
  REQUIRE(wait_until([&] { return fs::exists(path / "r" / kManifestFile); }));
  ::usleep(300'000);
  command.send(SIGSTOP);
  ::usleep(9'000'000);  // longer than the limit and the grace after it
  command.send(SIGCONT);
  succeeded(command.wait());
  const std::vector<Row> rows = read_rows(path / "r");
  REQUIRE(rows.size() == 1);
  CHECK(text_field(rows[0], "termination") == "time_limit");
  for (const char* name : {"seconds.solve", "seconds.total"}) CHECK(number_field(rows[0], name).value_or(9) < 9);
}

TEST_CASE("a run of the command ends at its time limit, and its row says so") {
  const ScratchFolder path{
      {"c.toml", std::string("name = \"slow\"\ntimeout = \"300ms\"\n") + kSmallData +
                     "[[method]]\nproblem = \"ste\"\nsolver = { name = \"riemannian_sgd\", max_iter = "
                     "1000000000 }\n"}};
  run_well("run c.toml --out r", path);
  const std::vector<Row> rows = read_rows(path / "r");
  REQUIRE(rows.size() == 1);
  CHECK(text_field(rows[0], "status") == "ok");
  CHECK(text_field(rows[0], "termination") == "time_limit");
  // 0.083 with kernels of AVX-512, AVX2 and SSE2, on a busy machine too.
  CHECK(number_field(rows[0], "metrics.heldout_error").value_or(1) < 0.5);
  CHECK(number_field(rows[0], "seconds.solve").value_or(60) < 60);
}

TEST_CASE("an interrupted run in the command's own process stops within the grace") {
  const ScratchFolder path{
      {"c.toml", std::string("name = \"endless\"\n") + kSmallData +
                     "[[method]]\nproblem = \"ste\"\nsolver = { name = \"riemannian_sgd\", max_iter = 50, "
                     "n_init = 1000000000 }\n"}};
  Command command({"run", "c.toml", "--out", "r", "--in-process"}, path);
  // A line for each start, so that it solves.
  REQUIRE(wait_until([&] {
    std::error_code ignored;
    for (const auto& log : fs::directory_iterator(path / "r/logs", ignored))
      if (content_of(log.path()).find("start 1 of") != std::string::npos) return true;
    return false;
  }));
  const auto asked = std::chrono::steady_clock::now();
  command.send(SIGINT);
  const Ended ended = command.wait();
  CHECK(std::chrono::steady_clock::now() - asked < std::chrono::seconds(15));  // 5 s of grace, and a busy machine
  CHECK(ended.status == 130);
  CHECK(lines_of(ended.err).size() == 1);
  CHECK(ended.err.find("Interrupted. Give the same command again") != std::string::npos);
}

TEST_CASE("a run interrupted in any stage is cancelled and ends soon") {
  struct Part {
    std::string name, config;
    double after;  // its child began
  };
  const std::string endless = "solver = { name = \"riemannian_sgd\", max_iter = 1000000000 }\n";
  const std::string data = "[[dataset]]\nname = \"europe\"\n";
  const ScratchFolder scratch;
  for (const Part& part : std::vector<Part>{
           {"start", data + "[[method]]\nproblem = \"ste\"\n" + endless, 0},
           {"solve", data + "[[method]]\nproblem = \"ste\"\n" + endless, 0.5},
           {"choose", data + "[[method]]\nproblem = \"ste\"\nchoose = { problem.lambda = [0.0, 0.1] }\n" + endless,
            0.5},
           {"input",
            data +
                "[[method]]\nproblem = \"mvmds\"\nsolver = \"majorization\"\ninput = { problem = "
                "\"ste\", " +
                "solver = { name = \"riemannian_sgd\", max_iter = 1000000000 } }\n",
            0.5},
           {"bootstrap",
            "[uncertainty]\nbootstrap = 10000\n" + data + "[[method]]\nproblem = \"ste\"\nsolver = \"ceres\"\n", 2}}) {
    CAPTURE(part.name);
    const fs::path folder = scratch / part.name;
    write_text(scratch / "c.toml", "name = \"" + part.name + "\"\n" + part.config);
    Command command({"run", "c.toml", "--out", part.name}, scratch);
    REQUIRE(wait_until([&] { return children_of(command.pid()).size() == 1; }));
    std::this_thread::sleep_for(std::chrono::duration<double>(part.after));
    const auto asked = std::chrono::steady_clock::now();
    command.send(SIGINT);
    CHECK(command.wait().status == 130);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - asked;
    CHECK(took.count() < 15);  // 5 s of grace, and a busy machine
    const std::vector<Row> rows = read_rows(folder);
    REQUIRE(rows.size() == 1);
    CHECK(text_field(rows[0], "status") == "cancelled");
    MESSAGE(part.name << ": " << text_field(rows[0], "message") << "; after " << took.count() << " s");
  }
}

TEST_CASE("an interrupted embed says so and writes the map that it has reached") {
  const ScratchFolder path;
  std::string answers = "anchor,near,far\n";
  for (int i = 0; i < 300; ++i)
    answers += "p" + std::to_string(i % 9) + ",p" + std::to_string((i + 1 + i % 3) % 9) + ",p" +
               std::to_string((i + 5 + i % 2) % 9) + "\n";
  write_text(path / "answers.csv", answers);
  for (const int signal : {SIGINT, SIGTERM}) {
    Command command({"embed", "answers.csv", "-p", "ste", "-s", "riemannian_sgd", "--set", "solver.n_init=1000000000",
                     "-o", "a/map"},
                    path);
    REQUIRE(wait_until([&] { return fs::exists(path / "a") && seconds_spent(command.pid()) > 0.3; }));
    command.send(signal);
    const Ended ended = command.wait();
    CHECK(ended.status == 130);
    CHECK(ended.err.find("alidade: Interrupted. The map reached so far was written") != std::string::npos);
    CHECK(fs::exists(path / "a/map/embedding.csv"));
    fs::remove_all(path / "a");
  }
}

TEST_SUITE_END();

}  // namespace process_limits_test
