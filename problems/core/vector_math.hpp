// Short vectors of one instruction set, and the few elementary functions that loops over them need.
// The same names exist for scalars, so that one formula works for scalars and for vectors of any width.
// Vector forms are not libm: the error is at most 2 ulp on the stated domain, and tiny results (see there) are 0.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "problems/core/instruction_set.hpp"

namespace alidade {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // no vector ever crosses a call: everything is inlined

template <class Real, int bytes>
struct VectorOf {
  typedef Real type __attribute__((vector_size(bytes)));
};
/// A vector of `bytes / sizeof(Real)` numbers, aligned to its size; arithmetic, comparison and ?: work
/// elementwise (a GCC vector extension).
template <class Real, int bytes>
using Vec = typename VectorOf<Real, bytes>::type;

template <class V>
concept Scalar = std::is_floating_point_v<V>;
template <class V>
concept Vectorized = !Scalar<V> && requires(V v) {
  v[0] + v[0];
};

template <class V>
struct ElementOf {
  using type = std::remove_cvref_t<decltype(V{}[0])>;
};
template <Scalar V>
struct ElementOf<V> {
  using type = V;
};
/// double for double and for vectors of double.
template <class V>
using Element = typename ElementOf<V>::type;

template <Vectorized V>
constexpr int kLanes = static_cast<int>(sizeof(V) / sizeof(Element<V>));

/// Load from and store to any address; sizeof(V) bytes.
template <class V>
[[gnu::always_inline, nodiscard]] inline V load(const Element<V>* from) {
  V out;
  std::memcpy(&out, from, sizeof(V));
  return out;
}
template <class V>
[[gnu::always_inline]] inline void store(Element<V>* to, const V& value) {
  std::memcpy(to, &value, sizeof(V));
}

/// Sums in double, from the first lane to the last.
template <Vectorized V>
[[gnu::always_inline, nodiscard]] inline double sum_lanes(const V& v) {
  double sum = 0;
  for (int lane = 0; lane < kLanes<V>; ++lane) sum += static_cast<double>(v[lane]);
  return sum;
}

namespace detail {
template <class Places, class V, std::size_t... lane>
[[gnu::always_inline, nodiscard]] inline auto arrange(const V& a, const V& b, std::index_sequence<lane...>) {
  return __builtin_shufflevector(a, b, Places::of(static_cast<int>(lane), kLanes<V>)...);
}
template <int offset>
struct From {
  static constexpr int of(int lane, int) { return lane + offset; }
};
}  // namespace detail

/// Lane l of the result is lane Places::of(l, kLanes<V>) of a followed by b.
template <class Places, Vectorized V>
[[gnu::always_inline, nodiscard]] inline V arrange(const V& a, const V& b) {
  return detail::arrange<Places>(a, b, std::make_index_sequence<std::size_t{kLanes<V>}>{});
}

template <Vectorized V>
using Half = Vec<Element<V>, static_cast<int>(sizeof(V) / 2)>;
/// The first and the second half of the lanes, and their concatenation.
template <Vectorized V>
[[gnu::always_inline, nodiscard]] inline Half<V> low_half(const V& v) {
  return detail::arrange<detail::From<0>>(v, v, std::make_index_sequence<std::size_t{kLanes<V>} / 2>{});
}
template <Vectorized V>
[[gnu::always_inline, nodiscard]] inline Half<V> high_half(const V& v) {
  return detail::arrange<detail::From<kLanes<V> / 2>>(v, v, std::make_index_sequence<std::size_t{kLanes<V>} / 2>{});
}
template <Vectorized V>
[[gnu::always_inline, nodiscard]] inline Vec<Element<V>, 2 * static_cast<int>(sizeof(V))> join(const V& low,
                                                                                               const V& high) {
  return detail::arrange<detail::From<0>>(low, high, std::make_index_sequence<std::size_t{kLanes<V>} * 2>{});
}

/// All entries equal to `x`.
template <class V>
[[gnu::always_inline, nodiscard]] inline V splat(Element<V> x) {
  if constexpr (Scalar<V>) {
    return x;
  } else {
    return x - V{};
  }
}

template <Scalar V>
[[gnu::always_inline, nodiscard]] inline V select(bool mask, const V& x, const V& y) {
  return mask ? x : y;
}
/// mask ? x : y, entry by entry; a comparison of two V gives the mask.
template <class Mask, Vectorized V>
[[gnu::always_inline, nodiscard]] inline V select(const Mask& mask, const V& x, const V& y) {
  return mask ? x : y;
}

template <Scalar V>
[[gnu::always_inline, nodiscard]] inline V absolute(const V& x) {
  return std::abs(x);
}
template <Vectorized V>
[[gnu::always_inline, nodiscard]] inline V absolute(const V& x) {
  return x < 0 ? -x : x;
}

/// e^x and e^x - 1 from one evaluation.
template <class V>
struct ExpPair {
  V exp, expm1;
};

template <Scalar V>
[[gnu::always_inline, nodiscard]] inline ExpPair<V> exp_pair_of_nonpositive(const V& x) {
  return {std::exp(x), std::expm1(x)};
}

/// e^x and e^x - 1, both to full relative accuracy, for x <= 0 (including -infinity and NaN). e^x is 0 below 1e-299
/// (float: 2e-35). That is well above the denormal numbers, whose arithmetic is slow, so products with it avoid them
/// too.
template <Vectorized V>
[[gnu::always_inline, nodiscard]] inline ExpPair<V> exp_pair_of_nonpositive(const V& x) {
  using Real = Element<V>;
  constexpr bool is_double = std::is_same_v<Real, double>;
  static_assert(is_double || std::is_same_v<Real, float>);
  using Bits = std::conditional_t<is_double, std::uint64_t, std::uint32_t>;
  using B = Vec<Bits, int{sizeof(V)}>;
  constexpr int kMantissaBits = is_double ? 52 : 23;
  // Adding 1.5 2^52 + 1023 rounds to an integer and leaves that integer's biased exponent in the low bits.
  constexpr Real kRound = is_double ? Real(6755399441055744.0) : Real(12582912.0);
  constexpr Real kBias = is_double ? Real(1023) : Real(127);
  constexpr Real kLog2E = Real(1.4426950408889634);
  constexpr Real kLn2High = is_double ? Real(0x1.62e42fee00000p-1) : Real(0.693145751953125);
  constexpr Real kLn2Low = is_double ? Real(1.9082149292705877e-10) : Real(1.4286068203094173e-06);
  constexpr Real kLowest = is_double ? Real(-690) : Real(-80);

  const V clamped = x < kLowest ? splat<V>(kLowest) : x;
  const V rounded = clamped * kLog2E + (kRound + kBias);
  const V k = rounded - (kRound + kBias);
  const V r = (clamped - k * kLn2High) - k * kLn2Low;
  // Near-minimax (e^r - 1 - r) / r^2 on |r| <= ln(2)/2; absolute error times r^2: 1.3e-17, 7.8e-9.
  V tail;
  if constexpr (is_double) {
    const V r2 = r * r;
    const V r4 = r2 * r2;
    const V p01 = r * 0.16666666666666669 + 0.5000000000000001;
    const V p23 = r * 0.008333333333330062 + 0.04166666666662413;
    const V p45 = r * 0.00019841269863053618 + 0.0013888888917213717;
    const V p67 = r * 2.7557268459997064e-06 + 2.4801521295954376e-05;
    const V p89 = r * 2.510038549551032e-08 + 2.7620088445409746e-07;
    tail = (p89 * r4 + (p67 * r2 + p45)) * r4 + (p23 * r2 + p01);
  } else {
    tail = splat<V>(0.0013926183587713494f);
    tail = tail * r + 0.008363179052722578f;
    tail = tail * r + 0.041666554617204574f;
    tail = tail * r + 0.16666576989698775f;
    tail = tail * r + 0.5f;
  }
  const V expm1_r = r * r * tail + r;
  const V scale = reinterpret_cast<V>(reinterpret_cast<B>(rounded) << kMantissaBits);
  const V expm1 = scale * expm1_r + (scale - 1);
  const V exp = scale * expm1_r + scale;
  return {x < kLowest ? V{} : exp, x < kLowest ? splat<V>(Real(-1)) : expm1};
}

/// e^x for x <= 0.
template <class V>
[[gnu::always_inline, nodiscard]] inline V exp_of_nonpositive(const V& x) {
  if constexpr (Scalar<V>) {
    return std::exp(x);
  } else {
    return exp_pair_of_nonpositive(x).exp;
  }
}

template <Scalar V>
[[gnu::always_inline, nodiscard]] inline V log1p_of_nonnegative(const V& x) {
  return std::log1p(x);
}

/// ln(1 + x) and 1 / (1 + x) from one evaluation.
template <class V>
struct Log1pPair {
  V log1p, reciprocal;
};

namespace detail {
template <bool with_reciprocal, Vectorized V>
[[gnu::always_inline, nodiscard]] inline Log1pPair<V> log1p_pair(const V& x) {
  using Real = Element<V>;
  constexpr bool is_double = std::is_same_v<Real, double>;
  static_assert(is_double || std::is_same_v<Real, float>);
  using Bits = std::conditional_t<is_double, std::uint64_t, std::uint32_t>;
  using B = Vec<Bits, int{sizeof(V)}>;
  constexpr int kMantissaBits = is_double ? 52 : 23;
  constexpr Bits kOne = is_double ? Bits(0x3ff0000000000000) : Bits(0x3f800000);
  constexpr Bits kRootHalf = is_double ? Bits(0x3fe6a09e667f3bcd) : Bits(0x3f3504f3);
  constexpr Bits kFraction = (Bits(1) << kMantissaBits) - 1;
  constexpr Real kLn2High = is_double ? Real(0x1.62e42fee00000p-1) : Real(0.693145751953125);
  constexpr Real kLn2Low = is_double ? Real(1.9082149292705877e-10) : Real(1.4286068203094173e-06);

  const V u = x + 1;
  const V lost = x - (u - 1);  // u + lost = 1 + x exactly, below 2^53 (2^24)
  // u = 2^e m with m in [sqrt(1/2), sqrt(2)); the offset makes the exponent field step at sqrt(2).
  const B shifted = reinterpret_cast<B>(u) + (kOne - kRootHalf);
  const B e_bits = (shifted >> kMantissaBits) - (kOne >> kMantissaBits);
  const V m = reinterpret_cast<V>((shifted & kFraction) + kRootHalf);
  const V down = reinterpret_cast<V>(kOne - (e_bits << kMantissaBits));  // 2^-e
  V e;
  if constexpr (is_double) {
    // 2^52 + 2^51 + e as bits, so that no 64-bit conversion is needed (SSE2 and AVX2 have none).
    e = reinterpret_cast<V>(e_bits + Bits(0x4338000000000000)) - 6755399441055744.0;
  } else {
    e = __builtin_convertvector(reinterpret_cast<Vec<std::int32_t, int{sizeof(V)}>>(e_bits), V);
  }
  // Beyond this, what is lost is negligible, and 2^-e may not exist.
  const V f = (m - 1) + (x < Real(1e17) ? lost * down : V{});
  // Squares of tiny numbers are negligible; as denormal numbers they would be slow.
  const V square_f = x > (is_double ? Real(1e-100) : Real(1e-15)) ? f : V{};
  V s, reciprocal{};
  if constexpr (with_reciprocal) {  // two quotients by one division
    const V plus_two = square_f + 2;
    const V inverse = 1 / (m * plus_two);
    s = square_f * m * inverse;
    reciprocal = plus_two * inverse * down;
  } else {
    s = square_f / (square_f + 2);
  }
  const V z = s * s;
  // Near-minimax (ln((1+s)/(1-s)) - 2s) / s^3 as a function of z = s^2 <= 0.0295.
  V series;
  if constexpr (is_double) {
    const V z2 = z * z;
    const V p01 = z * 0.39999999999899444 + 0.666666666666667;
    const V p23 = z * 0.22222211130259878 + 0.2857142862600327;
    const V p45 = z * 0.15331710618210773 + 0.18182889455674947;
    series = ((z2 * 0.14616585424888623 + p45) * z2 + p23) * z2 + p01;
  } else {
    series = splat<V>(0.23330581938241893f);
    series = series * z + 0.2855081659971155f;
    series = series * z + 0.40000121876972f;
    series = series * z + 0.6666666655445165f;
  }
  const V half_square = square_f * square_f * Real(0.5);
  const V log_m_tail = half_square - (s * (half_square + series * z) + e * kLn2Low);
  const V result = e * kLn2High - (log_m_tail - f);
  constexpr Real kInfinity = static_cast<Real>(__builtin_inf());
  return {x < kInfinity ? result : x, reciprocal};
}
}  // namespace detail

/// ln(1 + x) for x >= 0 (infinity and NaN included).
template <Vectorized V>
[[gnu::always_inline, nodiscard]] inline V log1p_of_nonnegative(const V& x) {
  return detail::log1p_pair<false>(x).log1p;
}

template <Scalar V>
[[gnu::always_inline, nodiscard]] inline Log1pPair<V> log1p_pair_of_nonnegative(const V& x) {
  return {std::log1p(x), 1 / (1 + x)};
}

/// ln(1 + x) and 1 / (1 + x) for 0 <= x < 2^1020 (float: 2^125), each within 3 ulp.
template <Vectorized V>
[[gnu::always_inline, nodiscard]] inline Log1pPair<V> log1p_pair_of_nonnegative(const V& x) {
  return detail::log1p_pair<true>(x);
}

/// A square root and its inverse.
template <class V>
struct RootPair {
  V root, inverse;
};

/// sqrt(x) and 1 / sqrt(x) for x >= 0 (NaN included; infinity is not): 0 and 0 for x below 1e-300 (float: 1e-36).
template <class V>
[[gnu::always_inline, nodiscard]] inline RootPair<V> roots_of_nonnegative(const V& x) {
  using Real = Element<V>;
  constexpr bool is_double = std::is_same_v<Real, double>;
  static_assert(is_double || std::is_same_v<Real, float>);
  constexpr Real kLeast = is_double ? Real(1e-300) : Real(1e-36);
  if constexpr (Scalar<V>) {
    const V root = x < kLeast ? V{} : std::sqrt(x);
    return {root, x < kLeast ? V{} : 1 / root};
  } else {
    using Bits = std::conditional_t<is_double, std::uint64_t, std::uint32_t>;
    using B = Vec<Bits, int{sizeof(V)}>;
    // Halving the exponent by a shift gives 1 / sqrt(x) within 3.5 %; a Newton step maps that error e to 3/2 e^2.
    constexpr Bits kGuess = is_double ? Bits(0x5fe6eb50c7b537a9) : Bits(0x5f375a86);
    V inverse = reinterpret_cast<V>(kGuess - (reinterpret_cast<B>(x) >> 1));
    const V half = x * Real(0.5);
    for (int step = 0; step < (is_double ? 4 : 3); ++step) inverse = inverse * (Real(1.5) - half * inverse * inverse);
    const V rough = x * inverse;
    const V root = rough + inverse * Real(0.5) * (x - rough * rough);
    return {x < kLeast ? V{} : root, x < kLeast ? V{} : inverse};
  }
}

#pragma GCC diagnostic pop

}  // namespace alidade
