// One line of a terminal that says what a run is doing, how far it is and how long that stage may still take.
// Text of the line: stage_text(); a thread renews it twice a second.
// Thread-safe; whoever prints elsewhere ends it first.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "experiments/run/run_request.hpp"

namespace alidade::commands {

/// "Choosing the method: 7 of about 14 candidates, 12 s, about 10 s left". `elapsed` seconds of the run; `in_stage` of
/// them in the stage until the last of `done` was done. What a stage does last is not counted in advance.
[[nodiscard]] std::string stage_text(const RunStage& stage, double elapsed, double in_stage);

class StageLine {
 public:
  /// Prints to standard error if `shown`, else nothing.
  explicit StageLine(bool shown);
  ~StageLine();
  StageLine(const StageLine&) = delete;
  StageLine& operator=(const StageLine&) = delete;

  /// From now on the run does this.
  void show(const RunStage& stage);
  /// Takes the line away.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  void print();

  bool shown_;
  std::mutex mutex_;  // guards all members below
  std::optional<RunStage> stage_;
  Clock::time_point begin_ = Clock::now(), stage_begin_{}, last_done_{};
  std::jthread thread_;  // last: it uses all others
};

}  // namespace alidade::commands
