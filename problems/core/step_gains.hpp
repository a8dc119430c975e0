// Two parts of t-SNE's usual gradient descent with momentum: a gain for each coordinate, and a rate from the number of
// rows. Jacobs 1988 (delta-bar-delta), as van der Maaten & Hinton 2008 use it: v <- momentum v - rate gain . grad.
// Their rate is for gradients with t-SNE's factor 4.
#pragma once

#include <algorithm>

#include "problems/core/types.hpp"

namespace alidade {

/// A gain shrinks to 0.8 of itself, not below 0.01, where gradient and velocity have the same sign; elsewhere it grows
/// by 0.2. All three vectors have the same size.
inline void adapt_gains(const Eigen::Ref<const Vector>& gradient, const Eigen::Ref<const Vector>& velocity,
                        Vector& gains) {
  constexpr double kStep = 0.2, kFactor = 0.8, kLeast = 0.01;
  for (Index k = 0; k < gains.size(); ++k)
    gains[k] = gradient[k] * velocity[k] > 0 ? std::max(kFactor * gains[k], kLeast) : gains[k] + kStep;
}

/// rows / 48, at least 50: t-SNE's n / 12, for gradients without the factor 4.
[[nodiscard]] inline double default_rate(Index rows) { return std::max(static_cast<double>(rows) / 48, 50.0); }

}  // namespace alidade
