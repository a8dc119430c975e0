#include "problems/data_units.hpp"

#include <cmath>
#include <memory>

#include "problems/erased_problem.hpp"
#include "problems/framed_projector.hpp"

namespace alidade {
namespace {

class ProblemInUnits final : public AdaptedProblem {
 public:
  ProblemInUnits(Problem inner, double unit, FeatureFrame frame)
      : AdaptedProblem(std::move(inner)), unit_(unit), frame_(std::move(frame)) {}

  [[nodiscard]] Embedding decode(const Solution& x) const override {
    Embedding out = inner().decode(x);
    const UnitPowers powers = inner().unit_powers();
    const double factor = unit_factors().map;
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
    return {std::pow(unit_, powers.map), std::pow(unit_, powers.objective)};
  }

 private:
  double unit_;
  FeatureFrame frame_;
};

}  // namespace

Problem in_units(const Problem& problem, double unit, FeatureFrame frame) {
  return {problem.name(), std::make_shared<const ProblemInUnits>(problem, unit, std::move(frame))};
}

}  // namespace alidade
