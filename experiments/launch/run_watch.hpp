// Watches work that this process does itself. When the user interrupts, it asks the work to stop; it ends the process
// if work that is stuck in a library does not stop within the grace of process_pool.hpp, which watches runs in child
// processes. What is there is written: only a process that waits is ended then.
// Uses one thread, which sleeps most of the time.
#pragma once

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
  /// `interrupted`: whether the user wants to stop. It is called from another thread, and stays true once true.
  explicit RunWatch(std::function<bool()> interrupted);
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

  /// The last action before the process ends; `why` is a sentence. Called from another thread while the work continues.
  using LastAct = std::function<void(const std::string& why)>;
  /// From now on the process ends, after `last_act`, if the work continues beyond the grace of PoolLimits after its
  /// time limit (exit status 1) or after an interruption (130). While data are read, it ends at the time limit.
  void begin(std::optional<double> timeout_seconds, LastAct last_act);
  /// An interruption from now on lets the work go on for so many seconds; `begin` and
  /// `begin_writing` set those of PoolLimits.
  void allow(double seconds);
  /// The work is done, and its files are written now.
  void begin_writing();
  /// All is done.
  void end();

 private:
  using Clock = RunClock;
  struct Work {
    std::optional<double> timeout_seconds;
    LastAct last_act;
    Clock::time_point begun;
    double allowed;
    bool writing = false;
  };
  void look();

  std::function<bool()> interrupted_;
  std::stop_source source_;
  std::mutex mutex_;  // guards all members below
  std::optional<Work> work_;
  std::optional<Clock::time_point> asked_;
  std::optional<double> cpu_before_;  // processor time when the grace began
  std::jthread thread_;               // last: it uses all others
};

}  // namespace alidade
