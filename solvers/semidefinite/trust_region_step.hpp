// Conjugate gradients for g's + s'Hs / 2 in a ball (Steihaug 1983): the step of a truncated Newton method in a trust
// region, over matrices of one shape. One thread; same bits every time.
// Not here: who accepts the step and changes the radius (`factor_newton`, `fixed_diagonal`).
#pragma once

#include <functional>
#include <optional>

#include "problems/core/types.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

struct TrustRegionStep {
  Matrix step;
  double slope = 0;   // g's
  double bend = 0;    // s'Hs
  double length = 0;  // in the preconditioner's norm
  /// Of g's + s'Hs / 2 at `part` of the step.
  [[nodiscard]] double model_decrease(double part = 1) const { return -part * (slope + 0.5 * part * bend); }
  bool at_border = false;  // of the ball, or where curvature ended the search
  std::optional<Termination> interrupted{};
};

struct TrustRegionModel {
  /// A symmetric map; returns the product of `in` and `out`. Entries of `out` that are not written are unspecified.
  using Map = std::function<double(const Matrix& in, Matrix& out)>;
  Map hessian_times;
  Map precondition;
  Index look_every = 64;  // products with H between looks at the context
};

/// Ends where the residual's norm is at most `target`, after `max_products`, at the border, or when interrupted.
[[nodiscard]] TrustRegionStep trust_region_step(const TrustRegionModel& model, const Matrix& gradient, double target,
                                                Index max_products, double radius, const SolveContext& context);

}  // namespace alidade
