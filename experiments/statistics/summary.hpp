// Mean, median and spread of a few values, with their intervals.
// Student's t: mean +- t(n-1, 1-(1-c)/2) s / sqrt(n). Bootstrap (Efron & Tibshirani 1993, ch. 13 and 14): percentile,
// and BCa, with the jackknife's acceleration.
// Values must be independent and identically distributed; intervals of fewer than ten values are unreliable.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::statistics {

enum class Aggregate { mean, median, standard_deviation, minimum, maximum };
inline constexpr std::array<std::string_view, 5> kAggregateNames = {"mean", "median", "sd", "min", "max"};

/// @throws ConfigError with the nearest name
[[nodiscard]] Aggregate aggregate_named(std::string_view name);
[[nodiscard]] std::string_view to_string(Aggregate aggregate);

/// At least one value; a standard deviation (n - 1 in the denominator) needs two.
[[nodiscard]] double mean(std::span<const double> values);
/// The middle one, or the mean of the middle two. O(n log n)
[[nodiscard]] double median(std::span<const double> values);
[[nodiscard]] double standard_deviation(std::span<const double> values);
/// Pearson's; nothing if there are no points, or one of the two numbers is the same in all of them but for rounding.
[[nodiscard]] std::optional<double> correlation(std::span<const std::pair<double, double>> points);
/// The aggregate; nothing if there are too few values.
[[nodiscard]] std::optional<double> aggregate(std::span<const double> values, Aggregate which);

struct Interval {
  double low = 0;
  double high = 0;
};

/// Half-width of the t interval of the mean of at least two values; confidence in (0, 1).
[[nodiscard]] double t_half_width(std::span<const double> values, double confidence);

enum class BootstrapInterval { percentile, bias_corrected };

struct BootstrapRequest {
  double confidence = 0.95;  // in (0, 1)
  BootstrapInterval kind = BootstrapInterval::bias_corrected;
  int resamples = 10'000;
  std::uint64_t seed = 0;  // of its own random stream: equal values and seed give an equal interval
};

/// Interval of a statistic of at least two values, resampled with replacement. Quantiles of the resamples are
/// interpolated linearly. If all resamples lie to one side of the estimate, BCa has no correction and equals the
/// percentile interval. O(resamples x cost of the statistic)
[[nodiscard]] Interval bootstrap_interval(std::span<const double> values,
                                          const std::function<double(std::span<const double>)>& statistic,
                                          const BootstrapRequest& request);

/// The p-quantile (p in [0, 1]) of ascending values, linear between order statistics; the i-th of n is the quantile of
/// p = i / (n - 1).
[[nodiscard]] double quantile_of_sorted(std::span<const double> ascending, double p);

}  // namespace alidade::statistics
