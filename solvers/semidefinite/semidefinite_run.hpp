// The frame of a solve of a semidefinite program: what it needs, and what the end is worth.
// A solver iterates; the frame says by the problem's own judgement, or by the program's measures and a proven bound,
// what its X is worth.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "problems/contract/problem.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/faces/separation.hpp"
#include "problems/programs/distance_certificate.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "solvers/contract/solve_run.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/semidefinite/proven_ray.hpp"

namespace alidade {

/// A solver stops by errors of its own, of the same kind but in other norms, and its multipliers have to move a little
/// to prove a bound. So measures may be this many times the tolerance.
constexpr double kMetWithin = 10;

/// Whether the six errors, relative to 1 + ||b||_2, 1 + ||C||_F and the objectives, meet the tolerance.
[[nodiscard]] inline bool met_by_errors(const SemidefiniteErrors& errors, double tolerance) {
  return errors.worst_by_norms <= kMetWithin * tolerance;
}

/// Whether there is a proven bound, and the objective is within the tolerance times the scale of gaps of it.
[[nodiscard]] inline bool met_by_bound(const std::optional<Certificate>& certificate, double tolerance) {
  return certificate && certificate->estimated_to() <= kMetWithin * tolerance * certificate->scale;
}

/// The certificate of what is proven of a solution, with gaps relative to the objective.
[[nodiscard]] inline std::optional<Certificate> certificate_of(double objective, const SemidefiniteJudgement& judged,
                                                               std::string& message) {
  return certificate_of(objective, judged.lower_bound, judged.upper_bound, judged.price, std::abs(objective), message);
}

/// Whether it is one of SolveContext::interrupted().
[[nodiscard]] constexpr bool interrupts(Termination termination) {
  return termination == Termination::cancelled || termination == Termination::time_limit;
}

/// Whether it is interrupted and a second is over since this call: what is left to do at the end then stops, too. Any
/// thread may ask. @pre the context outlives the function
[[nodiscard]] std::function<bool()> after_grace(const SolveContext& context);

/// The frame where the solution is that of a semidefinite program, whatever face the problem has.
class ProgramRun : public SolveRun {
 public:
  /// @throws as require_fit; DataError on another kind of start.
  ProgramRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context);

  /// The start, and at the end the solution. Its blocks may be missing.
  [[nodiscard]] SemidefiniteSolution& x() { return std::get<SemidefiniteSolution>(SolveRun::x()); }
  /// A factor of the start's first block; it may have no column. @throws DataError unless that has `order` rows
  [[nodiscard]] Matrix start_factor(Index order);
  /// Ends a solve whose objective is not finite at the start.
  [[nodiscard]] std::optional<Summary> not_finite();
};

/// The frame of a problem with a SeparationFace.
class DistanceRun : public ProgramRun {
 public:
  /// @throws as ProgramRun
  DistanceRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context)
      : ProgramRun(solver, problem, x, context), program_(this->problem().face<SeparationFace>().distance_program()) {}

  [[nodiscard]] const DistanceProgram& program() const { return program_; }
  /// begin(); ends a solve whose start is not finite, or whose time is over.
  [[nodiscard]] std::optional<Summary> begun();
  /// Ends a solve that was stopped before anything was reached: with the start, how far it is from feasible, and where
  /// that takes little time what its multipliers prove.
  Summary not_begun(Termination reason, std::string_view when = "before the first iteration");
  /// What is known of a solution; soon after an interruption, no more than takes little time.
  [[nodiscard]] DistanceJudgement judged(SemidefiniteSolution& x, double tolerance = 0) {
    const Executor::Breakable breaks(context().executor, after_grace(context()));
    return alidade::judge(program_, x, context().executor, tolerance);
  }

 protected:
  const DistanceProgram& program_;
};

/// The frame of a problem with a SemidefiniteFace.
class SemidefiniteRun : public ProgramRun {
 public:
  /// @throws as ProgramRun; DataError on an invalid program and one without constraints.
  SemidefiniteRun(const Solver& solver, const Problem& problem, Solution& x, SolveContext& context);

  [[nodiscard]] const SemidefiniteFace& face() const { return *face_; }
  [[nodiscard]] const SemidefiniteProgram& program() const { return face_->program(); }

  /// As SolveRun's, of a start that may have no blocks and then no objective.
  void begin();
  void begin_unrecorded() {
    if (!x().blocks.empty()) SolveRun::begin_unrecorded();
  }
  /// Records an iteration by its objective and, if it is asked for, its solution, both of the program.
  void record(Index iteration, double objective, const std::function<SemidefiniteSolution()>& solution);

  /// Whether the start has X and y of the program's sizes, all finite.
  [[nodiscard]] bool has_x_and_y();
  /// The same of Z.
  [[nodiscard]] bool has_z();

  /// Ends with a ray that shows that the program has no solution, or no lowest objective.
  Summary infeasible(EndingRay ending);
  /// Takes a solution of the program and evaluates the objective.
  void take(SemidefiniteSolution solution);
  /// As take(), and fills violations and certificate and adds to `message` what is known.
  /// The problem's own judgement may replace it by a feasible solution near it.
  /// @param errors those of it, if they were measured
  /// @param prove a lower bound of the program, asked for only if the problem does not judge itself
  void judge(SemidefiniteSolution solution, const std::optional<SemidefiniteErrors>& errors,
             const std::function<std::optional<double>()>& prove, std::string& message);
  /// Records the solution if record() was not called in the last iteration.
  void record_end() {
    if (recorded_ != counts().iterations) record_solution();
  }

 private:
  const SemidefiniteFace* face_;
  Index recorded_ = 0;
};

/// A solver whose solves are Runs: frames made of the solver, its options, the problem, the start and the context. A
/// Run names the solver and its Options, and the Face that it needs.
template <class Run>
class SolverOf final : public WithOptions<SolverOf<Run>, Solver, typename Run::Options> {
 public:
  static constexpr std::string_view kName = Run::kName;
  explicit SolverOf(typename Run::Options options) : SolverOf::WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<typename Run::Face>(); }
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override {
    return Run(*this, this->options_, problem, x, context).solve();
  }
};

}  // namespace alidade
