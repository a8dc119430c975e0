#include "experiments/launch/run_watch.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "experiments/files/reading_limit.hpp"
#include "experiments/launch/process_pool.hpp"
#include "problems/core/run_clock.hpp"

namespace run_watch_test {

using namespace alidade;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

namespace {

/// How a process ended, and what it said before.
struct End {
  int status = -1;  // exit status
  std::string message;
};

/// What a process may do whose work is watched. Its clock moves by a nanosecond at every look, so that it knows of
/// looks that are not its own.
class Watched {
 public:
  Watched(RunClock::ByHand& clock, int said) : clock_(clock), said_(said) {}
  void say(std::string_view text) const {
    if (::write(said_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) ::_exit(99);
  }
  [[nodiscard]] RunWatch::LastAct last_act() const {
    return [*this](const std::string& why) { say(why); };
  }
  /// Lets time pass, and the watch see it.
  void pass(RunClock::duration time) {
    clock_.advance(time);
    wait_for_looks();
  }
  /// Waits until the watch has looked at the clock, from the beginning to the end of a look at the work.
  static void wait_for_looks() {
    constexpr int kLooks = 3;
    const auto begun = RunClock::now();
    for (int own = 1; RunClock::now() - begun < nanoseconds(own + kLooks); ++own)
      std::this_thread::sleep_for(milliseconds(1));
  }

 private:
  RunClock::ByHand& clock_;
  int said_;
};

/// Has a forked process do this; it ends with 0 if nobody ends it before.
End end_of(const std::function<void(Watched&)>& work) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  RunClock::ByHand clock(nanoseconds(1));
  std::fflush(nullptr);
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    ::close(ends[0]);
    Watched watched(clock, ends[1]);
    work(watched);
    ::_exit(0);
  }
  ::close(ends[1]);
  End out;
  char byte = 0;
  while (::read(ends[0], &byte, 1) == 1) out.message += byte;
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(process, &status, 0) == process);
  if (WIFEXITED(status)) out.status = WEXITSTATUS(status);
  return out;
}

const auto never = [] { return false; };
constexpr seconds kGrace{5}, kWaits{15};  // of work that uses the processor, and of work that waits, as here

}  // namespace

TEST_CASE("the grace of watched work is that of the process pool") {
  CHECK(PoolLimits().grace_seconds == std::chrono::duration<double>(kGrace).count());
}

TEST_CASE("work that goes on when its time and the grace are over ends with its process, after the last act") {
  const End end = end_of([](Watched& process) {
    RunWatch watch(never);
    watch.begin(3.0, process.last_act());
    process.pass(seconds(3) + kWaits - milliseconds(100));
    if (watch.token().stop_requested()) process.say("asked. ");  // a solver minds its deadline itself
    process.say("still here. ");
    process.pass(milliseconds(200));
    process.say("not ended.");
  });
  CHECK(end.status == 1);
  CHECK(end.message == "still here. Exceeded the time limit of 3 s; ended after 18.1 s. Raise `timeout`.");
}

TEST_CASE("reading ends at the time limit, as there is nothing yet to write") {
  const End end = end_of([](Watched& process) {
    RunWatch watch(never);
    const WhileReading reading;
    watch.begin(3.0, process.last_act());
    process.pass(milliseconds(3100));
    process.say("a pipe says that nobody wrote. ");
    process.pass(milliseconds(1500));
    process.say("not ended.");
  });
  CHECK(end.status == 1);
  CHECK(end.message ==
        "a pipe says that nobody wrote. Exceeded the time limit of 3 s while data were read; ended after 4.6 s. Raise "
        "`timeout`.");
}

TEST_CASE("work without a time limit, or that has ended, is left alone") {
  const End end = end_of([](Watched& process) {
    RunWatch watch(never);
    watch.begin(std::nullopt, process.last_act());
    process.pass(std::chrono::hours(1000));
    watch.begin(3.0, process.last_act());
    watch.end();
    process.pass(std::chrono::hours(1000));
    watch.begin(3.0, process.last_act());  // its time begins now
    process.pass(seconds(7));
    process.say("done");
  });
  CHECK(end.status == 0);
  CHECK(end.message == "done");
}

TEST_CASE("interrupted work is asked to stop, and ends with its process if it goes on for longer than the grace") {
  const End end = end_of([](Watched& process) {
    std::atomic<bool> asked = false;
    RunWatch watch([&] { return asked.load(); });
    watch.begin(std::nullopt, process.last_act());
    Watched::wait_for_looks();
    if (watch.token().stop_requested()) process.say("too early. ");
    asked = true;
    Watched::wait_for_looks();
    if (watch.token().stop_requested()) process.say("asked. ");
    process.pass(kWaits - milliseconds(100));
    process.say("still here. ");
    process.pass(milliseconds(200));
    process.say("not ended.");
  });
  CHECK(end.status == 130);
  CHECK(end.message == "asked. still here. Interrupted; it did not stop by itself and was ended.");
}

TEST_CASE("writing that waits ends as work does") {
  const End end = end_of([](Watched& process) {
    RunWatch watch(never);
    watch.begin(3.0, process.last_act());
    watch.begin_writing();
    process.pass(seconds(3) + kWaits - milliseconds(100));
    process.say("still here. ");
    process.pass(milliseconds(200));
    process.say("not ended.");
  });
  CHECK(end.status == 1);
  CHECK(end.message == "still here. Exceeded the time limit of 3 s; ended after 18.1 s. Raise `timeout`.");
}

TEST_CASE("interrupted work that stops within the grace is left alone") {
  const End end = end_of([](Watched& process) {
    RunWatch watch([] { return true; });
    watch.begin(std::nullopt, process.last_act());
    process.pass(kWaits - milliseconds(100));
    watch.end();
    process.pass(std::chrono::hours(1));
    process.say("stopped");
  });
  CHECK(end.status == 0);
  CHECK(end.message == "stopped");
}

TEST_CASE("interrupted work ends its process after the seconds that were allowed last") {
  for (const double allowed : {0.0, 0.5}) {
    const End end = end_of([&](Watched& process) {
      std::atomic<bool> asked = false;
      RunWatch watch([&] { return asked.load(); });
      watch.begin(std::nullopt, process.last_act());
      watch.allow(allowed);
      process.pass(std::chrono::hours(1));
      process.say("still here. ");
      asked = true;
      Watched::wait_for_looks();
      process.pass(milliseconds(1600));
      process.say("not ended.");
    });
    CHECK(end.status == 130);
    CHECK(end.message == (allowed > 0 ? "still here. Interrupted; it did not stop by itself and was ended."
                                      : "still here. Interrupted."));
  }
}

TEST_CASE("work that begins after the interruption has the whole grace from its beginning") {
  const End end = end_of([](Watched& process) {
    RunWatch watch([] { return true; });
    process.pass(std::chrono::hours(1));
    watch.begin(std::nullopt, process.last_act());
    process.pass(kWaits - milliseconds(100));
    process.say("still here. ");
    process.pass(milliseconds(200));
    process.say("not ended.");
  });
  CHECK(end.status == 130);
  CHECK(end.message == "still here. Interrupted; it did not stop by itself and was ended.");
}

}  // namespace run_watch_test
