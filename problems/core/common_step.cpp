#include "problems/core/common_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace alidade {
namespace {

/// The denominator, at most `most`, of the fraction that is within `tolerance` * 2^-53 of a ratio in [0, 1]; 0 without
/// one. Of the convergents of a continued fraction, which are known exactly: no rounding grows with their number.
std::int64_t denominator(double ratio, double tolerance, double most) {
  std::int64_t divisor = std::int64_t{1} << 53, rest = std::llround(std::ldexp(ratio, 53));  // |ratio q - p|, by 2^53
  for (std::int64_t before = 0, q = 1; static_cast<double>(q) <= most;) {
    if (static_cast<double>(rest) <= tolerance * static_cast<double>(q)) return q;
    const std::int64_t quotient = divisor / rest;
    divisor = std::exchange(rest, divisor % rest);
    before = std::exchange(q, quotient * q + before);
  }
  return 0;
}

}  // namespace

double common_step(std::span<const double> numbers, double offset) {
  double largest = 0;
  for (const double x : numbers) largest = std::max(largest, std::abs(x));
  const double known = std::max(1.0, offset / largest), most = 0x1p24 / std::sqrt(known), tolerance = 16 * known;
  if (!(largest > 0 && most >= 1)) return 0;
  std::int64_t steps = 1;  // of the largest
  for (const double x : numbers) {
    if (!std::isfinite(x)) return 0;
    const double ratio = std::abs(x) / largest, count = ratio * static_cast<double>(steps);
    if (std::abs(count - std::nearbyint(count)) <= 0x1p-53 * tolerance * static_cast<double>(steps)) continue;
    steps = std::lcm(steps, denominator(ratio, tolerance, most));
    if (steps == 0 || static_cast<double>(steps) > most) return 0;
  }
  return largest / static_cast<double>(steps);
}

}  // namespace alidade
