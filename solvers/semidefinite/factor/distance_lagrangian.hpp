// The augmented Lagrangian of a DistanceProgram's working rows at a factor U, G = U U' (Burer & Monteiro 2003), with
// its radii at their best values:
//   L(U) = min_{b >= 0} s ( sum_e w_e d2_e + kappa sum d2 + <R, U U'> ) + sum_k psi_k(c_k(U, b)),
//   psi(c) = max over y in [0, cap] of y c - (y - y_k)^2 / (2 rho)   (y free for equalities),
// once continuously differentiable. The radii's flows sum r_k y_k = 0 (>= 0 at b = 0) hold exactly at every U.
// Units are the caller's: `length` scales U, b and bounds; `scale` scales the cost and multipliers. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/programs/distance_program.hpp"
#include "solvers/semidefinite/factor/factor_newton.hpp"

namespace alidade {

class DistanceLagrangian final : public FactorFunction {
 public:
  /// U U' is M times `length`; `scale` multiplies the cost. The program must outlive this.
  DistanceLagrangian(const DistanceProgram& program, double length, double scale);

  /// Adds new rows, with multiplier 0; returns how many. O(m log m).
  Index add_rows(std::span<const ConstraintId> ids);
  [[nodiscard]] Index row_count() const { return static_cast<Index>(ids_.size()); }
  [[nodiscard]] std::span<const ConstraintId> ids() const { return ids_; }
  [[nodiscard]] const std::vector<double>& multipliers() const { return y_; }
  /// In the scaled units of y, one per entry of ids().
  void set_multipliers(std::span<const double> y) { y_.assign(y.begin(), y.end()); }
  void set_penalty(double rho) { rho_ = rho; }

  /// L and its Euclidean gradient. Radii, estimates of the multipliers and the pieces of the Hessian then belong to
  /// this U. U: order x p; its columns sum to zero if there is no basis. O((pairs + rows) p); allocates only at first.
  double evaluate(const Matrix& u, Matrix& gradient) override;
  /// The generalised Hessian at the last evaluated U, times D. O((pairs + active rows) p).
  double hessian_times(const Matrix& u, const Matrix& d, Matrix& out) override;
  /// Adds the Hessian's diagonal blocks to `blocks` (one p x p block per row of U, row-major, order x p^2); adds
  /// nothing if there is a basis.
  void add_diagonal_blocks(std::vector<double>& blocks) const override;

  /// The cost alone at the last evaluated U, in scaled units.
  [[nodiscard]] double cost() const { return cost_; }
  /// The largest violation of a slackless working row, or failure of complementarity of a working row.
  [[nodiscard]] double infeasibility() const;
  /// y_k <- the estimates clip(y_k + rho c_k) of the last evaluation.
  void update_multipliers() { y_.assign(estimate_.begin(), estimate_.end() - 1); }
  [[nodiscard]] const std::vector<double>& estimates() const { return estimate_; }

 private:
  template <int kColumns>
  double evaluate_columns(const Matrix& u, Matrix& gradient);
  /// Steps of evaluate_columns at points x, row-major. Writes the rows' values without their radii.
  template <int kColumns>
  void read_rows(const double* x, Index columns);
  /// Computes estimates and the live rows. Returns the penalties and adds their gradients to `out`.
  template <int kColumns>
  double add_penalties(const double* x, Index columns, double* out);
  template <int kColumns>
  void hessian_columns(const Matrix& d, Matrix& out) const;
  void solve_radii();
  void rebuild();

  const DistanceProgram& program_;
  double length_, scale_;
  double rho_ = 1;
  bool has_basis_;

  // Working rows, by radius and then id; their terms, values and estimates are followed by those of the cost's pairs,
  // as of a row whose multiplier is 1.
  std::vector<ConstraintId> ids_;
  std::vector<std::uint32_t> first_term_;  // m + 2
  std::vector<std::uint32_t> term_i_, term_j_;
  std::vector<double> term_a_;
  std::vector<double> bound_, cap_, radius_coefficient_;
  std::vector<std::int64_t> radius_of_;
  std::vector<char> equality_;
  std::vector<double> y_;
  struct Group {
    std::uint32_t first, last;
    Index radius;
  };
  std::vector<Group> groups_;
  std::vector<double> radius_;  // by g, scaled

  // Of the last evaluation.
  Matrix points_;  // n x p
  Matrix work_points_, work_gradient_;
  std::vector<double> value_;  // c_k without the radius
  std::vector<double> estimate_;
  std::vector<char> active_;  // the estimate moves with c
  mutable std::vector<double> slope_;
  std::vector<std::uint32_t> live_;  // rows with an estimate or active
  double cost_ = 0;
};

/// The rows that share a radius, in spans of one length. Its best value b is the root of
///   sum_k r_k clip(y_k + rho (v_k + r_k b), 0, cap_k),  which is increasing and piecewise linear in b >= 0.
struct RadiusRows {
  std::span<const double> coefficient;  // r, not 0
  std::span<const double> violation;    // v
  std::span<const double> multiplier;   // y
  std::span<const double> cap;          // infinity: none
  std::span<const char> equality;       // not 0: y is not clipped
  double penalty = 1;                   // rho > 0
};

/// The root; 0 if the sum is positive there; `start` or the last breakpoint if no b makes the sum zero. Safeguarded
/// Newton steps from `start` >= 0, O(rows) each; where `newton_steps` of them do not meet the root, it is searched
/// among the breakpoints, O(rows log rows). Exact up to rounding.
[[nodiscard]] double radius_at_rest(const RadiusRows& rows, double start, int newton_steps = 60);

}  // namespace alidade
