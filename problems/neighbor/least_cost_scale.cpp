#include "problems/neighbor/least_cost_scale.hpp"

#include <cmath>
#include <limits>

namespace alidade::neighbor {

double least_cost_scale(double mean_distance,
                        const std::function<std::vector<double>(std::span<const double>)>& costs) {
  const auto best_of = [&](const std::vector<double>& scales) {
    const std::vector<double> values = costs(scales);
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < scales.size(); ++s) {
      if (!(values[s] < least)) continue;
      least = values[s];
      best = s;
    }
    return scales[best];
  };
  std::vector<double> coarse, fine;
  for (int k = -12; k <= 16; ++k) coarse.push_back(std::exp2(0.5 * k) / mean_distance);
  const double coarse_best = best_of(coarse);
  for (int k = -8; k <= 8; ++k) fine.push_back(coarse_best * std::exp2(0.0625 * k));
  return best_of(fine);
}

}  // namespace alidade::neighbor
