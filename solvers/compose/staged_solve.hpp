// Several solves presented as one: each stage starts at the end of the one before.
// The trace covers all stages, with iterations and times from the beginning. Its objectives are those of the problem
// itself: a stage of another problem has one at its end alone, and elsewhere none (NaN). Keeps the best end of a stage
// by that objective. For solvers that compose others: continuation, race, sequence.
#pragma once

#include <optional>
#include <string>

#include "solvers/contract/solver.hpp"

namespace alidade {

class StagedSolve {
 public:
  /// Evaluates `problem` at the start x. x later holds the best solution. Keeps all arguments by reference.
  StagedSolve(const Problem& problem, Solution& x, SolveContext& context);

  /// Where the next stage starts.
  [[nodiscard]] const Solution& reached() const { return walker_; }
  /// Makes the next stage start at x instead, as a separate attempt.
  void restart(Solution x) {
    walker_ = std::move(x);
    reached_objective_.reset();
  }
  /// Whether time is left for another stage. If not, the summary says why the solve ended before `stage`.
  [[nodiscard]] bool may_begin(const std::string& stage);
  /// Solves `problem`, on the same domain, from reached(); messages name the stage by `stage` ("stage 2 of 5"). Returns
  /// whether to run the stages after it: false once one failed or was interrupted. A failure after a successful stage
  /// keeps what was reached, as `stalled`, and so does an exception of the problem. @throws it again before that
  [[nodiscard]] bool run(const Solver& solver, const Problem& problem, const std::string& stage);
  /// The summary of all stages, with the problem's own gradient; call it last. `converged` only if the point returned
  /// is the last stage's.
  [[nodiscard]] Summary finish();

 private:
  bool run_stage(const Solver& solver, const Problem& problem, const std::string& stage);

  const Problem& problem_;
  Solution& best_;
  SolveContext& context_;
  Stopwatch clock_;
  Evaluation evaluation_;
  Solution walker_;
  std::optional<double> reached_objective_;  // of the problem itself at walker_; empty: not evaluated
  bool gradient_of_stage_ = false;           // whether gradient_norm is that of another problem
  Summary out_;
  Index stages_ = 0;
  bool reached_any_ = false;  // whether a stage ended at a usable point
};

}  // namespace alidade
