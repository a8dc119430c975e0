// Batch gradient descent with momentum and a gain for each coordinate, the usual descent of t-SNE.
// Jacobs 1988 (delta-bar-delta), as van der Maaten & Hinton 2008 use it: v <- momentum v - rate gain . grad, x <-
// R_x(v). A gain shrinks to 0.8 of itself, not below 0.01, where gradient and velocity have the same sign, and grows
// by 0.2 elsewhere. The objective may rise on the way; the solver returns the lowest point it met.
// rate_rule = bold_driver is the plain descent of the published programs of t-STE, MVTE and ETE [MW12; AU15; AVW16]:
// after each step the rate is multiplied by `growth` if the objective fell, otherwise by 1/2; the step is always kept.
// They use momentum = 0, gains = false, per_term = true, growth 1.01 (MVTE: 1.1) and patience 100 (t-STE: 5).
#pragma once

#include <string>
#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct GradientDescentOptions {
  double learning_rate = 0;
  double momentum = 0.8;
  bool gains = true;
  bool per_term = false;
  std::string rate_rule = "cut";
  double growth = 1.01;
  Index patience = 100;
  Index max_iter = 750;
  double gradient_tolerance = 1e-7;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<GradientDescentOptions>& list();
};

class GradientDescent final : public WithOptions<GradientDescent, PointSolver, GradientDescentOptions> {
 public:
  static constexpr std::string_view kName = "gradient_descent";
  explicit GradientDescent(GradientDescentOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double gradient_resolution() const override { return options_.gradient_tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

[[nodiscard]] SolverEntry gradient_descent_entry();

}  // namespace alidade
