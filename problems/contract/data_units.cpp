#include "problems/contract/data_units.hpp"

#include <cmath>
#include <memory>

#include "problems/contract/erased_problem.hpp"
#include "problems/contract/framed_projector.hpp"

namespace alidade {
namespace {

class ProblemInUnits final : public AdaptedProblem {
 public:
  ProblemInUnits(Problem inner, double unit, double objective_scale, FeatureFrame frame)
      : AdaptedProblem(std::move(inner)), unit_(unit), objective_scale_(objective_scale), frame_(std::move(frame)) {}

  [[nodiscard]] Embedding decode(const Solution& x) const override {
    Embedding out = inner().decode(x);
    const UnitPowers powers = inner().unit_powers();
    const double factor = std::pow(unit_, powers.map);
    if (factor != 1)
      for (AspectMap& map : out.maps) map.coordinates *= factor;
    for (const auto& [name, power] : powers.estimates)
      for (auto& [estimate, value] : out.estimates)
        if (estimate == name) value *= std::pow(unit_, power);
    if (out.projector && (factor != 1 || !frame_.is_identity()))
      out.projector = std::make_shared<const FramedProjector>(std::move(out.projector), frame_, factor);
    return out;
  }
  [[nodiscard]] UnitFactors unit_factors() const override {
    const UnitPowers powers = inner().unit_powers();
    const UnitFactors within = inner().unit_factors();
    return {within.map * std::pow(unit_, powers.map),
            within.objective * std::pow(unit_, powers.objective) * objective_scale_};
  }

 private:
  double unit_, objective_scale_;
  FeatureFrame frame_;
};

}  // namespace

Problem in_units(const Problem& problem, double unit, FeatureFrame frame, double objective_scale) {
  return {problem.name(), std::make_shared<const ProblemInUnits>(problem, unit, objective_scale, std::move(frame))};
}

Problem in_own_units(const Problem& problem, double unit, double objective_scale) {
  return in_units(problem, unit, FeatureFrame(), objective_scale);
}

}  // namespace alidade
