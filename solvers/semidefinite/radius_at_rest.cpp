#include "solvers/semidefinite/radius_at_rest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace alidade {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double flow(const RadiusRows& rows, double b, double& slope) {
  double sum = 0;
  slope = 0;
  for (std::size_t k = 0; k < rows.coefficient.size(); ++k) {
    const double r = rows.coefficient[k];
    const double s = rows.multiplier[k] + rows.penalty * (rows.violation[k] + r * b);
    if (!rows.equality[k] && s <= 0) continue;
    if (!rows.equality[k] && s >= rows.cap[k]) {
      sum += r * rows.cap[k];
      continue;
    }
    sum += r * s;
    slope += r * r;
  }
  slope *= rows.penalty;
  return sum;
}

/// Calls f with every b at which a multiplier meets 0 or its cap.
template <class F>
void for_each_breakpoint(const RadiusRows& rows, F f) {
  for (std::size_t k = 0; k < rows.coefficient.size(); ++k)
    for (const double edge : {0.0, rows.cap[k]})
      if (std::isfinite(edge))
        f(((edge - rows.multiplier[k]) / rows.penalty - rows.violation[k]) / rows.coefficient[k]);
}

/// The root between low, where the sum is negative, and high, where it is positive or which is infinite.
double root_among_breakpoints(const RadiusRows& rows, double low, double high) {
  std::vector<double> breaks;
  for_each_breakpoint(rows, [&](double p) {
    if (p > low && p < high) breaks.push_back(p);
  });
  std::ranges::sort(breaks);
  double slope = 0;
  const auto above = std::ranges::partition_point(breaks, [&](double p) { return flow(rows, p, slope) < 0; });
  if (above != breaks.end()) high = *above;
  if (above != breaks.begin()) low = *std::prev(above);
  const double below = flow(rows, low, slope);
  if (below >= 0) return low;
  if (!std::isfinite(high)) return slope > 0 ? low - below / slope : low;
  const double beyond = flow(rows, high, slope);
  return std::clamp(low + (high - low) * (below / (below - beyond)), low, high);
}

}  // namespace

double radius_at_rest(const RadiusRows& rows, double start, int newton_steps) {
  double b = start, low = 0, high = kInfinity;
  for (int step = 0; step < newton_steps; ++step) {
    double slope = 0;
    const double f = flow(rows, b, slope);
    if (f == 0) return b;
    (f > 0 ? high : low) = b;
    double next = 0;
    if (slope > 0) {
      next = b - f / slope;
    } else if (f > 0) {
      // The sum is constant here; take the nearest breakpoint below.
      for_each_breakpoint(rows, [&](double p) {
        if (p < b) next = std::max(next, p);
      });
      next -= 1e-12 * (1 + std::abs(next));
    } else {
      next = kInfinity;
      for_each_breakpoint(rows, [&](double p) {
        if (p > b) next = std::min(next, p);
      });
      if (!std::isfinite(next)) return b;
      next += 1e-12 * (1 + std::abs(next));
    }
    if (next <= 0) {
      if (b == 0 && f > 0) return b;
      next = 0;
    }
    if (next <= low && low > 0) next = std::isfinite(high) ? 0.5 * (low + high) : 2 * low + 1;
    if (next >= high) next = 0.5 * (low + high);
    if (std::abs(next - b) <= 1e-16 * std::abs(b)) return next;
    b = next;
  }
  if (high - low <= 1e-15 * low) return b;
  double slope = 0;
  if (low == 0 && flow(rows, 0, slope) >= 0) return 0;
  return root_among_breakpoints(rows, low, high);
}

}  // namespace alidade
