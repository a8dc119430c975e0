// Majorisation: repeatedly minimises a bound that touches the objective at the current point (de Leeuw 1977; Hunter &
// Lange 2004); for the stress of distances this is SMACOF. There is no step length.
// The objective never rises: a step that raises it, by rounding alone, ends the solve at the point before.
#pragma once

#include <utility>

#include "problems/core/options.hpp"
#include "solvers/contract/point_solver.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"

namespace alidade {

struct MajorizationOptions {
  Index max_iter = 1000;
  double tolerance = 1e-5;
  double relaxation = 1;
  Index n_init = 1;
  [[nodiscard]] static const OptionList<MajorizationOptions>& list();
};

class Majorization final : public WithOptions<Majorization, PointSolver, MajorizationOptions> {
 public:
  static constexpr std::string_view kName = "majorization";
  explicit Majorization(MajorizationOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<MajorizerFace>(); }

 private:
  [[nodiscard]] Index start_count() const override { return options_.n_init; }
  [[nodiscard]] double resolution() const override { return options_.tolerance; }
  Summary solve_one(PointSolve& run) const override;
};

[[nodiscard]] SolverEntry majorization_entry();

}  // namespace alidade
