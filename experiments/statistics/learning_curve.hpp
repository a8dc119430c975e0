// How an error falls with the amount of data: e(n) = floor + scale n^(-power), fitted to means over repeats.
// A power law with an offset is the usual form (Hestness et al. 2017). Its uncertainty comes from resampled repeats,
// which share their data: the interval is of other splits of these data, and extrapolation rests on the form.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/statistics/summary.hpp"

namespace alidade::statistics {

struct LearningCurve {
  double floor = 0;  // >= 0: the error of endless data
  double scale = 0, power = 0;
  [[nodiscard]] double at(double amount) const;
};

/// Least squares over powers of a grid from 0.2 to 2. @pre at least three amounts > 0, and as many errors, finite
[[nodiscard]] LearningCurve fit_learning_curve(std::span<const double> amounts, std::span<const double> errors);

/// The curve's value at `amount` with a 90 % interval, from `resamples` fits to resampled repeats.
struct Extrapolation {
  double value = 0;
  Interval interval;
};
/// errors[r][k]: of repeat r with amount k. @pre at least two repeats
[[nodiscard]] Extrapolation extrapolate(std::span<const double> amounts, const std::vector<std::vector<double>>& errors,
                                        double amount, std::uint64_t seed, int resamples = 400);

}  // namespace alidade::statistics
