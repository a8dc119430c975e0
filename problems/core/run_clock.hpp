// The time during which this process ran. It stands still while the process is stopped (Ctrl-Z, SIGSTOP), so that a
// time limit counts only time in which work could be done. A stop is noticed when the process goes on, and its length
// is taken from the calls of now() before and after it: the more often now() is called, the more exact it is.
#pragma once

#include <chrono>

namespace alidade {

struct RunClock {
  using time_point = std::chrono::steady_clock::time_point;

  /// steady_clock's time less that of the stops since the first call of notice_stops(). Any thread may call it.
  [[nodiscard]] static time_point now() noexcept;

  /// From now on stops are noticed, here and in processes that this one forks: answers SIGCONT, where nobody else does.
  static void notice_stops() noexcept;
};

}  // namespace alidade
