// Minimises a FactorFunction over factors U of fixed size, on the sphere ||U||_F^2 = N or in all of R^(N x p), by
// truncated Newton steps: conjugate gradients in a trust region (Steihaug 1983; Absil, Baker & Gallivan 2007). If the
// model was wrong because multipliers changed activity, it searches along the step instead of shortening it. The
// function is once differentiable and its gradient piecewise smooth, so this is a semismooth Newton method. One thread;
// same bits every time.
#pragma once

#include "solvers/contract/solver.hpp"
#include "solvers/semidefinite/factor_function.hpp"
#include "solvers/semidefinite/trust_region_step.hpp"

namespace alidade {

class FactorNewton {
 public:
  struct Limits {
    double gradient_norm = 0;  // tolerance
    int max_steps = 40;
    Index max_products = 4000;  // with the Hessian
    double radius = 1;          // least initial radius of the trust region, in the preconditioner's norm
  };
  struct Outcome {
    double gradient_norm = 0;  // on the sphere: of the projected gradient
    int steps = 0;
    std::optional<Termination> interrupted{};
  };

  /// `on_sphere`: U keeps its norm. `centred`: the columns of U sum to zero and stay so, and the Hessian's diagonal
  /// blocks precondition the steps.
  /// Adds the cost to `counts`; products with the Hessian count as evaluations.
  FactorNewton(FactorFunction& function, bool on_sphere, bool centred, Counts& counts);

  /// Changes U to the last accepted point, which is also where the function was last evaluated.
  Outcome minimize(Matrix& u, const Limits& limits, SolveContext& context);

  /// The sphere's multiplier at the last point: Hessians have -2 lambda I.
  [[nodiscard]] double lambda() const { return lambda_; }
  /// Number of Hessian-vector products in all calls so far.
  [[nodiscard]] Index products() const { return products_; }

 private:
  double evaluate(const Matrix& u, Matrix& gradient);
  void project(const Matrix& u, Matrix& v) const;
  void make_preconditioner(const Matrix& u);
  void precondition(const Matrix& u, const Matrix& in, Matrix& out) const;
  TrustRegionStep solve_model(const Matrix& u, double target, Index max_products, double radius, SolveContext& context);
  void retract(const Matrix& u, double t, Matrix& out);
  /// Moves u along the step to about where the derivative vanishes and returns its t in `where`. Returns whether a
  /// lower value was found.
  bool search(Matrix& u, double& value, double slope, double& where);

  FactorFunction& function_;
  bool on_sphere_, centred_;
  double lambda_ = 0, norm_ = 0;
  double radius_ = 10;  // as the last call left it
  Counts& counts_;
  Index products_ = 0;
  Matrix gradient_, tangent_;
  TrustRegionStep step_;
  Matrix trial_, trial_gradient_;
  std::vector<double> blocks_;
  Matrix inverse_;  // of the diagonal blocks, stacked; empty: none
};

}  // namespace alidade
