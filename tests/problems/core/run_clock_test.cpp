#include "problems/core/run_clock.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <thread>
#include <vector>

namespace run_clock_test {

using namespace alidade;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// What a look at `time` makes of `reading`, which no other thread has looked at since.
RunClock::Reading after_look(RunClock::Reading reading, std::uint32_t time) {
  const std::optional<RunClock::Reading> out = RunClock::looked(reading, time);
  REQUIRE(out);
  return *out;
}

}  // namespace

TEST_CASE("a clock moved by hand stands still until it is moved") {
  RunClock::ByHand clock;
  const auto begun = RunClock::now();
  for (int look = 0; look < 1000; ++look) REQUIRE(RunClock::now() == begun);
  clock.advance(seconds(9));
  CHECK(RunClock::now() - begun == seconds(9));
  clock.advance(seconds(0));
  clock.advance(milliseconds(1));
  CHECK(RunClock::now() - begun == milliseconds(9001));
}

TEST_CASE("a deadline passes when the clock is moved to it, and no deadline never does") {
  RunClock::ByHand clock;
  const auto deadline = RunClock::deadline(8.0);
  REQUIRE(deadline);
  CHECK(*deadline - RunClock::now() == seconds(8));
  clock.advance(milliseconds(7999));
  CHECK(RunClock::now() < *deadline);
  clock.advance(milliseconds(1));
  CHECK(RunClock::now() >= *deadline);
  CHECK(RunClock::deadline(0.0) == RunClock::now());
  CHECK_FALSE(RunClock::deadline(std::nullopt));
}

TEST_CASE("every look moves the clock, if it is told to, so that a deadline passes at a look that is known") {
  RunClock::ByHand clock(seconds(2));
  const auto begun = RunClock::now();
  CHECK(RunClock::now() - begun == seconds(2));
  CHECK(RunClock::now() - begun == seconds(4));
  clock.advance(seconds(10));
  CHECK(RunClock::now() - begun == seconds(16));
  const auto deadline = RunClock::deadline(5.0);  // a look, too
  int looks = 1;
  while (RunClock::now() < *deadline) ++looks;
  CHECK(looks == 3);
}

TEST_CASE("a forked child has the same clock, and each may move it for the other") {
  RunClock::ByHand clock;
  const auto begun = RunClock::now();
  std::array<int, 2> to_child{}, to_parent{};
  REQUIRE(::pipe(to_child.data()) == 0);
  REQUIRE(::pipe(to_parent.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    if (RunClock::now() != begun) ::_exit(1);
    clock.advance(seconds(3));
    if (::write(to_parent[1], "m", 1) != 1 || ::read(to_child[0], &byte, 1) != 1) ::_exit(2);
    ::_exit(RunClock::now() - begun == seconds(7) ? 0 : 3);
  }
  char byte = 0;
  CHECK(::read(to_parent[0], &byte, 1) == 1);
  CHECK(RunClock::now() - begun == seconds(3));
  clock.advance(seconds(4));
  CHECK(::write(to_child[1], "m", 1) == 1);
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  for (const int end : {to_child[0], to_child[1], to_parent[0], to_parent[1]}) ::close(end);
}

TEST_CASE("threads share a clock moved by hand, and lose no move of it") {
  RunClock::ByHand clock;
  const auto begun = RunClock::now();
  std::vector<std::thread> movers;
  for (int i = 0; i < 4; ++i)
    movers.emplace_back([&] {
      for (int move = 0; move < 1000; ++move) clock.advance(seconds(1));
    });
  for (std::thread& mover : movers) mover.join();
  CHECK(RunClock::now() - begun == seconds(4000));
}

TEST_CASE("after a clock moved by hand the machine's goes on, and the next one begins there") {
  const auto begun = RunClock::now();
  for (int trial = 0; trial < 2; ++trial) {
    {
      RunClock::ByHand clock;
      CHECK(RunClock::now() >= begun);
      clock.advance(hours(1000));
      CHECK(RunClock::now() - begun >= hours(1000));
    }
    CHECK(RunClock::now() >= begun);
    CHECK(RunClock::now() - begun < hours(1000));
  }
}

TEST_CASE("a second in which nobody looked counts, and a longer time was a stop, which does not") {
  using Reading = RunClock::Reading;
  const Reading reading{1000, 50};
  CHECK(after_look(reading, 1000) == reading);
  CHECK(after_look(reading, 1005) == Reading{1005, 50});
  CHECK(after_look(reading, 1100) == Reading{1100, 50});
  // One unit less than the gap: the clock does not go back, even if the last look was at the end of its unit.
  CHECK(after_look(reading, 1101) == Reading{1101, 150});
  CHECK(after_look(reading, 1500) == Reading{1500, 549});
  // The time that counts never goes back and moves by at most a second at a look.
  for (std::uint32_t gap = 0; gap < 1000; ++gap) {
    const Reading next = after_look(reading, reading.last + gap);
    const std::uint32_t moved = (next.last - next.stopped) - (reading.last - reading.stopped);
    CAPTURE(gap);
    CHECK(moved == (gap > 100 ? 1 : gap));
  }
}

TEST_CASE("stops add up, and each is counted by the first who looks after it") {
  RunClock::Reading reading{0, 0};
  std::uint32_t time = 0;
  for (int stop = 1; stop <= 3; ++stop) {
    for (int tick = 0; tick < 10; ++tick) reading = after_look(reading, time += 5);
    reading = after_look(reading, time += 300);
    CHECK(reading.stopped == static_cast<std::uint32_t>(299 * stop));
    // Another thread read the machine's clock before the stop, and looks only now: it has to look again.
    CHECK_FALSE(RunClock::looked(reading, time - 300));
    CHECK_FALSE(RunClock::looked(reading, time - 1));
    CHECK(after_look(reading, time) == reading);
  }
}

TEST_CASE("the machine's clock may run over the end of its 32 bits") {
  using Reading = RunClock::Reading;
  const Reading reading{0xFFFFFFFEU, 7};
  CHECK(after_look(reading, 3) == Reading{3, 7});
  CHECK(after_look(reading, 498) == Reading{498, 506});
  CHECK_FALSE(RunClock::looked({3, 7}, 0xFFFFFFFEU));
  CHECK(after_look({0, 0xFFFFFFFFU}, 200) == Reading{200, 198});
}

}  // namespace run_clock_test
