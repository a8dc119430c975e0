// One solve of a first-order solver, and what its iterates are worth: the best of those whose multipliers were tried as
// a proof, and the ray that ends a solve. `burer_monteiro` and `admm` fill it with their steps, so that both mean the
// same by "converged".
// Measuring costs decompositions or factors, so solvers do it where their own errors are small enough.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problems/core/decompositions/blas.hpp"
#include "problems/programs/trace_proof.hpp"
#include "solvers/semidefinite/semidefinite_run.hpp"

namespace alidade {

/// What a solver knows of an iterate, in units of the program.
struct IterateMeasures {
  double objective = 0;
  double violation = 0;           // of the rows, as a DIMACS error
  double error = 0;               // the largest that is at hand
  double trace = 0;               // of X
  std::optional<double> least{};  // about the least eigenvalue of C - A'(y)
};

/// The end of a first-order solver, in words.
struct MeasuredWords {
  std::string iteration;        // what counts().iterations are, in the plural
  std::string cause_of_stall;   // the usual one, beside large multipliers
  std::string failure;          // what to do where it diverged, or a backend failed
  std::string start;            // what a warm start takes of the given one
  std::string detail{};         // for the message
  std::string without_bound{};  // for the message, if no bound is proven
};

class MeasuredRun : public SemidefiniteRun {
 public:
  /// Starts, iterates, measures and ends.
  Summary solve();

 protected:
  MeasuredRun(const Solver& solver, double tolerance, double memory_gb, const Problem& problem, Solution& x,
              SolveContext& context)
      : SemidefiniteRun(solver, problem, x, context),
        form_(equality_form(program())),
        trace_(trace_proof(program())),
        tolerance_(tolerance),
        memory_gb_(memory_gb) {
    require_blas_memory();
  }
  ~MeasuredRun() = default;

  /// Whether it starts from the given solution. @throws WorkStopped where an interruption ends that
  virtual bool start() = 0;
  virtual Termination iterate() = 0;
  /// <C, X> of the last iterate, and that iterate as a solution of the program.
  [[nodiscard]] virtual double objective() const = 0;
  [[nodiscard]] virtual SemidefiniteSolution current() const = 0;
  /// After the last iterate; it may be checked if there is `leisure`. Returns about the least eigenvalue of C - A'(y).
  virtual std::optional<double> last_look(bool leisure) = 0;
  [[nodiscard]] virtual MeasuredWords words() const = 0;

  /// The given start with its slacks.
  [[nodiscard]] SemidefiniteSolution given() { return with_slacks(form_, program(), x()); }
  void record(Index iteration) {
    SemidefiniteRun::record(iteration, objective(), [&] { return current(); });
  }
  /// Keeps the iterate if it is the best. Whether the six errors and the proven gap then meet the tolerance.
  bool check(const IterateMeasures& measures, SemidefiniteSolution x);
  /// Where the last check proved nothing: the multiple of I to take from the cost, so small that it changes the optimum
  /// by a part of the tolerance. The multipliers then leave a slack that is positive definite for the true cost.
  [[nodiscard]] std::optional<double> new_tilt() { return std::exchange(new_tilt_, {}); }
  /// Whether the ray ends the solve, as ending_ray() says.
  bool ended_by(SemidefiniteSolution::Ray ray, bool clear) {
    ending_ = ending_ray(program(), std::move(ray), clear);
    return ending_.has_value();
  }
  /// How a ray ended it.
  [[nodiscard]] Termination ended() const { return ending_->termination; }
  /// The work after which errors meet the tolerance if they go on to fall by the same factor with each doubling of it;
  /// infinite if they do not fall. `history`: the work so far and the least error by then.
  [[nodiscard]] double work_to_tolerance(const std::vector<std::pair<double, double>>& history) const;

  const BlasThreads one_{1};
  const EqualityForm form_;
  const std::optional<TraceProof> trace_;

 private:
  struct Kept {
    SemidefiniteSolution x{};  // where a bound is proven, with the multipliers that do
    std::optional<double> least{};
    double merit = std::numeric_limits<double>::infinity();  // violation and proven gap as multiples of the tolerance
    std::optional<double> bound{};
    std::optional<SemidefiniteErrors> errors{};
  };
  void prove(Kept& kept) const;
  void measure();
  /// Measures what is kept, or the last iterate if nothing is; not if time is up and blocks are so large that it takes
  /// long.
  void settle(bool time_is_up);

  double tolerance_, memory_gb_, tilt_ = 0;
  std::optional<double> new_tilt_{};
  Kept kept_;
  std::optional<EndingRay> ending_;
};

}  // namespace alidade
