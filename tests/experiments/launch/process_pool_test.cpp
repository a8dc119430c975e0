#include "experiments/launch/process_pool.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace process_pool_test {

using namespace alidade;
using namespace alidade::testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

using Work = std::function<std::string(std::size_t, std::stop_token)>;
using Outcomes = std::map<std::size_t, ChildOutcome>;
/// Called after each round of the pool, in which it has looked at all children. It may move the clock, which otherwise
/// stands still: no slow machine uses a limit or a grace up.
using AfterRound = std::function<void(RunClock::ByHand&, const Outcomes&)>;

bool never() { return false; }
void nothing(RunClock::ByHand&, const Outcomes&) {}

/// Outcomes by job.
Outcomes run_jobs(std::size_t count, const Work& work, const PoolLimits& limits = {},
                  const std::function<bool()>& interrupted = never, const AfterRound& after_round = nothing) {
  RunClock::ByHand clock;
  Outcomes out;
  PoolJobs jobs;
  jobs.count = count;
  jobs.prepare = [](std::size_t) { return true; };
  jobs.work = work;
  jobs.log = [](std::size_t) { return std::filesystem::path(); };
  jobs.done = [&](const ChildOutcome& outcome) { CHECK(out.emplace(outcome.job, outcome).second); };
  jobs.tick = [&] { after_round(clock, out); };
  run_in_children(limits, jobs, interrupted);
  // No child is left, not even as a zombie.
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  return out;
}

ChildOutcome run_one(const std::function<std::string(std::stop_token)>& work, const PoolLimits& limits = {},
                     const AfterRound& after_round = nothing) {
  auto outcomes = run_jobs(
      1, [&](std::size_t, std::stop_token stop) { return work(std::move(stop)); }, limits, never, after_round);
  REQUIRE(outcomes.size() == 1);
  return outcomes.at(0);
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

/// For a child: the end of the pipe through which it would send. The pool closes it on exec; other pipes here,
/// among them any that were there when the tests began, stay open.
int own_pipe() {
  for (int file = 3; file < 256; ++file) {
    struct stat info {};
    if (::fstat(file, &info) == 0 && S_ISFIFO(info.st_mode) && (::fcntl(file, F_GETFL) & O_ACCMODE) == O_WRONLY &&
        (::fcntl(file, F_GETFD) & FD_CLOEXEC) != 0)
      return file;
  }
  return -1;
}

/// Moves the clock by two steps, some rounds apart, so that what the first must not end is seen to go on.
class TwoSteps {
 public:
  TwoSteps(milliseconds first, milliseconds second) : first_(first), second_(second) {}
  void operator()(RunClock::ByHand& clock) {
    constexpr int kRounds = 4;
    ++rounds_;
    if (rounds_ == 1) clock.advance(first_);
    if (rounds_ == 1 + kRounds) clock.advance(second_);
  }

 private:
  milliseconds first_, second_;
  int rounds_ = 0;
};

/// Lets four seconds pass while the pool's only child is stopped, and then has it go on.
class FourSecondsOfStop {
 public:
  /// Whether the stop is over and the pool knows.
  bool operator()(RunClock::ByHand& clock) {
    const std::vector<pid_t> children = children_of(::getpid());
    if (children.empty()) return over_ > 1;
    if (over_ > 0) return ++over_ > 2;
    if (!all_threads_stopped(children.front())) return false;
    ++rounds_;
    if (rounds_ == 2) clock.advance(seconds(4));  // the pool has seen the stop in the round that has ended
    if (rounds_ < 5) return false;
    ::kill(children.front(), SIGCONT);
    ++over_;
    return false;
  }

 private:
  int rounds_ = 0, over_ = 0;
};

/// A pipe whose end is seen when every process that inherited it has ended.
class Heartbeat {
 public:
  Heartbeat() { REQUIRE(::pipe(ends_.data()) == 0); }
  ~Heartbeat() {
    close_own();
    ::close(ends_[0]);
  }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  void beat() const { REQUIRE(::write(ends_[1], "b", 1) == 1); }
  void close_own() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  /// Waits for `count` beats; false after two minutes.
  [[nodiscard]] bool wait_for_beats(int count) const {
    for (char byte = 0; count > 0; --count)
      if (!readable() || ::read(ends_[0], &byte, 1) != 1) return false;
    return true;
  }
  /// Whether all others have ended within two minutes.
  [[nodiscard]] bool stopped() const {
    char byte = 0;
    return readable() && ::read(ends_[0], &byte, 1) == 0;
  }

 private:
  [[nodiscard]] bool readable() const {
    pollfd polled{ends_[0], POLLIN, 0};
    return ::poll(&polled, 1, 120'000) == 1;
  }
  std::array<int, 2> ends_{};
};

}  // namespace

TEST_CASE("every job is prepared in order, done once, and no more run at a time than allowed") {
  for (const int at_a_time : {1, 2, 3}) {
    CAPTURE(at_a_time);
    constexpr std::size_t kCount = 7;
    std::vector<std::size_t> prepared;
    std::map<std::size_t, std::string> received;
    int running = 0, most = 0, ticks = 0;
    PoolJobs jobs;
    jobs.count = kCount;
    jobs.prepare = [&](std::size_t j) {
      prepared.push_back(j);
      if (j == 3) return false;
      most = std::max(most, ++running);
      return true;
    };
    const pid_t self = ::getpid();
    jobs.work = [&](std::size_t j, std::stop_token) {
      prepared.clear();  // a child's memory is its own
      return ::getpid() == self ? "not a child" : "result " + std::to_string(j);
    };
    jobs.log = [](std::size_t) { return std::filesystem::path(); };
    jobs.done = [&](const ChildOutcome& outcome) {
      --running;
      CHECK(outcome.delivered);
      CHECK(outcome.failure.empty());
      CHECK(outcome.wall_seconds >= 0);
      received[outcome.job] = outcome.payload;
    };
    jobs.tick = [&] { ++ticks; };
    PoolLimits limits;
    limits.jobs = at_a_time;
    run_in_children(limits, jobs, never);
    CHECK(prepared == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6});
    CHECK(most == at_a_time);
    CHECK(running == 0);
    CHECK(ticks > 0);
    CHECK(received.size() == kCount - 1);
    for (const auto& [j, text] : received) CHECK(text == "result " + std::to_string(j));
  }
}

TEST_CASE("an empty pool, or one whose jobs are all skipped, does nothing") {
  CHECK(run_jobs(0, [](std::size_t, std::stop_token) { return ""; }).empty());
  PoolJobs jobs;
  jobs.count = 3;
  jobs.prepare = [](std::size_t) { return false; };
  jobs.done = [](const ChildOutcome&) { FAIL("nothing was started"); };
  jobs.tick = [] {};
  run_in_children({}, jobs, never);
}

TEST_CASE("payloads of any size and content arrive whole") {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{1} << 20, std::size_t{5} << 20}) {
    CAPTURE(size);
    const auto content = [size] {
      std::string text(size, '\0');
      for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 % 256);
      return text;
    };
    const ChildOutcome outcome = run_one([&](const std::stop_token&) { return content(); });
    CHECK(outcome.delivered);
    CHECK((outcome.payload == content()));
  }
}

TEST_CASE("an exception in a child is a failure with its text") {
  const ChildOutcome outcome =
      run_one([](const std::stop_token&) -> std::string { throw DataError("'x.csv' is empty."); });
  CHECK_FALSE(outcome.delivered);
  CHECK(outcome.payload.empty());
  CHECK(outcome.failure == "'x.csv' is empty.");
}

TEST_CASE("a child that crashes, exits or aborts is a failure that says how") {
  CHECK(holds_all(run_one([](const std::stop_token&) -> std::string {
                    ::signal(SIGSEGV, SIG_DFL);  // sanitizers have a handler of their own
                    ::raise(SIGSEGV);
                    return "survived";
                  }).failure,
                  {"crashed: signal 11 (Segmentation fault)"}));
  CHECK(holds_all(run_one([](const std::stop_token&) -> std::string {
                    ::signal(SIGABRT, SIG_DFL);
                    std::abort();
                  }).failure,
                  {"crashed: signal 6 (Aborted)"}));
  CHECK(holds_all(run_one([](const std::stop_token&) -> std::string {
                    ::raise(SIGKILL);
                    return "survived";
                  }).failure,
                  {"killed from outside (signal 9)", "memory"}));
  CHECK(holds_all(run_one([](const std::stop_token&) -> std::string { std::exit(3); }).failure, {"exit(3)"}));
  CHECK(holds_all(run_one([](const std::stop_token&) -> std::string { ::_exit(0); }).failure, {"exit(0)"}));
  const ChildOutcome alien = run_one([](const std::stop_token&) -> std::string {
    ::signal(SIGABRT, SIG_DFL);
    throw 7;  // not a std::exception: terminates
  });
  CHECK(holds_all(alien.failure, {"crashed: signal 6 (Aborted)"}));
  CHECK_FALSE(alien.delivered);
}

TEST_CASE("a crash ends one job only") {
  PoolLimits limits;
  limits.jobs = 2;
  const auto outcomes = run_jobs(
      6,
      [](std::size_t j, std::stop_token) -> std::string {
        if (j % 2 == 0) ::_exit(9);
        return std::to_string(j);
      },
      limits);
  REQUIRE(outcomes.size() == 6);
  for (const auto& [j, outcome] : outcomes) {
    CHECK(outcome.delivered == (j % 2 == 1));
    CHECK((outcome.delivered ? outcome.payload == std::to_string(j)
                             : outcome.failure.find("exit(9)") != std::string::npos));
  }
}

TEST_CASE("a child that hangs is killed when its time and three times the grace are over, others are not") {
  PoolLimits limits;
  limits.jobs = 2;
  limits.timeout_seconds = 3;
  limits.grace_seconds = 2;
  TwoSteps pass(milliseconds(8900), milliseconds(200));
  const Outcomes outcomes = run_jobs(
      3,
      [](std::size_t j, std::stop_token) -> std::string {
        if (j == 0) sleep_for_ever();
        return "quick";
      },
      limits, never,
      [&](RunClock::ByHand& clock, const Outcomes& ended) {
        if (ended.contains(1) && ended.contains(2)) pass(clock);
      });
  CHECK(outcomes.at(0).failure == "Exceeded the time limit of 3 s; killed after 9.1 s. Raise `timeout`.");
  CHECK(outcomes.at(0).wall_seconds == doctest::Approx(9.1));
  for (const std::size_t j : {1UL, 2UL}) {
    CHECK(outcomes.at(j).payload == "quick");
    CHECK(outcomes.at(j).wall_seconds == 0);
  }
}

TEST_CASE("a child that computes has the grace in processor time too, so that a busy machine ends no run") {
  PoolLimits limits;
  limits.timeout_seconds = 1;
  limits.grace_seconds = 0.05;
  bool late = false;
  const ChildOutcome outcome = run_one(
      [](std::stop_token) -> std::string {
        for (std::atomic<int> i = 0;; ++i) {
        }
      },
      limits,
      [&](RunClock::ByHand& clock, const Outcomes&) {
        if (!std::exchange(late, true))
          clock.advance(milliseconds(1100));  // beyond the grace, and it stands still there
      });
  CHECK(outcome.failure == "Exceeded the time limit of 1 s; killed after 1.1 s. Raise `timeout`.");
  static_assert(!is_beyond_grace(5, 14, 4.9) && is_beyond_grace(5, 5.1, 5.1) && is_beyond_grace(5, 15.1, 0));
}

TEST_CASE("time in which a child is stopped does not count against its time limit") {
  PoolLimits limits;
  limits.timeout_seconds = 1;
  limits.grace_seconds = 1;
  FourSecondsOfStop stop;
  const ChildOutcome outcome = run_one(
      [](std::stop_token) {
        ::raise(SIGSTOP);
        return std::string("done");
      },
      limits, [&](RunClock::ByHand& clock, const Outcomes&) { stop(clock); });
  CAPTURE(outcome.failure);
  CHECK(outcome.payload == "done");
  CHECK(outcome.wall_seconds == 0);
}

TEST_CASE("a child that was stopped has all of its time limit afterwards, and no more") {
  PoolLimits limits;
  limits.timeout_seconds = 1;
  limits.grace_seconds = 1;
  FourSecondsOfStop stop;
  TwoSteps pass(milliseconds(3900), milliseconds(200));
  const ChildOutcome outcome = run_one(
      [](std::stop_token) -> std::string {
        ::raise(SIGSTOP);
        sleep_for_ever();
      },
      limits,
      [&](RunClock::ByHand& clock, const Outcomes&) {
        if (stop(clock)) pass(clock);
      });
  CHECK(outcome.failure == "Exceeded the time limit of 1 s; killed after 4.1 s. Raise `timeout`.");
  CHECK(outcome.wall_seconds == doctest::Approx(4.1));
}

// That the clock itself leaves such a stop out: run_clock_test.cpp, and in real time timing/process_limits_test.cpp.
TEST_CASE("a pool that is stopped together with its children, as by Ctrl-Z, goes on with them") {
  std::array<int, 2> begun{}, goes_on{};
  REQUIRE(::pipe(begun.data()) == 0);
  REQUIRE(::pipe(goes_on.data()) == 0);
  RunClock::ByHand clock;
  std::fflush(nullptr);
  const pid_t pool = ::fork();
  if (pool == 0) {
    ::setpgid(0, 0);
    PoolLimits limits;
    limits.timeout_seconds = 3;
    limits.grace_seconds = 0.5;
    std::string payload;
    PoolJobs jobs;
    jobs.count = 1;
    jobs.prepare = [](std::size_t) { return true; };
    jobs.work = [&](std::size_t, std::stop_token) -> std::string {
      const auto start = RunClock::now();
      char byte = 0;
      if (::write(begun[1], "b", 1) != 1 || ::read(goes_on[0], &byte, 1) != 1) return "no pipe";
      return RunClock::now() - start == seconds(2) ? "two seconds" : "another time";
    };
    jobs.log = [](std::size_t) { return std::filesystem::path(); };
    jobs.done = [&](const ChildOutcome& outcome) { payload = outcome.payload; };
    jobs.tick = [] {};
    run_in_children(limits, jobs, never);
    ::_exit(payload == "two seconds" ? 0 : 1);
  }
  char byte = 0;
  REQUIRE(::read(begun[0], &byte, 1) == 1);
  REQUIRE(::kill(-pool, SIGSTOP) == 0);
  int status = 0;
  REQUIRE(::waitpid(pool, &status, WUNTRACED) == pool);
  CHECK(WIFSTOPPED(status));
  const std::vector<pid_t> children = children_of(pool);
  REQUIRE(children.size() == 1);
  CHECK(wait_until([&] { return all_threads_stopped(children.front()); }));
  REQUIRE(::kill(-pool, SIGCONT) == 0);
  clock.advance(seconds(2));
  CHECK(::write(goes_on[1], "g", 1) == 1);
  REQUIRE(::waitpid(pool, &status, 0) == pool);
  CHECK(status == 0);
  for (const int end : {begun[0], begun[1], goes_on[0], goes_on[1]}) ::close(end);
}

TEST_CASE("what a child asks beyond the memory limit it does not get") {
#ifdef ALIDADE_SANITIZED
  MESSAGE("skipped: sanitizers reserve terabytes of address space, so that it can not be limited");
#else
  PoolLimits limits;
  limits.memory_bytes = std::uint64_t{64} << 20;
  const auto fill = [](std::size_t megabytes) {
    std::vector<char> memory(megabytes << 20, 'x');
    return std::string(1, memory[memory.size() / 2]);
  };
  CHECK(run_one([&](const std::stop_token&) { return fill(8); }, limits).payload == "x");
  const ChildOutcome greedy = run_one([&](const std::stop_token&) { return fill(256); }, limits);
  CHECK_FALSE(greedy.delivered);
  CHECK(holds_all(greedy.failure, {"memory limit of 64 MB", "`memory`"}));
#endif
  CHECK(run_one([](const std::stop_token&) -> std::string { throw std::bad_alloc(); }).failure ==
        "The machine ran out of memory.");
}

TEST_CASE("too few open files are named as such: not an earlier error, and not too little memory") {
#ifdef ALIDADE_SANITIZED
  MESSAGE("skipped: sanitizers reserve terabytes of address space, so that it can not be limited");
#else
  const int first_free = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(first_free >= 0);
  ::close(first_free);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit fewer{static_cast<rlim_t>(first_free) + 1, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &fewer) == 0);
  errno = ENOENT;  // of an earlier call
  CHECK_THROWS_WITH_AS(run_one([](const std::stop_token&) { return std::string("done"); }),
                       doctest::Contains("Cannot start a process: Too many open files"), DataError);
  const rlimit few{static_cast<rlim_t>(first_free) + 2, before.rlim_max};  // the two ends of the child's pipe
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  PoolLimits limits;
  limits.memory_bytes = std::uint64_t{64} << 20;
  const ChildOutcome outcome = run_one([](const std::stop_token&) { return std::string("done"); }, limits);
  ::setrlimit(RLIMIT_NOFILE, &before);
  CAPTURE(outcome.failure);
  CHECK_FALSE(outcome.delivered);
  CHECK(holds_all(outcome.failure, {"/proc/self/statm", "Too many open files"}));
#endif
}

TEST_CASE("a truncated, missing or foreign message is no result") {
  for (const std::string& message :
       {std::string("R"), std::string("R\0\0", 3), std::string("rubbish that is long enough"),
        std::string("R\x05\0\0\0\0\0\0\0four", 13)}) {
    CAPTURE(message);
    const ChildOutcome outcome = run_one([&](const std::stop_token&) -> std::string {
      if (::write(own_pipe(), message.data(), message.size()) < 0) ::_exit(77);
      ::_exit(0);
    });
    CHECK_FALSE(outcome.delivered);
    CHECK(holds_all(outcome.failure, {"exit(0)"}));
  }
}

TEST_CASE("a child that closes its pipe ends without a result, or is killed after the grace") {
  CHECK(holds_all(run_one([](const std::stop_token&) -> std::string {
                    ::close(own_pipe());
                    return "into the void";
                  }).failure,
                  {"exit(0)"}));
  PoolLimits limits;
  limits.jobs = 2;
  limits.grace_seconds = 2;
  // The grace lasts longer than one of these steps, and ends within two.
  constexpr milliseconds kStep{1900};
  const Outcomes outcomes = run_jobs(
      4,
      [](std::size_t j, std::stop_token) -> std::string {
        if (j > 0) return "quick";
        ::close(own_pipe());
        sleep_for_ever();
      },
      limits, never,
      [&](RunClock::ByHand& clock, const Outcomes& ended) {
        // It does not keep the others waiting.
        if (ended.contains(1) && ended.contains(2) && ended.contains(3)) clock.advance(kStep);
      });
  CHECK(holds_all(outcomes.at(0).failure, {"closed its pipe", "killed"}));
  CHECK(outcomes.at(0).wall_seconds >= doctest::Approx(3.8));
  for (const std::size_t j : {1UL, 2UL, 3UL}) {
    CHECK(outcomes.at(j).payload == "quick");
    CHECK(outcomes.at(j).wall_seconds == 0);
  }
}

TEST_CASE("the pool does not wait for the pipe of a process that a run left behind") {
  const ChildOutcome outcome = run_one([](const std::stop_token&) {
    const pid_t left = ::fork();
    if (left == 0) {
      ::alarm(600);
      sleep_for_ever();
    }
    return std::to_string(left);
  });
  CHECK(outcome.delivered);
  const pid_t left = std::stoi(outcome.payload);
  CHECK(::kill(left, 0) == 0);  // it still holds the pipe
  ::kill(left, SIGKILL);
}

TEST_CASE("on interruption children are asked to stop, and no more are started") {
  Heartbeat started;
  PoolLimits limits;
  limits.jobs = 2;
  bool asked = false;
  const Outcomes outcomes = run_jobs(
      5,
      [&](std::size_t, const std::stop_token& stop) -> std::string {
        started.beat();
        while (!stop.stop_requested()) std::this_thread::sleep_for(milliseconds(1));
        return "stopped";
      },
      limits,
      [&] {
        // Once, as soon as both run.
        static int calls = 0;
        if (++calls > 3 && !asked) asked = started.wait_for_beats(2);
        return asked;
      });
  REQUIRE(outcomes.size() == 2);
  CHECK(outcomes.at(0).payload == "stopped");
  CHECK(outcomes.at(1).payload == "stopped");
}

TEST_CASE("a child asked to stop in its first moment notices") {
  RunClock::ByHand clock;  // the grace lasts
  for (int trial = 0; trial < 50; ++trial) {
    std::size_t prepared = 0;
    std::map<std::size_t, std::string> received;
    PoolJobs jobs;
    jobs.count = 2;
    jobs.prepare = [&](std::size_t j) {
      prepared = j + 1;
      return true;
    };
    jobs.work = [](std::size_t j, const std::stop_token& stop) -> std::string {
      if (j == 0) return "wakes the pool, which then looks at job 1";
      while (!stop.stop_requested()) std::this_thread::sleep_for(milliseconds(1));
      return "stopped";
    };
    jobs.log = [](std::size_t) { return std::filesystem::path(); };
    jobs.done = [&](const ChildOutcome& outcome) {
      received[outcome.job] = outcome.delivered ? outcome.payload : outcome.failure;
    };
    jobs.tick = [] {};
    PoolLimits limits;
    limits.jobs = 2;
    run_in_children(limits, jobs, [&] { return prepared == 2; });
    CHECK(received.at(1) == "stopped");
  }
}

TEST_CASE("a child that ignores the interruption is killed after three times its shorter grace") {
  PoolLimits limits;
  limits.stop_seconds = 1.25;
  Heartbeat started;
  bool asked = false;
  int calls = 0;
  TwoSteps pass(milliseconds(3650), milliseconds(200));
  const Outcomes outcomes = run_jobs(
      1,
      [&](std::size_t, std::stop_token) -> std::string {
        started.beat();
        sleep_for_ever();
      },
      limits,
      [&] {
        if (++calls > 2 && !asked) asked = started.wait_for_beats(1);
        return asked;
      },
      [&](RunClock::ByHand& clock, const Outcomes&) {
        if (asked) pass(clock);  // the pool has asked in the round that has ended
      });
  CHECK(holds_all(outcomes.at(0).failure, {"Interrupted"}));
  CHECK(outcomes.at(0).wall_seconds == doctest::Approx(3.85));
}

TEST_CASE("a child ignores the interrupt that the terminal sends to all") {
  CHECK(run_one([](const std::stop_token&) {
          ::raise(SIGINT);
          return "went on";
        }).payload == "went on");
}

TEST_CASE("the output of a child and its libraries goes to its log, or nowhere") {
  const ScratchFolder scratch;
  for (const bool logged : {true, false}) {
    PoolJobs jobs;
    jobs.count = 1;
    jobs.prepare = [](std::size_t) { return true; };
    jobs.work = [](std::size_t, std::stop_token) {
      std::printf("to standard output\n");
      std::fprintf(stderr, "to standard error\n");
      char byte = 0;
      return std::to_string(::read(STDIN_FILENO, &byte, 1));
    };
    jobs.log = [&](std::size_t) { return logged ? scratch / "job.log" : std::filesystem::path(); };
    jobs.done = [](const ChildOutcome& outcome) { CHECK(outcome.payload == "0"); };  // its input is empty
    jobs.tick = [] {};
    run_in_children({}, jobs, never);
  }
  std::ifstream in(scratch / "job.log");
  const std::string log{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  CHECK(log == "to standard error\nto standard output\n");  // each once; standard output waits for the end
}

TEST_CASE("an exception of the caller kills the children before it propagates") {
  Heartbeat children;
  PoolJobs jobs;
  jobs.count = 3;
  jobs.prepare = [](std::size_t) { return true; };
  jobs.work = [](std::size_t j, std::stop_token) -> std::string {
    if (j == 0) return "first";
    sleep_for_ever();
  };
  jobs.log = [](std::size_t) { return std::filesystem::path(); };
  jobs.done = [](const ChildOutcome&) { throw DataError("Can not write runs.jsonl: No space left on device."); };
  jobs.tick = [] {};
  PoolLimits limits;
  limits.jobs = 3;
  CHECK_THROWS_WITH_AS(run_in_children(limits, jobs, never), "Can not write runs.jsonl: No space left on device.",
                       DataError);
  children.close_own();
  CHECK(children.stopped());
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("children die with a parent that is killed") {
  Heartbeat children;
  std::fflush(nullptr);
  const pid_t parent = ::fork();
  if (parent == 0) {
    PoolJobs jobs;
    jobs.count = 2;
    jobs.prepare = [](std::size_t) { return true; };
    jobs.work = [&](std::size_t, std::stop_token) -> std::string {
      children.beat();
      sleep_for_ever();
    };
    jobs.log = [](std::size_t) { return std::filesystem::path(); };
    jobs.done = [](const ChildOutcome&) {};
    jobs.tick = [] {};
    PoolLimits limits;
    limits.jobs = 2;
    run_in_children(limits, jobs, never);
    ::_exit(0);
  }
  REQUIRE(parent > 0);
  children.close_own();
  CHECK(children.wait_for_beats(2));
  ::kill(parent, SIGKILL);
  CHECK(::waitpid(parent, nullptr, 0) == parent);
  CHECK(children.stopped());
}

TEST_CASE("fewer than one job at a time is refused") {
  PoolLimits limits;
  limits.jobs = 0;
  CHECK_THROWS_AS(run_in_children(limits, {}, never), ConfigError);
}

}  // namespace process_pool_test
