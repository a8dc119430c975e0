// Takes the notes of one solve: clock, trace, observer, and with every record what the solve had spent by then.
// Figures: those of kSpentNames at the time of the record, by which a solve can be followed on any machine, then the
// solver's own, then the observer's. Lives on the stack of solve(); the counts must outlive it and be up to date at
// each record.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "solvers/contract/solver.hpp"

namespace alidade {

/// How many iterations back the option `tolerance` of a solver compares an objective.
inline constexpr std::size_t kJudgedIterations = 10;

class Recorder {
 public:
  Recorder(SolveContext& context, const Counts& counts) : context_(context), counts_(counts) {}
  [[nodiscard]] bool wants(Index iteration) const {
    return context_.observer != nullptr && context_.observer->wants(iteration);
  }
  /// Records an iteration; shows it to the observer if that wants it (x may be null then it is not shown).
  void record(Index iteration, double objective, double gradient_norm, const Point* x);
  /// The same of an iterate that is not a point, with figures of the solver's own; `x` is asked for only if the
  /// observer wants to see it.
  void record(Index iteration, double objective, const std::function<Solution()>& x, Figures figures = {});
  /// Writes times and trace to the summary.
  void finish(Summary& summary);

 private:
  /// `look` shows the iterate to the observer.
  void add(TraceRecord entry, const std::function<void(TraceRecord&)>& look);

  SolveContext& context_;
  const Counts& counts_;
  Stopwatch clock_;
  Trace trace_;
};

/// Adds what was spent before to the figures of a record; one without such figures stays as it is.
void add_spent(const Counts& before, Figures& figures);

}  // namespace alidade
