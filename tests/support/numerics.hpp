// Stable scalar forms of the functions that logistic and softmax objectives need.
// Elementary identities; none of them forms the exponential of a positive number.
// NaN in gives NaN out; infinities give their limits.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace alidade {

/// ln(1 + e^x), relative error a few ulp everywhere.
template <class Real>
[[nodiscard]] Real softplus(Real x) {
  return (x > 0 ? x : (x == x ? Real(0) : x)) + std::log1p(std::exp(-std::abs(x)));
}

/// 1 / (1 + e^-x) in [0, 1]; sigmoid(x) + sigmoid(-x) = 1 up to one rounding.
template <class Real>
[[nodiscard]] Real sigmoid(Real x) {
  const Real e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/// ln(sum_i e^{x_i}); minus infinity for an empty span. O(size).
template <class Real>
[[nodiscard]] Real log_sum_exp(std::span<const Real> x) {
  Real top = -std::numeric_limits<Real>::infinity();
  for (const Real value : x) {
    if (value != value) return value;
    top = std::max(top, value);
  }
  if (std::isinf(top)) return top;
  Real sum = 0;
  for (const Real value : x) sum += std::exp(value - top);
  return top + std::log(sum);
}

}  // namespace alidade
