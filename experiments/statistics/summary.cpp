#include "experiments/statistics/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "experiments/statistics/distributions.hpp"
#include "problems/core/enum_names.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/text.hpp"

namespace alidade::statistics {
namespace {

// From the means without one value each: how skewed the sampling distribution is.
double acceleration(std::span<const double> values, const std::function<double(std::span<const double>)>& statistic) {
  std::vector<double> without, estimates;
  for (std::size_t i = 0; i < values.size(); ++i) {
    without.assign(values.begin(), values.end());
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    estimates.push_back(statistic(without));
  }
  const double centre = mean(estimates);
  double squares = 0, cubes = 0;
  for (const double estimate : estimates) {
    const double d = centre - estimate;
    squares += d * d;
    cubes += d * d * d;
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

}  // namespace

Aggregate aggregate_named(std::string_view name) { return enum_named<Aggregate>(kAggregateNames, name, "aggregate"); }

std::string_view to_string(Aggregate aggregate) { return kAggregateNames.at(static_cast<std::size_t>(aggregate)); }

double mean(std::span<const double> values) {
  ALIDADE_ASSERT(!values.empty());
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double median(std::span<const double> values) {
  ALIDADE_ASSERT(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2;
}

std::optional<double> correlation(std::span<const std::pair<double, double>> points) {
  const auto count = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  for (const auto& [x, y] : points) {
    mean_x += x / count;
    mean_y += y / count;
  }
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x);
    yy += (y - mean_y) * (y - mean_y);
    xy += (x - mean_x) * (y - mean_y);
  }
  const double dust = count * std::pow(4 * std::numeric_limits<double>::epsilon(), 2);  // of sums and quotients
  if (xx <= dust * mean_x * mean_x || yy <= dust * mean_y * mean_y) return std::nullopt;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

double standard_deviation(std::span<const double> values) {
  ALIDADE_ASSERT(values.size() >= 2);
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::optional<double> aggregate(std::span<const double> values, Aggregate which) {
  if (values.size() < (which == Aggregate::standard_deviation ? 2U : 1U)) return std::nullopt;
  switch (which) {
    case Aggregate::mean: return mean(values);
    case Aggregate::median: return median(values);
    case Aggregate::standard_deviation: return standard_deviation(values);
    case Aggregate::minimum: return std::ranges::min(values);
    case Aggregate::maximum: return std::ranges::max(values);
  }
  return std::nullopt;
}

double t_half_width(std::span<const double> values, double confidence) {
  ALIDADE_ASSERT(values.size() >= 2);
  const auto n = static_cast<double>(values.size());
  return student_two_sided_quantile(1 - confidence, n - 1) * standard_deviation(values) / std::sqrt(n);
}

double quantile_of_sorted(std::span<const double> ascending, double p) {
  ALIDADE_ASSERT(!ascending.empty());
  const double place = std::clamp(p, 0.0, 1.0) * static_cast<double>(ascending.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), ascending.size() - 1);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (place - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

Interval bootstrap_interval(std::span<const double> values,
                            const std::function<double(std::span<const double>)>& statistic,
                            const BootstrapRequest& request) {
  ALIDADE_ASSERT(values.size() >= 2 && request.resamples > 0);
  Rng rng = Rng::stream(request.seed, "bootstrap interval", values.size());
  std::vector<double> drawn(values.size()), estimates;
  estimates.reserve(static_cast<std::size_t>(request.resamples));
  for (int b = 0; b < request.resamples; ++b) {
    for (double& value : drawn) value = values[rng.below(values.size())];
    estimates.push_back(statistic(drawn));
  }
  std::ranges::sort(estimates);
  const double tail = (1 - request.confidence) / 2;
  const Interval percentile{quantile_of_sorted(estimates, tail), quantile_of_sorted(estimates, 1 - tail)};
  if (request.kind == BootstrapInterval::percentile) return percentile;

  const double estimate = statistic(values);
  const auto [first, last] = std::ranges::equal_range(estimates, estimate);
  const double below = static_cast<double>(first - estimates.begin()) + 0.5 * static_cast<double>(last - first);
  const double share = below / static_cast<double>(estimates.size());
  if (!(share > 0 && share < 1)) return percentile;
  const double bias = normal_quantile(share), skew = acceleration(values, statistic);
  const auto corrected = [&](double level) {
    const double z = bias + normal_quantile(level);
    return quantile_of_sorted(estimates, normal_probability(bias + z / (1 - skew * z)));
  };
  return {corrected(tail), corrected(1 - tail)};
}

}  // namespace alidade::statistics
