// The best radius b of an augmented Lagrangian at given multipliers y, penalty rho and violations v without radius:
// the root of  sum_k r_k clip(y_k + rho (v_k + r_k b), 0, cap_k),  which is increasing and piecewise linear in b >= 0.
// For distance_lagrangian.cpp, which asks for one radius per object in every evaluation.
#pragma once

#include <span>

namespace alidade {

/// The rows that share a radius; spans of one length.
struct RadiusRows {
  std::span<const double> coefficient;  // r, not 0
  std::span<const double> violation;    // v
  std::span<const double> multiplier;   // y
  std::span<const double> cap;          // infinity: none
  std::span<const char> equality;       // not 0: y is not clipped
  double penalty = 1;                   // rho > 0
};

/// The root; 0 if the sum is positive there; `start` or the last breakpoint if no b makes the sum zero. Safeguarded
/// Newton steps from `start` >= 0, O(rows) each; where `newton_steps` of them do not meet the root, it is searched
/// among the breakpoints, O(rows log rows). Exact up to rounding.
[[nodiscard]] double radius_at_rest(const RadiusRows& rows, double start, int newton_steps = 60);

}  // namespace alidade
