// Solves one after another seen as one solve: each stage starts where the one before ended.
// The trace runs through all stages, numbered and timed from the beginning, each stage with its own objective but for
// the start; kept is the best end of a stage by the objective of the problem itself.
// For solvers that compose others: continuation, sequence.
#pragma once

#include <string>

#include "solvers/contract/solver.hpp"

namespace alidade {

class StagedSolve {
 public:
  /// Evaluates `problem` at the start x, which later holds the best solution. All are kept by reference.
  StagedSolve(const Problem& problem, Solution& x, SolveContext& context);

  /// Where the next stage starts.
  [[nodiscard]] const Solution& reached() const { return walker_; }
  /// The next stage starts at x instead, as an attempt of its own.
  void restart(Solution x) { walker_ = std::move(x); }
  /// Whether time is left for another stage; if not, the summary says why the solve ended before `stage`.
  [[nodiscard]] bool may_begin(const std::string& stage);
  /// Solves `problem`, on the same domain, from reached(); `stage` names it in messages ("stage 2 of 5"). Returns
  /// whether the stages after it make sense: not once one failed or was interrupted. A failure after a stage that did
  /// not fail leaves what was reached, as `stalled`.
  [[nodiscard]] bool run(const Solver& solver, const Problem& problem, const std::string& stage);
  /// The summary of all stages so far; the last call.
  [[nodiscard]] Summary finish();

 private:
  const Problem& problem_;
  Solution& best_;
  SolveContext& context_;
  Stopwatch clock_;
  Evaluation evaluation_;
  Solution walker_;
  Summary out_;
  Index stages_ = 0;
};

}  // namespace alidade
