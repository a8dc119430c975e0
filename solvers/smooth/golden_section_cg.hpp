// Nonlinear conjugate gradients (Polak & Ribiere 1969, never below 0) with a line search that needs only values: it
// brackets by doubling or halving the step of the search before, then uses golden section (Kiefer 1953). Each solve
// begins with steepest descent. The additive program published by the authors of NeRV minimises in this way; the
// defaults are its constants.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct GoldenSectionCgOptions {
  /// largest number of iterations; each is one line search, the first along the steepest descent
  Index max_iter = 41;
  /// a line search ends when its bracket is shorter than this, or than this times its first length
  double step_tolerance = 0.01;
  /// largest number of objective values to find a bracket, and again to narrow it
  Index max_evaluations = 40;
  /// factor of the gradient in steps; the first step is 1 / |gradient|^2. 0: half the number of objects, which turns a
  /// mean over objects into half their sum
  double scale = 0;
  /// converged when an iteration along the gradient lowers the objective by less than this times itself, or the norm of
  /// the gradient is below this times the largest met
  double tolerance = 1e-8;
  /// number of starts; the lowest objective is kept
  Index n_init = 1;
  [[nodiscard]] static const OptionList<GoldenSectionCgOptions>& list();
};

/// About 15 values per line search, one gradient per iteration.
class GoldenSectionCg final : public WithOptions<GoldenSectionCg, PointSolver, GoldenSectionCgOptions> {
 public:
  static constexpr std::string_view kName = "golden_section_cg";
  explicit GoldenSectionCg(GoldenSectionCgOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace, Borderless>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double resolution() const override { return options_.tolerance; }
  [[nodiscard]] double gradient_resolution() const override { return options_.tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

[[nodiscard]] SolverEntry golden_section_cg_entry();

}  // namespace alidade
