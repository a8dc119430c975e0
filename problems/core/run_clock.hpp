// The time during which this process ran. It stands still while the process is stopped (Ctrl-Z, SIGSTOP), so that a
// time limit counts only time in which work could be done. No signal is needed: a thread looks at the clock every
// 50 ms, and if nobody has looked for a second, then nothing ran. Example:
//
//     const RunClock::Ticker ticker;
//     const auto deadline = RunClock::now() + std::chrono::seconds(8);
//
// Tests own their time, so that no slow machine fails them:
//
//     RunClock::ByHand clock;
//     context.deadline = RunClock::deadline(8.0);
//     clock.advance(std::chrono::seconds(9));  // the deadline has passed, at once
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

namespace alidade {

struct RunClock {
  using time_point = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  /// steady_clock's time less that of the stops since the first Ticking. Any thread may call it; it never goes back.
  [[nodiscard]] static time_point now() noexcept;
  /// The same, but a clock that each look moves (ByHand) stands still.
  [[nodiscard]] static time_point peek() noexcept;
  /// So many seconds from now; empty: never.
  [[nodiscard]] static std::optional<time_point> deadline(std::optional<double> seconds) noexcept {
    if (!seconds) return std::nullopt;
    return now() + std::chrono::duration_cast<duration>(std::chrono::duration<double>(*seconds));
  }

  /// When now() was called last, and for how long the process was stopped before. Both in hundredths of a second,
  /// modulo 2^32.
  struct Reading {
    std::uint32_t last = 0, stopped = 0;
    bool operator==(const Reading&) const = default;
  };
  /// What a look at `time` makes of it while a thread has a Ticking. Empty: another thread has looked since, and
  /// perhaps noticed a stop.
  [[nodiscard]] static constexpr std::optional<Reading> looked(Reading reading, std::uint32_t time) noexcept {
    // A longer time in which nobody called now() was a stop. A busy machine makes threads wait for less.
    constexpr std::int32_t kLongest = 100;
    const auto gap = static_cast<std::int32_t>(time - reading.last);
    if (gap < 0) return std::nullopt;
    // One unit less: the last look was up to a unit after `last`, and the clock never goes back behind it.
    if (gap > kLongest) reading.stopped += static_cast<std::uint32_t>(gap - 1);
    reading.last = time;
    return reading;
  }

  /// How often a thread calls now() while it has a Ticking.
  static constexpr std::chrono::milliseconds kTick{50};
  /// The promise of a thread to call now() every kTick: meanwhile stops are noticed. A forked child has none.
  class Ticking {
   public:
    Ticking() noexcept;
    ~Ticking();
    Ticking(const Ticking&) = delete;
    Ticking& operator=(const Ticking&) = delete;
  };
  /// A thread that does nothing else. Where no thread can be started, stops are not noticed.
  class Ticker {
   public:
    Ticker() noexcept;

   private:
    std::jthread thread_;
  };

  /// While it lives, now() stands still until advance() moves it, here and in all processes forked meanwhile, which
  /// share it. One at a time, and no other thread may look at the clock while it begins or ends.
  class ByHand {
   public:
    /// `each_look`: by how much each now() moves the clock before it answers, >= 0.
    /// @throws std::system_error without memory
    explicit ByHand(duration each_look = duration::zero());
    ~ByHand();
    ByHand(const ByHand&) = delete;
    ByHand& operator=(const ByHand&) = delete;
    /// @pre time >= 0
    void advance(duration time) noexcept;

   private:
    friend struct RunClock;
    struct State {
      std::atomic<duration::rep> now;
      duration::rep each_look;
    };
    State* state_;  // shared memory; owned
  };
};

}  // namespace alidade
