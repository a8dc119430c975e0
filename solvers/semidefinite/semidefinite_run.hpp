// The frame of a solve of a semidefinite program: what it needs, value of the start, records, what the end is worth.
// A solver iterates; the frame says by the problem's own judgement, or by the program's measures and a proven bound,
// what its X is worth. Lives on the stack of solve(); problem, x and context must outlive it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "problems/contract/problem.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/programs/lower_bound.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "solvers/contract/recorder.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

class SemidefiniteRun {
 public:
  /// @throws as require_fit; DataError on an invalid program, one without constraints and another kind of start.
  SemidefiniteRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context);

  [[nodiscard]] const SemidefiniteFace& face() const { return *face_; }
  [[nodiscard]] const SemidefiniteProgram& program() const { return face_->program(); }
  /// The start, and after judge() the solution. Its blocks may be missing.
  [[nodiscard]] SemidefiniteSolution& x() { return std::get<SemidefiniteSolution>(x_); }
  [[nodiscard]] SolveContext& context() { return context_; }
  [[nodiscard]] Summary& summary() { return summary_; }
  [[nodiscard]] Counts& counts() { return summary_.counts; }
  [[nodiscard]] Recorder& recorder() { return recorder_; }

  /// Evaluates and records the start. Call it once, before the others.
  void begin();
  /// As begin(), for a solver that has a start of its own to record.
  void begin_unrecorded();
  /// Records an iteration by its objective and, if it is asked for, its solution, both of the program.
  void record(Index iteration, double objective, const std::function<SemidefiniteSolution()>& solution);

  /// Ends a solve that was stopped before its first iteration, with the start.
  Summary not_begun(Termination interrupted);
  /// Ends with a proof that the program has no solution, or no lowest objective.
  Summary infeasible(Termination termination, SemidefiniteSolution::Ray ray, std::string message);
  /// Takes a solution of the program and evaluates the objective.
  void take(SemidefiniteSolution found);
  /// As take(), and fills violations and certificate and adds to `message` what is known.
  /// The problem's own judgement may replace it by a feasible solution near it.
  /// @param errors those of it, if they were measured
  /// @param prove a lower bound of the program, asked for only if the problem does not judge itself
  void judge(SemidefiniteSolution found, const std::optional<SemidefiniteErrors>& errors,
             const std::function<std::optional<double>()>& prove, std::string& message);
  /// Records the solution if record() was not called in the last iteration.
  void record_end();
  Summary finish(Termination termination, std::string message);

 private:
  Summary summary_;
  Problem problem_;
  const SemidefiniteFace* face_;
  Solution& x_;
  SolveContext& context_;
  Evaluation evaluation_;
  Recorder recorder_;
  Index recorded_ = 0;
};

/// For judge(): the value of a bound, if there is one.
inline std::optional<double> value_of(const std::optional<ProvenBound>& bound) {
  return bound ? std::optional(bound->value) : std::nullopt;
}

}  // namespace alidade
