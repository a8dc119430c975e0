// Records one solve: clock, trace, observer, and with every record the cost so far.
// The figures of a record are the costs of kSpentNames, comparable across machines, then the solver's own, then the
// observer's. Lives on the stack of solve(). The counts must outlive it and be up to date at each record.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "solvers/contract/solver.hpp"

namespace alidade {

/// How many iterations back a solver compares the objective for its option `tolerance`.
inline constexpr std::size_t kJudgedIterations = 10;

class Recorder {
 public:
  Recorder(SolveContext& context, const Counts& counts) : context_(context), counts_(counts) {}
  [[nodiscard]] bool wants(Index iteration) const {
    return context_.observer != nullptr && context_.observer->wants(iteration);
  }
  /// Records an iteration and shows it to the observer if it wants it. x may be null; then nothing is shown.
  void record(Index iteration, double objective, double gradient_norm, const Point* x);
  /// As above, for an iterate that is not a point, with the solver's own figures. Calls `x` only if the observer wants
  /// the iterate.
  void record(Index iteration, double objective, const std::function<Solution()>& x, Figures figures = {});
  /// Writes times and trace to the summary.
  void finish(Summary& summary);
  /// Takes a finished trace back. Iterations from here on count from `before`, and the next iteration 0 is left out.
  void resume(Trace trace, Index before) {
    trace_ = std::move(trace);
    before_ = before;
    resumed_ = true;
  }

 private:
  /// `look` shows the iterate to the observer.
  void add(TraceRecord entry, const std::function<void(TraceRecord&)>& look);

  SolveContext& context_;
  const Counts& counts_;
  Stopwatch clock_;
  Trace trace_;
  Index before_ = 0;
  bool resumed_ = false;
};

/// Appends the trace of a later solve: without its start, and with iterations, times and costs from the beginning of
/// the earlier one. A record without cost figures gets none.
void append_trace(const Trace& later, const Counts& before, double seconds_before, Trace& out);

}  // namespace alidade
