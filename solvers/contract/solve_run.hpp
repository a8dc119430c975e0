// The frame of a solve, whatever its kind of solution: the problem as the solver needs it, value of the start, records,
// stop and deadline, last record. A solver iterates and says why it ended.
// Frames of one kind of solution derive from it: PointSolve, EigenRun, ProgramRun and SemidefiniteRun.
// Lives on the stack of solve(); x and context must outlive it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "solvers/contract/recorder.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

class SolveRun {
 public:
  /// Adapts the problem to the solver. @throws as require_fit
  SolveRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context);
  /// One of several starts of a problem that is adapted already.
  SolveRun(const Problem& adapted, Solution& x, SolveContext& context);
  SolveRun(const SolveRun&) = delete;
  SolveRun& operator=(const SolveRun&) = delete;

  [[nodiscard]] const Problem& problem() const { return problem_; }
  /// The start, and at the end the solution.
  [[nodiscard]] Solution& x() { return x_; }
  [[nodiscard]] SolveContext& context() { return context_; }
  /// What is known so far; finish() returns it.
  [[nodiscard]] Summary& summary() { return summary_; }
  [[nodiscard]] Counts& counts() { return summary_.counts; }
  [[nodiscard]] Recorder& recorder() { return recorder_; }

  /// Evaluates the start and records it as iteration 0. Call it once, before the others.
  void begin();
  /// Evaluates the start, for a solver that has another one to record.
  void begin_unrecorded() { summary_.objective = summary_.initial_objective = objective(x_); }
  /// By the problem itself; not counted.
  [[nodiscard]] double objective(const Solution& x) { return problem_.objective(x, evaluation_); }
  /// Makes `x` the solution, with its objective.
  void take(Solution x);
  /// Records an iteration, with the solution as it is now.
  void record(Index iteration, double objective, Figures figures = {});
  /// Records the solution and its objective as the last iteration.
  void record_solution() { record(summary_.counts.iterations, summary_.objective); }

  /// Ends a solve that was cancelled or whose time is over; the message is the reason and then `when`: "before round 3".
  [[nodiscard]] std::optional<Summary> stopped(std::string_view when);
  /// Ends a solve that was stopped before its first iteration, with the start.
  Summary not_begun(Termination reason);
  /// "time_limit in iteration 3".
  [[nodiscard]] static std::string stop_text(Termination reason, std::string_view when);
  /// Ends with the solution and objective as they are.
  Summary finish(Termination termination, std::string message);

 private:
  Summary summary_;
  Problem problem_;
  Solution& x_;
  SolveContext& context_;
  Evaluation evaluation_{context_.executor};
  Recorder recorder_{context_, summary_.counts};
};

}  // namespace alidade
