#include "problems/evidence/ordinary_weights.hpp"

#include <algorithm>
#include <cmath>

namespace alidade {
namespace {

auto weights_of(const TripletSource& triplets) {
  return std::views::iota(std::uint64_t{0}, triplets.size()) |
         std::views::transform([&](std::uint64_t i) { return triplets.at(i).weight; });
}

class TripletsInUnit final : public TripletSource {
 public:
  TripletsInUnit(std::shared_ptr<const TripletSource> base, double unit, bool weighted)
      : base_(std::move(base)), unit_(unit), weighted_(weighted) {}

  [[nodiscard]] std::uint64_t size() const override { return base_->size(); }
  [[nodiscard]] Index object_count() const override { return base_->object_count(); }
  [[nodiscard]] Index aspect_count() const override { return base_->aspect_count(); }
  [[nodiscard]] bool weighted() const override { return weighted_; }
  [[nodiscard]] bool stored() const override { return base_->stored(); }
  [[nodiscard]] Triplet at(std::uint64_t index) const override {
    Triplet out = base_->at(index);
    out.weight = weighted_ ? in_weight_unit(out.weight, unit_) : 1;
    return out;
  }
  [[nodiscard]] std::uint64_t origin_index(std::uint64_t index) const override { return base_->origin_index(index); }

 private:
  std::shared_ptr<const TripletSource> base_;
  double unit_;
  bool weighted_;
};

}  // namespace

double mean_weight(const TripletSource& triplets) {
  return triplets.weighted() ? mean_weight(weights_of(triplets)) : 1;
}

double in_weight_unit(double weight, double unit) {
  const double quotient = weight / unit, shifted = quotient * (1 + 0x1p29);  // Veltkamp's splitting
  return std::isfinite(shifted) ? shifted - (shifted - quotient) : quotient;
}

OrdinaryWeights with_ordinary_weights(const std::shared_ptr<const TripletSource>& triplets, double unit) {
  if (!triplets || !triplets->weighted() || unit == 1) return {triplets};
  if (!(unit > 0)) unit = mean_weight(*triplets);
  const bool weighted =
      !std::ranges::all_of(weights_of(*triplets), [&](double weight) { return in_weight_unit(weight, unit) == 1; });
  return {std::make_shared<const TripletsInUnit>(triplets, unit, weighted), unit};
}

}  // namespace alidade
