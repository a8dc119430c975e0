#include "experiments/statistics/learning_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/core/random.hpp"

namespace alidade::statistics {
namespace {

constexpr double kLeastPower = 0.2, kMostPower = 2, kStep = 0.05;

/// The least squares of floor and scale, both >= 0, for a power.
struct Fitted {
  LearningCurve curve;
  double squares = std::numeric_limits<double>::infinity();
};
Fitted fit_with_power(std::span<const double> amounts, std::span<const double> errors, double power) {
  const auto n = static_cast<double>(amounts.size());
  double sum_x = 0, sum_xx = 0, sum_y = 0, sum_xy = 0;
  for (std::size_t k = 0; k < amounts.size(); ++k) {
    const double x = std::pow(amounts[k], -power);
    sum_x += x;
    sum_xx += x * x;
    sum_y += errors[k];
    sum_xy += x * errors[k];
  }
  const double spread = n * sum_xx - sum_x * sum_x;
  double scale = spread > 0 ? (n * sum_xy - sum_x * sum_y) / spread : 0;
  double floor = (sum_y - scale * sum_x) / n;
  if (scale < 0) scale = 0, floor = sum_y / n;
  if (floor < 0) floor = 0, scale = sum_xx > 0 ? sum_xy / sum_xx : 0;
  Fitted out{{floor, scale, power}, 0};
  for (std::size_t k = 0; k < amounts.size(); ++k) {
    const double off = errors[k] - out.curve.at(amounts[k]);
    out.squares += off * off;
  }
  return out;
}

std::vector<double> means_of(const std::vector<std::vector<double>>& errors, std::span<const std::size_t> repeats) {
  std::vector<double> out(errors.front().size(), 0);
  for (const std::size_t r : repeats)
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += errors[r][k] / static_cast<double>(repeats.size());
  return out;
}

}  // namespace

double LearningCurve::at(double amount) const { return floor + scale * std::pow(amount, -power); }

LearningCurve fit_learning_curve(std::span<const double> amounts, std::span<const double> errors) {
  Fitted best;
  for (double power = kLeastPower; power <= kMostPower; power += kStep)
    if (const Fitted fit = fit_with_power(amounts, errors, power); fit.squares < best.squares) best = fit;
  return best.curve;
}

Extrapolation extrapolate(std::span<const double> amounts, const std::vector<std::vector<double>>& errors,
                          double amount, std::uint64_t seed, int resamples) {
  std::vector<std::size_t> repeats(errors.size());
  for (std::size_t r = 0; r < repeats.size(); ++r) repeats[r] = r;
  Extrapolation out;
  out.value = fit_learning_curve(amounts, means_of(errors, repeats)).at(amount);
  Rng rng = Rng::stream(seed, "curve");
  std::vector<double> values;
  for (int b = 0; b < resamples; ++b) {
    for (std::size_t& r : repeats) r = static_cast<std::size_t>(rng.below(errors.size()));
    values.push_back(fit_learning_curve(amounts, means_of(errors, repeats)).at(amount));
  }
  std::ranges::sort(values);
  out.interval = {quantile_of_sorted(values, 0.05), quantile_of_sorted(values, 0.95)};
  return out;
}

}  // namespace alidade::statistics
