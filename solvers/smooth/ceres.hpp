// Batch descent on smooth problems by Ceres' GradientProblem: L-BFGS, BFGS, nonlinear conjugate gradients
// (Fletcher-Reeves, Polak-Ribiere, Hestenes-Stiefel) and steepest descent, with Wolfe or Armijo search.
// On a curved domain, Ceres steps in ambient coordinates through Alidade's retraction; directions are not
// transported, which its line search tolerates.
// The domain must have no border: a clipped retraction defeats the line search.
// What Ceres logs is in the Summary. So that it is not printed too, the first solve raises glog's minimum level to
// FATAL for the whole program, unless the program has called google::InitGoogleLogging() and so decides itself.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct CeresOptions {
  std::string direction = "lbfgs";
  std::string conjugate_gradient = "polak_ribiere";
  std::string line_search = "wolfe";
  Index lbfgs_rank = 20;
  bool curvature_scaling = true;
  Index max_iter = 1000;
  double tolerance = 1e-5;
  double gradient_tolerance = 1e-10;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<CeresOptions>& list();
};

class CeresSolver final : public WithOptions<CeresSolver, PointSolver, CeresOptions> {
 public:
  /// @throws ConfigError on options that contradict each other.
  explicit CeresSolver(CeresOptions options);
  static constexpr std::string_view kName = "ceres";

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace, Borderless>(); }
  /// @throws ConfigError for bfgs on more than 10,000 unknowns, whose dense matrix would not fit.

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double resolution() const override { return options_.tolerance; }
  [[nodiscard]] double gradient_resolution() const override { return options_.gradient_tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

}  // namespace alidade
