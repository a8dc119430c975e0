// The form of many losses. Any tail of the similarity, any cap of the loss.
// Losses of p = q(a) / (q(a) + q(b)), the share of the near object in two similarities: closed forms of STE, t-STE, ETE
// and others. [vdMW12], [AVW16] Eq. 7 and 8. Up to 1e300 (float: 1e37) all results are finite.
#pragma once

#include "problems/triplet_sums/loss.hpp"

namespace alidade::triplet {

/// How the similarity decreases with the squared distance s: q(s) = e^{-s}, (1 + c s)^{-m}, or 1 / (1 + s).
enum class Tail { exponential, power, cauchy };
/// The loss as a function of p = q(b)^{-1} / (q(a)^{-1} + q(b)^{-1}): -ln p, 1 - p, (1 - p^2) / 2, (1 - p^{t-1}) /
/// (t-1).
enum class Cap { t1, t2, t3, any };

/// A closed form of the -log_t-type losses of p = q(a) / (q(a) + q(b)), with kinds fixed at compile time. V is a
/// scalar or a short vector. With z = ln(q(b)/q(a)), p = sigma(-z); e^z itself is never formed.
template <Tail tail, Cap cap>
struct RatioForm {
  double c = 1;            // K(s) = 1 + c s                      (power)
  double m = 1;            // q(s) = K(s)^-m                      (power)
  double t_minus_one = 0;  //                                     (any)

  template <class V>
  [[gnu::always_inline]] auto operator()(const V& a, const V& b) const {
    using Real = Element<V>;
    if constexpr (cap == Cap::t1 && tail == Tail::cauchy) {  // ln(1 + K(a) / K(b))
      const V near_k = a + 1;
      const V far_k = b + 1;
      const V r = 1 / (near_k + far_k);
      const V odds = near_k / far_k;
      return LogarithmicTerm<V>{odds, r, -(odds * r)};
    } else if constexpr (cap == Cap::t1) {  // -ln p = max(0, z) + ln(1 + e^{-|z|})
      const Difference<V> z = difference(a, b);
      const V e = exp_of_nonpositive(V(-z.distance));
      const V larger = 1 / (e + 1);
      const V q = select(a > b, larger, V(e * larger));
      return ShiftedLogarithmicTerm<V>{select(a > b, z.distance, V{}), e, q * z.near_slope, -(q * z.far_slope)};
    } else if constexpr (tail == Tail::cauchy) {
      const V near_k = a + 1;
      const V far_k = b + 1;
      const V r = 1 / (near_k + far_k);
      const V p = far_k * r;
      const V q = near_k * r;  // 1 - p without cancellation
      if constexpr (cap == Cap::t2) {
        return LossTerm<V>{q, p * r, -(q * r)};
      } else if constexpr (cap == Cap::t3) {
        const V half = p * Real(0.5);
        return LossTerm<V>{q * (half + Real(0.5)), p * p * r, -(q * p * r)};
      } else {
        const V odds = near_k / far_k;
        const V u = log1p_of_nonnegative(odds);  // -ln p
        const Real t1 = static_cast<Real>(t_minus_one);
        const ExpPair<V> power = exp_pair_of_nonpositive(V(u * -t1));  // p^{t-1}
        return LossTerm<V>{power.expm1 / -t1, power.exp * r, -(power.exp * odds * r)};
      }
    } else {
      const Difference<V> z = difference(a, b);
      const V e = exp_of_nonpositive(V(-z.distance));
      const V larger = 1 / (e + 1);
      const V smaller = e * larger;
      const V q = select(a > b, larger, smaller);  // 1 - p
      const V p = select(a > b, smaller, larger);
      if constexpr (cap == Cap::t2) {
        const V slope = q * p;
        return LossTerm<V>{q, slope * z.near_slope, -(slope * z.far_slope)};
      } else if constexpr (cap == Cap::t3) {
        const V half = p * Real(0.5);
        const V slope = q * p * p;
        return LossTerm<V>{q * (half + Real(0.5)), slope * z.near_slope, -(slope * z.far_slope)};
      } else {
        const Real t1 = static_cast<Real>(t_minus_one);
        const V u = select(a > b, z.distance, V{}) + log1p_of_nonnegative(e);
        const ExpPair<V> power = exp_pair_of_nonpositive(V(u * -t1));
        const V slope = q * power.exp;
        return LossTerm<V>{power.expm1 / -t1, slope * z.near_slope, -(slope * z.far_slope)};
      }
    }
  }

 private:
  /// |z| with |dz/da| and |dz/db|.
  template <class V>
  struct Difference {
    V distance, near_slope, far_slope;
  };

  template <class V>
  [[gnu::always_inline]] Difference<V> difference(const V& a, const V& b) const {
    if constexpr (tail == Tail::exponential) {
      return {absolute(V(a - b)), splat<V>(1), splat<V>(1)};
    } else {
      using Real = Element<V>;
      const Real cr = static_cast<Real>(c);
      const Real mr = static_cast<Real>(m);
      const Real mc = static_cast<Real>(m * c);
      const V near_k = 1 / (a * cr + 1);
      const V far_k = 1 / (b * cr + 1);
      // ln K(larger) - ln K(smaller) as one logarithm of a number with full accuracy.
      const V step = absolute(V(a - b)) * cr * select(a > b, far_k, near_k);
      return {log1p_of_nonnegative(step) * mr, near_k * mc, far_k * mc};
    }
  }
};

}  // namespace alidade::triplet
