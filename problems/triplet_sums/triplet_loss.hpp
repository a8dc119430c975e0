// The losses of one triplet as functions of its two squared distances: GNMDS, CKL, STE, t-STE, SOE and ETE.
// [AWC07], [TLBSK11], [vdMW12], [TvL14], [AVW16] Eq. 7 and 8: see problems/README.md.
// a = |y_anchor - y_near|^2 and b = |y_anchor - y_far|^2 are >= 0; up to 1e300 (float: 1e37) all results are finite.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <variant>

#include "problems/core/vector_math.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::triplet {

/// f(a, b) >= 0 and its two partial derivatives. For all losses here d_near >= 0 >= d_far.
template <class V>
struct LossTerm {
  V value, d_near, d_far;
};

/// f = linear + ln(1 + ratio), ratio >= 0; a sum of many such terms needs few logarithms. Derivatives as in LossTerm.
template <class V>
struct LogarithmicTerm {
  V linear, ratio, d_near, d_far;
};

/// A form that also has this term, equal to its operator(). `kHasLinear` false: linear is 0.
template <class Form>
concept LogarithmicForm = requires(const Form& form, double s) {
  { form.logarithmic(s, s) } -> std::same_as<LogarithmicTerm<double>>;
  { Form::kHasLinear } -> std::convertible_to<bool>;
};

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
  [[gnu::always_inline]] LossTerm<V> operator()(const V& a, const V& b) const {
    using Real = Element<V>;
    if constexpr (cap == Cap::t1) {
      const LogarithmicTerm<V> term = logarithmic(a, b);
      const V log = log1p_of_nonnegative(term.ratio);
      if constexpr (kHasLinear) return {term.linear + log, term.d_near, term.d_far};
      return {log, term.d_near, term.d_far};
    } else if constexpr (tail == Tail::cauchy) {
      const V near_k = a + 1;
      const V far_k = b + 1;
      const V r = 1 / (near_k + far_k);
      const V p = far_k * r;
      const V q = near_k * r;  // 1 - p without cancellation
      if constexpr (cap == Cap::t2) return {q, p * r, -(q * r)};
      if constexpr (cap == Cap::t3) {
        const V half = p * Real(0.5);
        return {q * (half + Real(0.5)), p * p * r, -(q * p * r)};
      }
      const V odds = near_k / far_k;
      const V u = log1p_of_nonnegative(odds);  // -ln p
      const Real t1 = static_cast<Real>(t_minus_one);
      const ExpPair<V> power = exp_pair_of_nonpositive(V(u * -t1));  // p^{t-1}
      return {power.expm1 / -t1, power.exp * r, -(power.exp * odds * r)};
    } else {
      const Difference<V> z = difference(a, b);
      const V e = exp_of_nonpositive(V(-z.distance));
      const V larger = 1 / (e + 1);
      const V smaller = e * larger;
      const V q = select(a > b, larger, smaller);  // 1 - p
      const V p = select(a > b, smaller, larger);
      if constexpr (cap == Cap::t2) {
        const V slope = q * p;
        return {q, slope * z.near_slope, -(slope * z.far_slope)};
      }
      if constexpr (cap == Cap::t3) {
        const V half = p * Real(0.5);
        const V slope = q * p * p;
        return {q * (half + Real(0.5)), slope * z.near_slope, -(slope * z.far_slope)};
      }
      const Real t1 = static_cast<Real>(t_minus_one);
      const V u = select(a > b, z.distance, V{}) + log1p_of_nonnegative(e);
      const ExpPair<V> power = exp_pair_of_nonpositive(V(u * -t1));
      const V slope = q * power.exp;
      return {power.expm1 / -t1, slope * z.near_slope, -(slope * z.far_slope)};
    }
  }

  static constexpr bool kHasLinear = tail != Tail::cauchy;

  /// -ln p = max(0, z) + ln(1 + e^{-|z|}), or ln(1 + K(a) / K(b)).
  template <class V>
  requires(cap == Cap::t1) [[gnu::always_inline]] LogarithmicTerm<V> logarithmic(const V& a, const V& b) const {
    if constexpr (tail == Tail::cauchy) {
      const V near_k = a + 1;
      const V far_k = b + 1;
      const V r = 1 / (near_k + far_k);
      const V odds = near_k / far_k;
      return {V{}, odds, r, -(odds * r)};
    } else {
      const Difference<V> z = difference(a, b);
      const V e = exp_of_nonpositive(V(-z.distance));
      const V larger = 1 / (e + 1);
      const V q = select(a > b, larger, V(e * larger));
      return {select(a > b, z.distance, V{}), e, q * z.near_slope, -(q * z.far_slope)};
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

/// -ln P with P = (1 - lapse) sigma(b - a) + lapse / 2.
struct LapseForm {
  double lapse = 0;

  static constexpr bool kHasLinear = false;

  template <class V>
  [[gnu::always_inline]] LossTerm<V> operator()(const V& a, const V& b) const {
    const LogarithmicTerm<V> term = logarithmic(a, b);
    return {log1p_of_nonnegative(term.ratio), term.d_near, term.d_far};
  }

  /// ln(1 + (1 - P) / P)
  template <class V>
  [[gnu::always_inline]] LogarithmicTerm<V> logarithmic(const V& a, const V& b) const {
    using Real = Element<V>;
    const Real trust = static_cast<Real>(1 - lapse);
    const Real guess = static_cast<Real>(0.5 * lapse);
    const V e = exp_of_nonpositive(V(-absolute(V(a - b))));
    const V larger = 1 / (e + 1);
    const V smaller = e * larger;
    const V p = select(a > b, smaller, larger);
    const V q = select(a > b, larger, smaller);
    const V inverse = 1 / (p * trust + guess);
    const V slope = p * q * inverse * trust;
    return {V{}, (q * trust + guess) * inverse, slope, -slope};
  }
};

/// max(0, h) with h = 1 + a - b. `smoothing` > 0 rounds its corner: h^2 / (2 smoothing) where 0 < h < smoothing, and
/// h - smoothing / 2 above.
template <bool smooth>
struct HingeForm {
  double smoothing = 0;

  template <class V>
  [[gnu::always_inline]] LossTerm<V> operator()(const V& a, const V& b) const {
    const V all = a - b + 1;
    const V h = select(all < 0, V{}, all);
    if constexpr (smooth) {
      const auto width = static_cast<Element<V>>(smoothing);
      const V round = select(h > width, splat<V>(width), h);
      const V slope = round / width;
      return {slope * (h - round * Element<V>(0.5)), slope, -slope};
    }
    const V slope = select(all > 0, splat<V>(1), V{});
    return {h, slope, -slope};
  }
};

/// ln(2 mu + a + b) - ln(mu + b)
struct CrowdKernelForm {
  double mu = 1;

  static constexpr bool kHasLinear = false;

  template <class V>
  [[gnu::always_inline]] LossTerm<V> operator()(const V& a, const V& b) const {
    const LogarithmicTerm<V> term = logarithmic(a, b);
    return {log1p_of_nonnegative(term.ratio), term.d_near, term.d_far};
  }

  template <class V>
  [[gnu::always_inline]] LogarithmicTerm<V> logarithmic(const V& a, const V& b) const {
    const auto m = static_cast<Element<V>>(mu);
    const V near_k = a + m;
    const V far_k = b + m;
    const V odds = near_k / far_k;
    const V slope = 1 / (near_k + far_k);
    return {V{}, odds, slope, -(odds * slope)};
  }
};

/// max(0, margin + sqrt(a) - sqrt(b))^2; the slope at distance 0 is set to 0.
struct DistanceHingeForm {
  double margin = 1;

  template <class V>
  [[gnu::always_inline]] LossTerm<V> operator()(const V& a, const V& b) const {
    const auto near = roots_of_nonnegative(a);
    const auto far = roots_of_nonnegative(b);
    const V all = near.root - far.root + static_cast<Element<V>>(margin);
    const V h = select(all < 0, V{}, all);
    return {h * h, h * near.inverse, -(h * far.inverse)};
  }
};

/// Stochastic triplet embedding: f = -ln sigma(b - a). A `lapse_rate` in [0, 1) is the rate of guessed answers:
/// f = -ln((1 - lapse) sigma(b - a) + lapse / 2) stays below -ln(lapse / 2), which makes it robust to wrong answers.
struct SteLoss {
  static constexpr std::string_view kName = "ste";
  double lapse_rate = 0;

  template <Scalar Real>
  [[nodiscard]] LossTerm<Real> operator()(Real a, Real b) const {
    if (lapse_rate > 0) return LapseForm{lapse_rate}(a, b);
    return RatioForm<Tail::exponential, Cap::t1>{}(a, b);
  }
};

/// Generalised non-metric multidimensional scaling, low rank: f = max(0, 1 + a - b), a hinge on *squared* distances.
/// Its corner is rounded over a width of `smoothing` >= 0 (0: the plain hinge, which stalls quasi-Newton solvers).
struct GnmdsLoss {
  static constexpr std::string_view kName = "gnmds";
  double smoothing = 0;

  template <Scalar Real>
  [[nodiscard]] LossTerm<Real> operator()(Real a, Real b) const {
    if (smoothing > 0) return HingeForm<true>{smoothing}(a, b);
    return HingeForm<false>{}(a, b);
  }
};

/// Crowd kernel learning: f = -ln p with p = (mu + b) / (2 mu + a + b), mu > 0.
struct CklLoss {
  static constexpr std::string_view kName = "ckl";
  double mu = 0.05;

  template <Scalar Real>
  [[nodiscard]] LossTerm<Real> operator()(Real a, Real b) const {
    return CrowdKernelForm{mu}(a, b);
  }
};

/// Soft ordinal embedding: f = max(0, margin + sqrt(a) - sqrt(b))^2. margin > 0 sets only the scale.
struct SoeLoss {
  static constexpr std::string_view kName = "soe";
  double margin = 1;

  template <Scalar Real>
  [[nodiscard]] LossTerm<Real> operator()(Real a, Real b) const {
    return DistanceHingeForm{margin}(a, b);
  }
};

/// STE with a Student kernel of `alpha` > 0 degrees of freedom: q(s) = (1 + s/alpha)^{-(alpha+1)/2}.
struct TSteLoss {
  static constexpr std::string_view kName = "tste";
  double alpha = 1;

  template <Scalar Real>
  [[nodiscard]] LossTerm<Real> operator()(Real a, Real b) const {
    if (alpha == 1) return RatioForm<Tail::cauchy, Cap::t1>{}(a, b);
    return RatioForm<Tail::power, Cap::t1>{1 / alpha, (alpha + 1) / 2, 0}(a, b);
  }
};

/// t-exponential triplet embedding: f = log_t(1 + q(b)/q(a)), q(s) = exp_{t'}(-s), t >= 1, 1 <= t' <= 2.
/// f < 1/(t-1) for t > 1. ETE(1,1) is STE, ETE(1,2) is t-STE(1).
struct EteLoss {
  static constexpr std::string_view kName = "ete";
  double t = 2;
  double t_prime = 2;

  template <Scalar Real>
  [[nodiscard]] LossTerm<Real> operator()(Real a, Real b) const {
    if (t_prime == 2) return capped<Tail::cauchy>(a, b);
    if (t_prime == 1) return capped<Tail::exponential>(a, b);
    return capped<Tail::power>(a, b);
  }

  template <Tail tail, Cap cap>
  [[nodiscard]] RatioForm<tail, cap> form() const {
    if constexpr (tail == Tail::power) return {t_prime - 1, 1 / (t_prime - 1), t - 1};
    return {1, 1, t - 1};
  }

 private:
  template <Tail tail, Scalar Real>
  [[nodiscard]] LossTerm<Real> capped(Real a, Real b) const {
    if (t == 2) return form<tail, Cap::t2>()(a, b);
    if (t == 1) return form<tail, Cap::t1>()(a, b);
    if (t == 3) return form<tail, Cap::t3>()(a, b);
    return form<tail, Cap::any>()(a, b);
  }
};

/// Every loss that the kernels support. Add a new one here, in `with_form`, and in `require_valid`.
using TripletLoss = std::variant<SteLoss, TSteLoss, EteLoss, GnmdsLoss, CklLoss, SoeLoss>;

namespace detail {

template <Tail tail, class F>
decltype(auto) with_cap(const EteLoss& loss, F&& f) {
  if (loss.t == 2) return f(loss.form<tail, Cap::t2>());
  if (loss.t == 1) return f(loss.form<tail, Cap::t1>());
  if (loss.t == 3) return f(loss.form<tail, Cap::t3>());
  return f(loss.form<tail, Cap::any>());
}

}  // namespace detail

/// Calls `f(form)` with the closed form of `loss`: an object whose operator()(V a, V b) returns LossTerm<V>
/// for scalars and vectors, without a branch on the loss's parameters. For loops over many triplets.
template <class F>
decltype(auto) with_form(const SteLoss& loss, F&& f) {
  if (loss.lapse_rate > 0) return f(LapseForm{loss.lapse_rate});
  return f(RatioForm<Tail::exponential, Cap::t1>{});
}
template <class F>
decltype(auto) with_form(const GnmdsLoss& loss, F&& f) {
  if (loss.smoothing > 0) return f(HingeForm<true>{loss.smoothing});
  return f(HingeForm<false>{});
}
template <class F>
decltype(auto) with_form(const CklLoss& loss, F&& f) {
  return f(CrowdKernelForm{loss.mu});
}
template <class F>
decltype(auto) with_form(const SoeLoss& loss, F&& f) {
  return f(DistanceHingeForm{loss.margin});
}
template <class F>
decltype(auto) with_form(const TSteLoss& loss, F&& f) {
  if (loss.alpha == 1) return f(RatioForm<Tail::cauchy, Cap::t1>{});
  return f(RatioForm<Tail::power, Cap::t1>{1 / loss.alpha, (loss.alpha + 1) / 2, 0});
}
template <class F>
decltype(auto) with_form(const EteLoss& loss, F&& f) {
  if (loss.t_prime == 2) return detail::with_cap<Tail::cauchy>(loss, f);
  if (loss.t_prime == 1) return detail::with_cap<Tail::exponential>(loss, f);
  return detail::with_cap<Tail::power>(loss, f);
}
template <class F>
decltype(auto) with_form(const TripletLoss& loss, F&& f) {
  return std::visit([&](const auto& one) -> decltype(auto) { return with_form(one, f); }, loss);
}

/// Whether the loss is -ln P(answer), where an answer and its reverse have probabilities that add up to 1.
[[nodiscard]] bool is_likelihood(const TripletLoss& loss);

/// @throws ConfigError naming the parameter, its range and its value.
void require_valid(const TripletLoss& loss);

/// "ete(t=2, t_prime=2)".
[[nodiscard]] std::string describe(const TripletLoss& loss);

}  // namespace alidade::triplet

#pragma GCC diagnostic pop
