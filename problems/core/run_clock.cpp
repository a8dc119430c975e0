#include "problems/core/run_clock.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>

#include "problems/core/begun_thread.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

using Steady = std::chrono::steady_clock;
using Unit = std::chrono::duration<std::int64_t, std::centi>;

// A Known in one word, so that no thread sees half of a change: `last` above, `stopped` below.
std::atomic<std::uint64_t> state{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a process may fork at any moment");
std::atomic<int> tickings{0};
std::atomic<void*> hand{nullptr};  // of the test that owns the time, see RunClock::ByHand

std::uint32_t in_units(Steady::time_point time) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<Unit>(time.time_since_epoch()).count());
}
std::uint64_t word(std::uint32_t last, std::uint32_t stopped) { return std::uint64_t{last} << 32 | stopped; }

}  // namespace

RunClock::time_point RunClock::now() noexcept {
  if (auto* const moved = static_cast<ByHand::State*>(hand.load())) moved->now.fetch_add(moved->each_look);
  return peek();
}

RunClock::time_point RunClock::peek() noexcept {
  if (auto* const moved = static_cast<ByHand::State*>(hand.load())) return time_point(duration(moved->now.load()));
  std::uint64_t seen = state.load();
  for (;;) {
    const Steady::time_point now = Steady::now();
    Reading reading{static_cast<std::uint32_t>(seen >> 32), static_cast<std::uint32_t>(seen)};
    if (tickings.load() > 0) {
      const std::optional<Reading> next = looked(reading, in_units(now));
      if (!next) seen = state.load();
      if (!next || (next->last != reading.last && !state.compare_exchange_weak(seen, word(next->last, next->stopped))))
        continue;
      reading = *next;
    }
    return now - std::chrono::duration_cast<duration>(Unit(reading.stopped));
  }
}

RunClock::Ticking::Ticking() noexcept {
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, [] { tickings.store(0); }); });
  if (tickings.load() == 0) {  // time without a Ticking holds no stops
    std::uint64_t before = state.load();
    while (!state.compare_exchange_weak(before, word(in_units(Steady::now()), static_cast<std::uint32_t>(before)))) {
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

RunClock::ByHand::ByHand(duration each_look) {
  static_assert(std::atomic<duration::rep>::is_always_lock_free, "processes share it");
  ALIDADE_ASSERT(hand.load() == nullptr && each_look >= duration::zero());
  void* const room = ::mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "a clock moved by hand");
  state_ = new (room) State{{Steady::now().time_since_epoch().count()}, each_look.count()};
  hand.store(state_);
}

RunClock::ByHand::~ByHand() {
  hand.store(nullptr);
  ::munmap(state_, sizeof(State));
}

void RunClock::ByHand::advance(duration time) noexcept { state_->now.fetch_add(time.count()); }

}  // namespace alidade
