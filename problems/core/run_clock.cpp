#include "problems/core/run_clock.hpp"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>

#include "problems/core/begun_thread.hpp"

namespace alidade {
namespace {

using Steady = std::chrono::steady_clock;
using Unit = std::chrono::duration<std::int64_t, std::centi>;

// A longer time in which nobody called now() was a stop. A busy machine makes threads wait for less.
constexpr std::int32_t kLongest = 100;

// In one word, so that no thread sees half of a change: above, when now() was called last; below, how long the process
// was stopped before that. Both in hundredths of a second, modulo 2^32.
std::atomic<std::uint64_t> state{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a process may fork at any moment");
std::atomic<int> tickings{0};

std::uint32_t in_units(Steady::time_point time) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<Unit>(time.time_since_epoch()).count());
}
std::uint64_t word(std::uint32_t last, std::uint32_t stopped) { return std::uint64_t{last} << 32 | stopped; }

}  // namespace

RunClock::time_point RunClock::now() noexcept {
  std::uint64_t known = state.load();
  for (;;) {
    const Steady::time_point now = Steady::now();
    const auto last = static_cast<std::uint32_t>(known >> 32);
    auto stopped = static_cast<std::uint32_t>(known);
    if (tickings.load() > 0) {
      const auto gap = static_cast<std::int32_t>(in_units(now) - last);
      const bool overtaken = gap < 0;  // by another thread, which perhaps noticed a stop after `now`
      // One unit less: the last look was up to a unit after `last`, and the clock never goes back behind it.
      if (gap > kLongest) stopped += static_cast<std::uint32_t>(gap - 1);
      if (overtaken) known = state.load();
      if (overtaken || (gap > 0 && !state.compare_exchange_weak(known, word(in_units(now), stopped)))) continue;
    }
    return now - std::chrono::duration_cast<duration>(Unit(stopped));
  }
}

RunClock::duration RunClock::stopped() noexcept {
  static_cast<void>(now());
  return std::chrono::duration_cast<duration>(Unit(static_cast<std::uint32_t>(state.load())));
}

RunClock::Ticking::Ticking() noexcept {
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, [] { tickings.store(0); }); });
  if (tickings.load() == 0) {  // time without a Ticking holds no stops
    std::uint64_t known = state.load();
    while (!state.compare_exchange_weak(known, word(in_units(Steady::now()), static_cast<std::uint32_t>(known)))) {
    }
  }
  tickings.fetch_add(1);
}

RunClock::Ticking::~Ticking() { tickings.fetch_sub(1); }

RunClock::Ticker::Ticker() noexcept {
  try {
    // All that allocates comes before: this process may fork while the thread runs (begun_thread.hpp).
    static_cast<void>(Ticking());
    thread_ = begun_thread([ended = std::make_shared<std::condition_variable_any>()](const std::stop_token& end) {
      const Ticking ticking;
      std::mutex mutex;
      std::unique_lock lock(mutex);
      while (!ended->wait_for(lock, end, kTick, [&] { return end.stop_requested(); })) static_cast<void>(now());
    });
  } catch (const std::system_error&) {  // then time counts as it passes
  }
}

}  // namespace alidade
