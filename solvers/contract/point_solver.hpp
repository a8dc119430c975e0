// The frame of a solver whose iterate is a Point: starts, first record, stop and deadline, last record.
// A solver derives from PointSolver and implements only solve_one, which works on one start through a PointSolve.
// Whatever solve_one does, the result is never worse than its start, and the problem itself evaluates its objective.
// An end that solve_one calls converged or stalled is tried: see surroundings.hpp. If there is a way down, solve_one
// goes on from there.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "solvers/contract/counted_problem.hpp"
#include "solvers/contract/solve_run.hpp"

namespace alidade {

/// What a solver knows about its last point; the frame computes the rest.
struct KnownEnd {
  std::optional<double> objective{}, gradient_norm{};
};

/// One start, the argument of solve_one. Lives on the stack and keeps start and context by reference.
class PointSolve : private SolveRun {
 public:
  /// Evaluates the objective at the start, a Point.
  PointSolve(const Problem& problem, Solution& start, SolveContext& context);

  /// The best point so far, initially the start; it is returned at the end. Solvers write it.
  Point& x;
  SolveContext& context;
  CountedProblem& problem() { return counted_; }
  [[nodiscard]] const Problem& uncounted() const { return SolveRun::problem(); }
  [[nodiscard]] const Domain& domain() const { return counted_.domain(); }
  using SolveRun::counts;
  /// At the start, or where resume() began.
  [[nodiscard]] double initial_objective() const { return begun_at_; }

  /// How many of a solve's iterations are left after those before resume().
  [[nodiscard]] Index left_of(Index max_iter) const { return std::max<Index>(0, max_iter - iterations_before_); }
  /// Records iteration 0; call it first.
  void record_start(double stationarity = kUnknown) { record(0, initial_objective(), stationarity, x); }
  void record(Index iteration, double objective, double stationarity, const Point& at) {
    recorder().record(iteration, objective, stationarity, &at);
  }
  /// A summary if there is nothing to iterate: the objective is not finite at the start, or there are no unknowns.
  [[nodiscard]] std::optional<Summary> ended_at_start();
  /// Records iteration 0; a summary if the solve was stopped before, or there is nothing to iterate.
  [[nodiscard]] std::optional<Summary> ended_before_a_step();
  /// A summary if the solve was cancelled or its time is over. `iteration` is the one that does not begin or
  /// finish; 0 if none began.
  [[nodiscard]] std::optional<Summary> stopped(Index iteration);

  /// Ends the solve at x, or at the start if that is better. Ends as `diverged`, at the best point met with a finite
  /// gradient, where the objective or its gradient is not finite at x, whatever the solver calls it.
  Summary finish(Termination termination, std::string message, const KnownEnd& end = {});
  /// Ends a solve that takes no further step: `converged` where the gradient is a small part of the longest one met,
  /// otherwise `stalled`, which the message then says.
  Summary finish_without_step(
      std::string message = "No step lowers the objective any further at this floating-point precision.");
  /// Ends a solve that has made all of its iterations.
  Summary finish_iterations(Index max_iter, const KnownEnd& end = {}) {
    return finish(Termination::max_iter, fmt::format("All {} iterations done.", max_iter), end);
  }
  /// Why a solve is `converged`: its gradient, or what ten iterations gained, is small.
  [[nodiscard]] static std::string small_gradient_text(double tolerance) {
    return fmt::format("Converged: the gradient is below {} of the longest met.", tolerance);
  }
  [[nodiscard]] static std::string idle_text(double tolerance) {
    return fmt::format("Converged: ten iterations improved the objective by less than {:g} %.", 100 * tolerance);
  }
  /// Ends, as stalled, a solve that an exception of the problem ended: with `ended`, if that is the summary of an end
  /// that was tried, or at x. Where the problem does not answer any more, the objective is the lowest that was met.
  /// @throws the exception again where x is the start
  Summary finish_thrown(const std::exception& error, Summary ended);
  /// Goes on from x after `finish`: counts, times and trace continue.
  void resume(Summary finished);

 private:
  CountedProblem counted_;
  Point start_;
  double begun_at_;
  Index iterations_before_ = 0;
  bool resumed_ = false;
};

class PointSolver : public Solver {
 public:
  /// @throws UnsupportedPair
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const final;

 private:
  /// n_init: the number of starts, each of which gets a call of solve_one.
  [[nodiscard]] virtual Index start_count() const = 0;
  virtual Summary solve_one(PointSolve& run) const = 0;
  /// Shares of the objective, and of the longest gradient, that the solver leaves by its options.
  [[nodiscard]] virtual double resolution() const { return 0; }
  [[nodiscard]] virtual double gradient_resolution() const { return 0; }
  /// solve_one, repeated from a lower point while there is one near what it takes for a minimum.
  void solve_to_rest(PointSolve& run, Summary& out) const;
};

}  // namespace alidade
