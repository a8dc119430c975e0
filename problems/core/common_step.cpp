#include "problems/core/common_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace alidade {

double common_step(std::span<const double> numbers, double offset) {
  double largest = 0;
  for (const double x : numbers) largest = std::max(largest, std::abs(x));
  const double known = std::max(largest, offset), least = 0x1p-24 * std::sqrt(largest) * std::sqrt(known);
  double step = largest;
  // Rounding grows by the quotients of one number, so that what is left of a multiple is far below the smallest step.
  for (const double x : numbers) {
    if (std::abs(x - std::nearbyint(x / step) * step) < 0.25 * least) continue;
    for (double rest = std::abs(std::remainder(x, step)); rest > 0.5 * least;) {
      if (step <= least) return 0;
      rest = std::abs(std::remainder(std::exchange(step, rest), rest));
    }
    step = largest / std::nearbyint(largest / step);
  }
  const double tolerance = 8 * std::numeric_limits<double>::epsilon() * known;
  const bool common = std::ranges::all_of(
      numbers, [&](double x) { return std::abs(x - std::nearbyint(x / step) * step) <= tolerance; });
  return common && largest > 0 ? step : 0;
}

}  // namespace alidade
