// The likelihood of one triplet under SCORE: [LL19] Eq. 3 to 5, a mixture of the aspect's map and the shared sphere.
// l = D s_t + (1 - D) s_g with s_t = S(alpha (d_jk - d_ji)) on the map, s_g = S(alpha (y_j . y_i - y_j . y_k)) on the
// sphere and S the logistic function; j is the anchor, i near, k far.
// With u = (1 - s_t) / s_t and v = (1 - s_g) / s_g, ratios of exponentials, one division gives all of it.
#pragma once

#include <algorithm>
#include <cmath>

#include "problems/core/vector_math.hpp"

namespace alidade::multiview {

/// What a triplet adds to -ln l, and its derivatives without the factors alpha D, alpha (1 - D) and 1 of the three.
template <class V>
struct MixtureRatios {
  V excess;      // 1 / l - 1 >= 0, so that -ln l = ln(1 + excess)
  V local;       // s_t (1 - s_t) / l; times alpha D: slope of -ln l in d_ji, minus that in d_jk
  V global;      // s_g (1 - s_g) / l; times alpha (1 - D): slope of -ln l in y_j . y_k, minus that in y_j . y_i
  V d_delta;     // (s_t - s_g) / l = -d(-ln l) / dD
  V likelihood;  // l
};

/// u = exp(alpha (d_ji - d_jk)) and v = exp(alpha (y_j . y_k - y_j . y_i)), each below 1e100: nothing overflows.
/// u = v = 0 gives zeros. Relative errors are a few units in the last place.
template <class V>
[[gnu::always_inline, nodiscard]] inline MixtureRatios<V> mixture_ratios(const V& u, const V& v, double delta) {
  const double rest = 1 - delta;
  const V a = u + 1, b = v + 1;
  const V both = a * b;
  const V numerator = delta * b + rest * a;  // l = numerator / both
  const V inverse = 1 / (both * numerator);
  const V per_numerator = both * inverse;
  return {(delta * u + rest * v + u * v) * per_numerator, u * (b * b) * inverse, v * (a * a) * inverse,
          (v - u) * per_numerator, numerator * (numerator * inverse)};
}

/// -ln l and its derivatives of one triplet.
struct MixtureTerm {
  double loss;        // -ln l >= 0
  double local;       // alpha D s_t (1 - s_t) / l >= 0
  double global;      // alpha (1 - D) s_g (1 - s_g) / l >= 0
  double d_delta;     // (s_t - s_g) / l
  double difference;  // s_t - s_g
};

/// Largest exponent for which u and v of a triplet need no logarithms: nothing overflows. Covers alpha <= 100.
inline constexpr double kLargestExponent = 200.5;

namespace detail {

/// ln(1 + x) for x >= 0 within 3 units in the last place, in a third of the time of std::log1p. Rounding 1 + x changes
/// its logarithm and its difference from 1 in the same proportion (W. Kahan).
[[nodiscard]] inline double quick_log1p(double x) {
  const double sum = 1 + x;
  return sum == 1 ? x : std::log(sum) * (x / (sum - 1));
}

/// `mixture_term` for any exponents, in logarithms. a = ln u, b = ln v.
[[nodiscard]] inline MixtureTerm mixture_in_logarithms(double alpha, double delta, double a, double b) {
  const auto softplus = [](double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); };
  constexpr double kMost = 700;  // exp of more is infinite
  const double ln_st = -softplus(a), ln_sg = -softplus(b);
  const double p = std::log(delta) + ln_st, q = std::log1p(-delta) + ln_sg;
  const double high = std::max(p, q);
  const double ln_l = high + std::log1p(std::exp(std::min(p, q) - high));
  const double st_share = std::exp(std::min(ln_st - ln_l, kMost)), sg_share = std::exp(std::min(ln_sg - ln_l, kMost));
  return {-ln_l, alpha * delta * st_share * std::exp(-softplus(-a)),
          alpha * (1 - delta) * sg_share * std::exp(-softplus(-b)), st_share - sg_share,
          std::exp(ln_st) - std::exp(ln_sg)};
}

}  // namespace detail

/// near_longer = d_ji - d_jk, far_closer = y_j . y_k - y_j . y_i; alpha > 0, delta in [0, 1]. Any finite arguments.
[[nodiscard]] inline MixtureTerm mixture_term(double alpha, double delta, double near_longer, double far_closer) {
  const double a = alpha * near_longer, b = alpha * far_closer;
  if (!(std::max(std::abs(a), std::abs(b)) <= kLargestExponent))
    return detail::mixture_in_logarithms(alpha, delta, a, b);
  const double u = std::exp(a), v = std::exp(b);
  const MixtureRatios<double> ratios = mixture_ratios(u, v, delta);
  return {detail::quick_log1p(ratios.excess), alpha * delta * ratios.local, alpha * (1 - delta) * ratios.global,
          ratios.d_delta, ratios.d_delta * ratios.likelihood};
}

/// mixture_term() for D = 1, where the sphere has no effect: d_delta and difference are 0.
[[nodiscard]] inline MixtureTerm map_term(double alpha, double near_longer) {
  const double a = alpha * near_longer;
  const double small = std::exp(-std::abs(a));
  return {std::max(a, 0.0) + detail::quick_log1p(small), alpha * (a > 0 ? 1 : small) / (1 + small), 0, 0, 0};
}

/// Distances below this have the subgradient 0.
inline constexpr double kLeastDistance = 1e-12;

/// What the triplets of an aspect share.
struct ScoreTriplet {
  std::size_t columns;  // K + 1
  double alpha, delta;
  bool mixed;  // false: delta is 1
};
/// The three objects and the normal, `columns` coordinates each.
template <class Number>
struct ScoreRows {
  Number *anchor, *near, *far, *normal;
};

/// The gradient of weight * (-ln l) of one triplet at unit rows. Overwrites the four gradient rows, which must not
/// overlap each other or the inputs. kColumns is the number of columns if known at compile time, otherwise 0.
template <std::size_t kColumns>
[[gnu::always_inline]] inline MixtureTerm score_triplet(const ScoreTriplet& of, const ScoreRows<const double>& at,
                                                        double weight, const ScoreRows<double>& gradient) {
  const std::size_t cols = kColumns > 0 ? kColumns : of.columns;
  const double *anchor = at.anchor, *near = at.near, *far = at.far, *normal = at.normal;
  double* __restrict d_anchor = gradient.anchor;
  double* __restrict d_near = gradient.near;
  double* __restrict d_far = gradient.far;
  double* __restrict d_normal = gradient.normal;
  double near_height = 0, far_height = 0, near_dot = 0, far_dot = 0;
  for (std::size_t c = 0; c < cols; ++c) {
    near_height += normal[c] * (anchor[c] - near[c]);
    far_height += normal[c] * (anchor[c] - far[c]);
    near_dot += anchor[c] * near[c];
    far_dot += anchor[c] * far[c];
  }
  double near_squared = 0, far_squared = 0;
  for (std::size_t c = 0; c < cols; ++c) {
    d_near[c] = anchor[c] - near[c] - near_height * normal[c];  // P_x u, P_x v
    d_far[c] = anchor[c] - far[c] - far_height * normal[c];
    near_squared += d_near[c] * d_near[c];
    far_squared += d_far[c] * d_far[c];
  }
  const double near_distance = std::sqrt(near_squared), far_distance = std::sqrt(far_squared);
  const MixtureTerm term = of.mixed ? mixture_term(of.alpha, of.delta, near_distance - far_distance, far_dot - near_dot)
                                    : map_term(of.alpha, near_distance - far_distance);
  const double local = weight * term.local, global = weight * term.global;
  const double pull = near_distance < kLeastDistance ? 0 : local / near_distance;
  const double push = far_distance < kLeastDistance ? 0 : local / far_distance;
  for (std::size_t c = 0; c < cols; ++c) {
    const double p = pull * d_near[c], q = push * d_far[c];
    const double both = global * anchor[c];
    d_anchor[c] = p - q - global * (near[c] - far[c]);
    d_near[c] = -p - both;
    d_far[c] = q + both;
    d_normal[c] = far_height * q - near_height * p;
  }
  return term;
}

}  // namespace alidade::multiview
