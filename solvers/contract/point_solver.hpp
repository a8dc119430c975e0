// The frame of a solver whose iterate is a Point: starts, first record, stop and deadline, last record.
// A solver derives from PointSolver and implements only solve_one, which works on one start through a PointSolve.
// Whatever solve_one does, the result is never worse than its start, and the problem itself evaluates its objective.
#pragma once

#include <optional>
#include <string>

#include "solvers/contract/counted_problem.hpp"
#include "solvers/contract/recorder.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// What a solver knows about its last point; the frame computes the rest.
struct KnownEnd {
  std::optional<double> objective{}, gradient_norm{};
};

/// One start, the argument of solve_one. Lives on the stack and keeps all arguments by reference.
class PointSolve {
 public:
  /// Evaluates the objective at the start x.
  PointSolve(const Problem& problem, Point& x, SolveContext& context);

  /// The best point so far, initially the start; it is returned at the end. Solvers write it.
  Point& x;
  SolveContext& context;
  CountedProblem& problem() { return counted_; }
  [[nodiscard]] const Problem& uncounted() const { return problem_; }
  [[nodiscard]] const Domain& domain() const { return counted_.domain(); }
  [[nodiscard]] Counts& counts() { return summary_.counts; }
  [[nodiscard]] double initial_objective() const { return summary_.initial_objective; }

  /// Records iteration 0; call it first.
  void record_start(double stationarity = kUnknown) { record(0, initial_objective(), stationarity, x); }
  void record(Index iteration, double objective, double stationarity, const Point& at) {
    recorder_.record(iteration, objective, stationarity, &at);
  }
  /// A summary if there is nothing to iterate: the objective is not finite at the start, or there are no unknowns.
  [[nodiscard]] std::optional<Summary> ended_at_start();
  /// A summary if the solve was cancelled or its time is over. `iteration` is the one that does not begin or
  /// finish; 0 if none began.
  [[nodiscard]] std::optional<Summary> stopped(Index iteration);

  /// Ends the solve at x, or at the start if that is better.
  Summary finish(Termination termination, std::string message, const KnownEnd& known = {});

 private:
  const Problem& problem_;
  Summary summary_;
  Recorder recorder_;
  CountedProblem counted_;
  Point start_;
};

class PointSolver : public Solver {
 public:
  /// @throws UnsupportedPair
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const final;

 private:
  /// n_init: the number of starts, each of which gets a call of solve_one.
  [[nodiscard]] virtual Index start_count() const = 0;
  virtual Summary solve_one(PointSolve& run) const = 0;
};

}  // namespace alidade
