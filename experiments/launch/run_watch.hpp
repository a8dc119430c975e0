// Watches over work that this process does itself: asks it to stop when the user interrupts, and ends the process where
// the work, stuck in a library, does not stop in time. Runs in child processes are watched by process_pool.hpp, by the
// same rule. One thread, asleep most of the time.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "problems/core/run_clock.hpp"

namespace alidade {

class RunWatch {
 public:
  /// `interrupted`: whether the user wants an end; asked from another thread, for good once true.
  explicit RunWatch(std::function<bool()> interrupted);
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

  /// What is done last, with a sentence on why, before the process ends. Called from another thread, while the work
  /// goes on.
  using LastAct = std::function<void(const std::string& why)>;
  /// From now on the process ends, after `last_act`, where the work goes on for PoolLimits' grace after its time limit
  /// (exit status 1) or after an interruption (130).
  void begin(std::optional<double> timeout_seconds, LastAct last_act);
  /// The work is done.
  void end();

 private:
  using Clock = RunClock;
  struct Work {
    std::optional<double> timeout_seconds;
    LastAct last_act;
    Clock::time_point begun;
  };
  void look();

  std::function<bool()> interrupted_;
  std::stop_source source_;
  std::mutex mutex_;  // of all below
  std::optional<Work> work_;
  std::optional<Clock::time_point> asked_;
  std::jthread thread_;  // last: it looks at all the others
};

}  // namespace alidade
