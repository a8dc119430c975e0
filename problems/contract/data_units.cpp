#include "problems/contract/data_units.hpp"

#include <cmath>
#include <memory>

#include "problems/contract/erased_problem.hpp"
#include "problems/contract/framed_projector.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

class ProblemInUnits final : public AdaptedProblem {
 public:
  ProblemInUnits(Problem inner, double unit, double objective_scale, FeatureFrame frame, double rounding = 0)
      : AdaptedProblem(std::move(inner)),
        unit_(unit),
        objective_scale_(objective_scale),
        rounding_(rounding),
        frame_(std::move(frame)) {}

  [[nodiscard]] Embedding decode(const Solution& x) const override {
    Embedding out = inner().decode(x);
    const UnitPowers powers = inner().unit_powers();
    const double factor = std::pow(unit_, powers.map);
    if (factor != 1)
      for (AspectMap& map : out.maps) map.coordinates *= factor;
    for (const auto& [name, power] : powers.estimates)
      for (auto& [estimate, value] : out.estimates)
        if (estimate == name) value *= factor_of(power);
    if (out.projector && (factor != 1 || !frame_.is_identity()))
      out.projector = std::make_shared<const FramedProjector>(std::move(out.projector), frame_, factor);
    return out;
  }
  [[nodiscard]] UnitFactors unit_factors() const override {
    const UnitPowers powers = inner().unit_powers();
    const UnitFactors within = inner().unit_factors();
    return {within.map * std::pow(unit_, powers.map), within.objective * factor_of(powers.objective) * objective_scale_,
            within.rounding + rounding_};
  }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> out = inner().notes(), names;
    const UnitPowers powers = inner().unit_powers();
    if (!held(powers.objective)) names.emplace_back("objective");
    for (const auto& [name, power] : powers.estimates)
      if (!held(power)) names.push_back(name);
    if (!names.empty())
      out.push_back(
          fmt::format("These are of the data divided by {:.3g}, since they would leave the range of double: {}.", unit_,
                      join(names, ", ")));
    return out;
  }

 private:
  /// Whether unit^power is well within the range of double. Numbers for which it is not stay in the problem's unit.
  [[nodiscard]] bool held(double power) const { return std::abs(power * std::log2(unit_)) <= 1000; }
  [[nodiscard]] double factor_of(double power) const { return held(power) ? std::pow(unit_, power) : 1; }

  double unit_, objective_scale_, rounding_;
  FeatureFrame frame_;
};

}  // namespace

Problem in_units(const Problem& problem, double unit, FeatureFrame frame, double objective_scale) {
  return {problem.name(), std::make_shared<const ProblemInUnits>(problem, unit, objective_scale, std::move(frame))};
}

Problem in_own_units(const Problem& problem, double unit, double objective_scale, double rounding) {
  return {problem.name(),
          std::make_shared<const ProblemInUnits>(problem, unit, objective_scale, FeatureFrame(), rounding)};
}

}  // namespace alidade
