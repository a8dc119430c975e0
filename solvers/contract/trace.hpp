// What a solve did over time: a clock that pauses during observation, and one record per iteration.
// Seconds exclude observation. A record's metrics are the solver's own figures, which its documentation names, then the
// observer's. Iteration 0 is the start.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/core/run_clock.hpp"

namespace alidade {

using Figures = std::vector<std::pair<std::string, double>>;

struct TraceRecord {
  Index iteration = 0;
  double seconds = 0;
  double objective = 0;      // exact, or an estimate if the solver's documentation says so; NaN unknown
  double gradient_norm = 0;  // NaN unknown
  Figures metrics{};
};
using Trace = std::vector<TraceRecord>;

/// Seconds since construction, without the paused time and that in which the process was stopped (RunClock).
class Stopwatch {
 public:
  using Clock = RunClock;
  Stopwatch() : begin_(Clock::peek()) {}
  void pause() { paused_at_ = Clock::peek(); }
  void resume() { paused_ += Clock::peek() - paused_at_; }
  [[nodiscard]] double seconds() const { return to_seconds(Clock::peek() - begin_ - paused_); }
  [[nodiscard]] double paused_seconds() const { return to_seconds(paused_); }

 private:
  [[nodiscard]] static double to_seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }
  Clock::time_point begin_, paused_at_;
  Clock::duration paused_{};
};

}  // namespace alidade
