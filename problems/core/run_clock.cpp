#include "problems/core/run_clock.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace alidade {
namespace {

using Steady = std::chrono::steady_clock;
using Ticks = Steady::duration::rep;

// A gap between calls of now() that may hold a stop. The thread that goes on first may call now() before another one
// has answered SIGCONT, so the last such gap is remembered for a while.
constexpr Ticks kGap = Steady::duration(std::chrono::milliseconds(100)).count();
constexpr Ticks kWhile = Steady::duration(std::chrono::milliseconds(500)).count();

std::atomic<bool> continued{false};
std::atomic<Ticks> last_call{0}, last_gap{0}, gap_ended{0}, stopped{0};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void answer_continue(int) { continued.store(true); }

}  // namespace

RunClock::time_point RunClock::now() noexcept {
  const Ticks now = Steady::now().time_since_epoch().count();
  const Ticks before = last_call.exchange(now);
  const Ticks gap = before > 0 ? now - before : 0;
  if (gap > kGap) {
    last_gap.store(gap);
    gap_ended.store(now);
  }
  if (continued.exchange(false)) {
    const bool recent = now - gap_ended.load() < kWhile;
    stopped.fetch_add(std::max(gap, recent ? last_gap.exchange(0) : 0));
  }
  return time_point(Steady::duration(now - stopped.load()));
}

void RunClock::notice_stops() noexcept {
  struct sigaction current {};
  if (::sigaction(SIGCONT, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) return;
  struct sigaction answer {};
  answer.sa_handler = answer_continue;
  answer.sa_flags = SA_RESTART;
  ::sigemptyset(&answer.sa_mask);
  ::sigaction(SIGCONT, &answer, nullptr);
  static_cast<void>(now());
}

}  // namespace alidade
