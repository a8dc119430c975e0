// Weights in their own unit: a common factor of all weights says nothing, so no regulariser, tolerance or choice may
// see it. The unit is their mean weighted by themselves, sum w^2 / sum w: all together then weigh as the effective
// number of answers (sum w)^2 / sum w^2 (Kish 1965), and answers of next to no weight as if they were not there.
// Problems are made of such weights (ProblemMaker); those that sum over answers give it back in their objective.
// Weights of 0 stay 0.
#pragma once

#include <functional>
#include <memory>
#include <ranges>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade {

/// That mean of the sizes of the weights; 1 if all are 0. Wider than double, so that no weight is too large or small.
template <std::ranges::input_range Weights>
[[nodiscard]] double typical_weight(const Weights& weights) {
  long double sum = 0, squares = 0;
  for (const long double weight : weights) {
    sum += weight < 0 ? -weight : weight;
    squares += weight * weight;
  }
  return sum > 0 ? static_cast<double>(squares / sum) : 1;
}
/// Of the triplets' weights. O(triplets) if they have any.
[[nodiscard]] double typical_weight(const TripletSource& triplets);

/// weight / unit to 36 significant bits, which hide the rounding of a common factor: the same bits in any unit within
/// about 1e+-290.
[[nodiscard]] double in_weight_unit(double weight, double unit);
constexpr double kWeightRounding = 0x1p-36;  // its relative error is less

/// Divides weights by the step of which all are whole multiples, or without one by typical_weight() as in_weight_unit,
/// and returns it. Their sums and the means that they weigh have the same bits in any unit. O(weights)
double divide_by_unit(std::vector<double>& weights);

/// The triplets' weights divided by `unit`, or typical_weight() if it is 0: exact to rounding if they have a
/// common_step(). None if all are equal. O(triplets) if they are weighted; otherwise, and for the unit 1, the same
/// pointer.
struct OrdinaryWeights {
  std::shared_ptr<const TripletSource> triplets;
  double unit = 1;
};
[[nodiscard]] OrdinaryWeights with_ordinary_weights(const std::shared_ptr<const TripletSource>& triplets,
                                                    double unit = 0);
/// Calls `visit` with the place, the answer and the weight of each triplet by divide_by_unit(): 1 if all are 0. Rates
/// made of them have the same bits in any unit. O(triplets)
void each_weighed(const TripletSource& triplets,
                  const std::function<void(std::uint64_t, const Triplet&, double)>& visit);

}  // namespace alidade
