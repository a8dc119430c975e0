#include "problems/evidence/ordinary_weights.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "problems/core/common_step.hpp"

namespace alidade {
namespace {

auto weights_of(const TripletSource& triplets) {
  return std::views::iota(std::uint64_t{0}, triplets.size()) |
         std::views::transform([&](std::uint64_t i) { return triplets.at(i).weight; });
}

class TripletsInUnit final : public TripletSource {
 public:
  TripletsInUnit(std::shared_ptr<const TripletSource> base, double unit, double step, bool weighted)
      : base_(std::move(base)), unit_(unit), step_(step), weighted_(weighted) {}

  [[nodiscard]] std::uint64_t size() const override { return base_->size(); }
  [[nodiscard]] Index object_count() const override { return base_->object_count(); }
  [[nodiscard]] Index aspect_count() const override { return base_->aspect_count(); }
  [[nodiscard]] bool weighted() const override { return weighted_; }
  [[nodiscard]] bool stored() const override { return base_->stored(); }
  [[nodiscard]] Triplet at(std::uint64_t index) const override {
    Triplet out = base_->at(index);
    if (weighted_)
      out.weight = step_ > 0 ? std::nearbyint(out.weight / step_) / unit_ : in_weight_unit(out.weight, unit_);
    else
      out.weight = 1;
    return out;
  }
  [[nodiscard]] std::uint64_t origin_index(std::uint64_t index) const override { return base_->origin_index(index); }

 private:
  std::shared_ptr<const TripletSource> base_;
  double unit_, step_;  // the unit in steps, of which all weights are whole multiples; 0: no step
  bool weighted_;
};

}  // namespace

double typical_weight(const TripletSource& triplets) {
  return triplets.weighted() ? typical_weight(weights_of(triplets)) : 1;
}

double in_weight_unit(double weight, double unit) {
  const double quotient = weight / unit, shifted = quotient * (1 + 0x1p17);  // Veltkamp's splitting
  return std::isfinite(shifted) ? shifted - (shifted - quotient) : quotient;
}

double divide_by_unit(std::vector<double>& weights) {
  const double step = common_step(weights), unit = step > 0 ? step : typical_weight(weights);
  for (double& weight : weights) weight = step > 0 ? std::nearbyint(weight / unit) : in_weight_unit(weight, unit);
  return unit;
}

OrdinaryWeights with_ordinary_weights(const std::shared_ptr<const TripletSource>& triplets, double unit) {
  if (!triplets || !triplets->weighted() || unit == 1) return {triplets};
  std::vector<double> weights(triplets->size());
  std::ranges::copy(weights_of(*triplets), weights.begin());
  const double step = common_step(weights);
  if (step > 0)
    for (double& weight : weights) weight = std::nearbyint(weight / step);
  const double own = step > 0 ? step : 1;
  const double quotient = unit <= 0 ? typical_weight(weights) : step > 0 ? in_weight_unit(unit, step) : unit;
  const bool weighted =
      !std::ranges::all_of(weights, [&](double weight) { return in_weight_unit(weight, quotient) == 1; });
  return {std::make_shared<const TripletsInUnit>(triplets, quotient, step, weighted), unit > 0 ? unit : quotient * own};
}

void each_weighed(const TripletSource& triplets,
                  const std::function<void(std::uint64_t, const Triplet&, double)>& visit) {
  std::vector<double> weights;
  if (triplets.weighted()) {
    std::ranges::copy(weights_of(triplets), std::back_inserter(weights));
    divide_by_unit(weights);
  }
  const bool none = std::ranges::all_of(weights, [](double w) { return w == 0; });
  triplets.each([&](std::uint64_t i, const Triplet& t) { visit(i, t, none ? 1 : weights[i]); });
}

}  // namespace alidade
