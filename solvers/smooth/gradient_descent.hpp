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
  /// step size; 0: n / 48 for n objects, at least 50, which suits t-SNE (usually n / 12, for gradients without the
  /// factor 4)
  double learning_rate = 0;
  /// fraction of the last step added to the next
  double momentum = 0.8;
  /// adapt a gain for each coordinate; otherwise all gains are 1
  bool gains = true;
  /// multiply the learning rate by objects / terms of a finite sum, so that it suits any number of triplets
  bool per_term = false;
  /// how the learning rate adapts. cut: divide it by ten and return to the lowest point whenever a step ends above the
  /// start; bold_driver: multiply it by growth after a step that lowers the objective, otherwise halve it; every step
  /// is kept
  std::string rate_rule = "cut";
  /// for bold_driver: factor of the learning rate after a step that lowers the objective
  double growth = 1.01;
  /// for bold_driver: stop after this number of steps in a row that do not lower the objective
  Index patience = 100;
  /// largest number of iterations; each is one gradient
  Index max_iter = 750;
  /// converged when the norm of the gradient is below this times the largest norm met
  double gradient_tolerance = 1e-7;
  /// number of random starts; the lowest objective is kept
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
