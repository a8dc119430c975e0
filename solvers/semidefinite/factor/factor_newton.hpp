// Minimises a FactorFunction over factors U of fixed size by truncated Newton steps: conjugate gradients in a trust
// region (Steihaug 1983; Absil, Baker & Gallivan 2007). If the model was wrong, as where multipliers changed activity,
// it searches along the step instead of shortening it. The function is once differentiable and its gradient piecewise
// smooth, so this is a semismooth Newton method. One thread; same bits every time.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "problems/core/types.hpp"
#include "solvers/contract/solver.hpp"

namespace alidade {

/// U with columns along `directions`, each `length` times as long: those that a certificate's eigenvectors show lead
/// out of a stationary point.
[[nodiscard]] Matrix widened(const Eigen::Ref<const Matrix>& u, const Eigen::MatrixXd& directions, double length);

/// Where U lives: anywhere; where ||U||_F is what it is; where the length of each row is 1.
enum class FactorSpace { free, sphere, unit_rows };

/// A smooth function of a factor U (order x p) of a psd matrix, with products of its Hessian. Hessians belong to the U
/// that was evaluated last, so that a function keeps what both need. Derivatives are Euclidean; those of a function on
/// unit rows are tangent to them.
class FactorFunction {
 public:
  virtual ~FactorFunction() = default;
  virtual double evaluate(const Matrix& u, Matrix& gradient) = 0;
  /// The (generalised) Hessian at u, which was evaluated last, times D; returns the product of D and `out`. Entries of
  /// `out` that are not written are unspecified.
  virtual double hessian_times(const Matrix& u, const Matrix& d, Matrix& out) = 0;
  /// Adds the Hessian's diagonal blocks, at this U or one near, for a preconditioner: one p x p block per row of U,
  /// row-major, order x p^2.
  virtual void add_diagonal_blocks(std::vector<double>&) const {}
  /// One number above 0 per row of U in their place; empty: there are none.
  [[nodiscard]] virtual Vector row_scales() const { return {}; }
};

class FactorNewton {
 public:
  struct Limits {
    double gradient_norm = 0;  // tolerance
    int max_steps = 40;
    Index max_products = 4000;  // with the Hessian
    double radius = 1;          // least initial radius of the trust region, in the preconditioner's norm
    double unit = 1;            // of gradients: steps are the more exact, the smaller a gradient is
    /// Sees the norm of each gradient but the first; ends the search where it returns true.
    std::function<bool(double gradient_norm)> stop{};
  };
  struct Outcome {
    double gradient_norm = 0;  // tangent
    int steps = 0;
    std::optional<Termination> interrupted{};
  };

  /// `centred`: the columns of U sum to zero and stay so, and the Hessian's diagonal blocks precondition the steps.
  /// Adds the cost to `counts`; products with the Hessian count as evaluations.
  /// `radius`: of the trust region at first.
  FactorNewton(FactorFunction& function, FactorSpace space, bool centred, Counts& counts, double radius = 10)
      : function_(function), space_(space), centred_(centred), radius_(radius), counts_(counts) {}

  /// Changes U to the last accepted point, which is also where the function was last evaluated.
  Outcome minimize(Matrix& u, const Limits& limits, SolveContext& context);

  /// The sphere's multiplier at the last point: Hessians have -2 lambda I.
  [[nodiscard]] double lambda() const { return lambda_; }
  /// Of the trust region, as the last call left it.
  [[nodiscard]] double radius() const { return radius_; }
  /// Number of Hessian-vector products in all calls so far.
  [[nodiscard]] Index products() const { return products_; }

 private:
  /// The step that conjugate gradients for g's + s'Hs / 2 find in a ball.
  struct Step {
    Matrix step;
    double slope = 0;        // g's
    double bend = 0;         // s'Hs
    double length = 0;       // in the preconditioner's norm
    bool at_border = false;  // of the ball, or where curvature ended the search
    std::optional<Termination> interrupted{};
  };

  double evaluate(const Matrix& u, Matrix& gradient);
  void project(const Matrix& u, Matrix& v) const;
  double hessian_times(const Matrix& u, const Matrix& in, Matrix& out);
  void make_preconditioner(const Matrix& u);
  /// Returns the product of both.
  double precondition(const Matrix& u, const Matrix& in, Matrix& out) const;
  /// Ends where the residual's norm is at most `target`, after `max_products`, at the border, or when interrupted.
  Step solve_model(const Matrix& u, double target, Index max_products, const SolveContext& context);
  void retract(const Matrix& u, double t, Matrix& out);
  /// Moves u to the trial, which was evaluated last.
  void accept(Matrix& u, double& value, double trial_value);
  /// Moves u along the step to about where the derivative vanishes and returns its t in `where`. Returns whether a
  /// lower value was found.
  bool search(Matrix& u, double& value, double slope, double& where);

  FactorFunction& function_;
  FactorSpace space_;
  bool centred_;
  double radius_;  // as the last call left it
  double lambda_ = 0, norm_ = 0;
  Counts& counts_;
  Index products_ = 0;
  Matrix gradient_;  // tangent
  Step step_;
  Matrix trial_, trial_gradient_;
  std::vector<double> blocks_;
  Matrix inverse_;  // of the diagonal blocks, stacked; empty: none
  Vector scales_;   // of rows; empty: none
};

}  // namespace alidade
