// Named tolerances for comparing numbers, always relative and absolute together.
// |got - expected| <= absolute + relative * |expected|; a NaN is close to nothing.
// Choose by what limits the accuracy, not by what happens to pass.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "problems/spaces/point.hpp"

namespace alidade::testing {

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// The same few operations in another order.
inline constexpr Tolerance kRounding{1e-14, 1e-300};
/// Sums of many terms in another order, or against an independent implementation.
inline constexpr Tolerance kSum{1e-12, 1e-300};
/// Gradients against an independent implementation, relative to the largest entry.
inline constexpr Tolerance kGradient{1e-10, 1e-300};
/// Kernels in single precision, relative to the largest entry.
inline constexpr Tolerance kSinglePrecision{1e-5, 1e-30};

[[nodiscard]] inline bool close(double got, double expected, Tolerance tolerance) {
  return std::abs(got - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

[[nodiscard]] inline double largest_entry(std::span<const double> values) {
  double worst = 0;
  for (const double v : values) worst = std::isnan(v) ? v : std::max(worst, std::abs(v));
  return worst;
}

/// Every entry within the tolerance of the largest expected entry.
[[nodiscard]] inline bool all_close(std::span<const double> got, std::span<const double> expected,
                                    Tolerance tolerance) {
  if (got.size() != expected.size()) return false;
  const double bound = tolerance.absolute + tolerance.relative * largest_entry(expected);
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - expected[i]) <= bound)) return false;
  return true;
}

/// Same bits, NaN included.
[[nodiscard]] inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); });
}

}  // namespace alidade::testing
