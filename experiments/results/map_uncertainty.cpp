#include "experiments/results/map_uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace alidade {

Ellipse ellipse_of(double variance1, double covariance12, double variance2, double share) {
  const double middle = 0.5 * (variance1 + variance2);
  const double half = std::hypot(0.5 * (variance1 - variance2), covariance12);
  const double quantile = -2 * std::log1p(-share);  // of chi squared with two degrees of freedom
  double angle = 0.5 * std::atan2(2 * covariance12, variance1 - variance2) * 180 / std::numbers::pi;
  if (angle <= -90) angle += 180;
  return {std::sqrt(quantile * (middle + half)), std::sqrt(quantile * std::max(0.0, middle - half)), angle};
}

}  // namespace alidade
