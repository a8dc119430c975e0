// What the iterates of a first-order solver are worth: the best of those whose multipliers were tried as a proof, and
// the ray that ends a solve. `burer_monteiro` and `admm` ask here, so that both mean the same by "converged".
// Measuring costs decompositions or factors, so solvers do it where their own errors are small enough.
#pragma once

#include <limits>
#include <optional>
#include <utility>

#include "problems/programs/trace_proof.hpp"
#include "solvers/semidefinite/proven_ray.hpp"

namespace alidade {

/// What a solver knows of an iterate, in units of the program.
struct IterateMeasures {
  double objective = 0;
  double violation = 0;           // of the rows, as a DIMACS error
  double error = 0;               // the largest that is at hand
  double trace = 0;               // of X
  std::optional<double> least{};  // about the least eigenvalue of C - A'(y)
};

class MeasuredIterates {
 public:
  struct Kept {
    SemidefiniteSolution x{};  // where a bound is proven, with the multipliers that do
    std::optional<double> least{};
    double merit = std::numeric_limits<double>::infinity();  // violation and proven gap as multiples of the tolerance
    std::optional<double> bound{};
    std::optional<SemidefiniteErrors> errors{};
  };

  MeasuredIterates(const SemidefiniteProgram& program, double tolerance, double memory_gb)
      : program_(program), trace_(trace_proof(program)), tolerance_(tolerance), memory_gb_(memory_gb) {}

  [[nodiscard]] const std::optional<TraceProof>& trace() const { return trace_; }
  [[nodiscard]] const Kept& kept() const { return kept_; }
  /// Keeps the iterate if it is the best. Whether the six errors and the proven gap then meet the tolerance.
  bool check(const IterateMeasures& measures, SemidefiniteSolution x);
  /// Where the last check proved nothing: the multiple of I to take from the cost, so small that it changes the optimum
  /// by a part of the tolerance. The multipliers then leave a slack that is positive definite for the true cost.
  [[nodiscard]] std::optional<double> new_tilt() { return std::exchange(new_tilt_, {}); }
  /// Measures what is kept, or `last` if nothing is; not if time is up and blocks are so large that it takes long.
  void settle(bool time_is_up, SemidefiniteSolution last, std::optional<double> least);

  /// Whether the ray ends the solve, as ending_ray() says.
  bool ended_by(SemidefiniteSolution::Ray ray, bool clear) {
    ending_ = ending_ray(program_, std::move(ray), clear);
    return ending_.has_value();
  }
  [[nodiscard]] const std::optional<EndingRay>& ending() const { return ending_; }

 private:
  void prove(Kept& kept) const;
  void measure();

  const SemidefiniteProgram& program_;
  std::optional<TraceProof> trace_;
  double tolerance_, memory_gb_, tilt_ = 0;
  std::optional<double> new_tilt_{};
  Kept kept_;
  std::optional<EndingRay> ending_;
};

}  // namespace alidade
