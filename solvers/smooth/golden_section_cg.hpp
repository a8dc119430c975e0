// Nonlinear conjugate gradients (Polak & Ribiere 1969, never below 0) with a line search that needs values alone: a
// bracket by doubling or halving the step of the search before, then golden section (Kiefer 1953). Each solve begins
// with steepest descent. It is how the additive program that the authors of NeRV published minimises, with its
// constants as defaults.
#pragma once

#include "problems/core/options.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"

namespace alidade {

struct GoldenSectionCgOptions {
  Index max_iter = 41;
  double step_tolerance = 0.01;
  Index max_evaluations = 40;
  double scale = 0;
  double tolerance = 1e-8;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<GoldenSectionCgOptions>& list();
};

/// Values about 15 a line search, one gradient an iteration.
class GoldenSectionCg final : public PointSolver {
 public:
  explicit GoldenSectionCg(GoldenSectionCgOptions options) : options_(options) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<SmoothFace, Borderless>(); }
  [[nodiscard]] std::string_view name() const override { return "golden_section_cg"; }
  [[nodiscard]] CapabilitySet needs() const override { return needed(); }
  [[nodiscard]] Table resolved_options() const override;

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  Summary solve_one(PointSolve& run) const override;
  GoldenSectionCgOptions options_;
};

[[nodiscard]] SolverEntry golden_section_cg_entry();

}  // namespace alidade
