// The augmented Lagrangian of a FactoredProgram and its minimisation by L-BFGS with an exact line search:
//   L(V + t D) - L(V) is a polynomial of degree four in t, from A(VD' + DV') and A(DD').
// Burer & Monteiro 2003, section 3. One thread; the same bits every time.
#pragma once

#include <optional>

#include "solvers/contract/solver.hpp"
#include "solvers/semidefinite/factor/factored_program.hpp"

namespace alidade {

class FactoredLagrangian {
 public:
  explicit FactoredLagrangian(const FactoredProgram& program) : p_(program) {}

  /// L's y and sigma, for what follows.
  void set(const Vector& y, double sigma) {
    y_ = y;
    sigma_ = sigma;
  }

  /// Where minimize() ended: r, <C, X>, y - sigma r, its slack S and |SV| |V|.
  [[nodiscard]] const Vector& residual() const { return r_; }
  [[nodiscard]] double cost() const { return cost_; }
  [[nodiscard]] Vector next_multipliers() const { return y_ - sigma_ * r_; }
  [[nodiscard]] const FactoredProgram::Slack& slack() const { return slack_; }
  [[nodiscard]] double stationarity() const { return 0.5 * gradient_.norm() * v_.norm(); }

  struct Limits {
    double stationarity = 0;  // |SV| |V|, which bounds <S, X>
    Index iterations = 1000;
    Index memory = 6;
    double largest = 1e5;  // |V| beyond which L has no minimum
  };
  struct Outcome {
    bool converged = false, unbounded = false;
    Index iterations = 0;
    std::optional<Termination> interrupted{};
  };
  /// Changes v; a lower L in every iteration.
  Outcome minimize(Vector& v, const Limits& limits, SolveContext& context, Counts& counts);

 private:
  void at(const Vector& v);
  void differentiate();

  const FactoredProgram& p_;
  Vector y_;
  double sigma_ = 1, cost_ = 0;
  Vector v_, r_, gradient_;
  FactoredProgram::Slack slack_;
};

}  // namespace alidade
