// UMAP's kernel of distances on the map, and the forces that follow. [MHM18] McInnes, Healy & Melville 2018, section 4.
// w(s) = 1 / (1 + a s^b) of squared distances s, which are increased by 0.001: the authors' program does so where it
// divides by them.
#pragma once

#include <cmath>

#include "problems/core/vector_math.hpp"

namespace alidade::neighbor {

inline constexpr double kSoftening = 1e-3;  // e, added to squared distances

struct UmapKernel {
  double a = 1, b = 1;
  double softened = kSoftening, log_softened = std::log(kSoftening);  // a e^b and its logarithm
  [[nodiscard]] static UmapKernel of(double a, double b) {
    const double softened = a * std::pow(kSoftening, b);
    return {a, b, softened, std::log(softened)};
  }
};
/// The least squares fit of 1 / (1 + a x^2b) at 300 points of [0, 3 spread] to 1 below min_dist and
/// exp(-(x - min_dist) / spread) beyond.
[[nodiscard]] UmapKernel fitted_kernel(double min_dist, double spread);

/// Attraction -ln w(s + e) and repulsion -ln(1 - w(s + e)) of pairs, and their derivatives by s.
/// With q = (1 + s / e)^-b and c = a e^b: w = q / (q + c).
template <class V>
struct PairForces {
  V attraction, repulsion, attracting, repelling;
};
template <class V>
[[gnu::always_inline]] inline PairForces<V> forces_of(const UmapKernel& kernel, const V& s) {
  using Real = Element<V>;
  const auto b = static_cast<Real>(kernel.b), e = static_cast<Real>(kSoftening);
  const auto c = static_cast<Real>(kernel.softened), log_c = static_cast<Real>(kernel.log_softened);
  const V length = log1p_of_nonnegative(V(s / e)), q = exp_of_nonpositive(V(-b * length));
  const V slope = b / ((s + e) * (q + c)), repulsion = log1p_of_nonnegative(V(q / c));
  return {repulsion + log_c + b * length, repulsion, slope * c, -slope * q};
}

}  // namespace alidade::neighbor
