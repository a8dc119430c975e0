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
  Index max_iter = 41;
  double step_tolerance = 0.01;
  Index max_evaluations = 40;
  double scale = 0;
  double tolerance = 1e-8;
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
