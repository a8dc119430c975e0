// Accelerated projected gradient: Nesterov's steps with a step size found by backtracking (FISTA, Beck & Teboulle
// 2009), restarted whenever the objective would rise (O'Donoghue & Candes 2015). y = R_x(beta v), x <- R_y(-rate grad).
// Where the domain is convex and flat (Euclidean, box, psd cone) its retraction is the projection; elsewhere steps are
// Riemannian ones. All points that it evaluates lie in the domain. The objective never rises.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct AcceleratedGradientOptions {
  Index max_iter = 1000;
  double gradient_tolerance = 1e-6;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<AcceleratedGradientOptions>& list();
};

class AcceleratedGradient final : public WithOptions<AcceleratedGradient, PointSolver, AcceleratedGradientOptions> {
 public:
  static constexpr std::string_view kName = "accelerated_gradient";
  explicit AcceleratedGradient(AcceleratedGradientOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double gradient_resolution() const override { return options_.gradient_tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

[[nodiscard]] SolverEntry accelerated_gradient_entry();

}  // namespace alidade
