#include "problems/core/vector_math.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace vector_math_test {

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace {

using namespace alidade;

/// In units of the last place of the exact result, which comes from long double.
template <class Real>
double ulp_error(Real got, long double exact) {
  const auto rounded = std::abs(static_cast<Real>(exact));
  const Real next = std::nextafter(rounded, std::numeric_limits<Real>::infinity());
  const long double gap = static_cast<long double>(next) - static_cast<long double>(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / gap);
}

/// Both signs of the exponent, evenly over magnitudes, and around points where the reduction changes.
template <class Real>
std::vector<Real> magnitudes(double lowest, double highest) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(std::log(lowest), std::log(highest));
  std::vector<Real> out;
  for (int k = 0; k < 200'000; ++k) out.push_back(static_cast<Real>(std::exp(exponent(random))));
  const double half_log = std::log(2.0) / 2;
  for (int k = 0; k < 100; ++k) {
    out.push_back(static_cast<Real>(half_log * k * (1 + 1e-15)));
    out.push_back(static_cast<Real>(half_log * k * (1 - 1e-15)));
    out.push_back(static_cast<Real>(std::ldexp(std::sqrt(2.0), k % 30) - 1));
    out.push_back(static_cast<Real>(std::ldexp(1.0, k % 30) - 1));
  }
  std::erase_if(out, [&](Real x) { return static_cast<double>(x) > highest; });
  out.resize(out.size() / 16 * 16);
  return out;
}

template <class Real, int bytes>
void check_accuracy() {
  using V = Vec<Real, bytes>;
  constexpr bool is_double = std::is_same_v<Real, double>;
  double worst_exp = 0;
  double worst_expm1 = 0;
  const std::vector<Real> small = magnitudes<Real>(1e-30, is_double ? 689 : 79);
  for (std::size_t k = 0; k < small.size(); k += kLanes<V>) {
    const ExpPair<V> got = exp_pair_of_nonpositive(V(-load<V>(small.data() + k)));
    for (int lane = 0; lane < kLanes<V>; ++lane) {
      const long double x = -static_cast<long double>(small[k + static_cast<std::size_t>(lane)]);
      worst_exp = std::max(worst_exp, ulp_error<Real>(got.exp[lane], std::exp(x)));
      worst_expm1 = std::max(worst_expm1, ulp_error<Real>(got.expm1[lane], std::expm1(x)));
    }
  }
  CHECK(worst_exp < 2);
  CHECK(worst_expm1 < 2);
  double worst_log = 0;
  const std::vector<Real> any = magnitudes<Real>(1e-30, is_double ? 1e308 : 3e38);
  for (std::size_t k = 0; k < any.size(); k += kLanes<V>) {
    const V got = log1p_of_nonnegative(load<V>(any.data() + k));
    for (int lane = 0; lane < kLanes<V>; ++lane)
      worst_log = std::max(
          worst_log,
          ulp_error<Real>(got[lane], std::log1p(static_cast<long double>(any[k + static_cast<std::size_t>(lane)]))));
  }
  CHECK(worst_log < 2);
  double worst_pair = 0;
  double worst_reciprocal = 0;
  const std::vector<Real> below = magnitudes<Real>(1e-30, is_double ? 1e307 : 4e37);
  for (std::size_t k = 0; k < below.size(); k += kLanes<V>) {
    const Log1pPair<V> got = log1p_pair_of_nonnegative(load<V>(below.data() + k));
    for (int lane = 0; lane < kLanes<V>; ++lane) {
      const auto x = static_cast<long double>(below[k + static_cast<std::size_t>(lane)]);
      worst_pair = std::max(worst_pair, ulp_error<Real>(got.log1p[lane], std::log1p(x)));
      worst_reciprocal = std::max(worst_reciprocal, ulp_error<Real>(got.reciprocal[lane], 1 / (1 + x)));
    }
  }
  CHECK(worst_pair < 3);
  CHECK(worst_reciprocal < 3);
  double worst_root = 0;
  double worst_inverse = 0;
  const std::vector<Real> sizes = magnitudes<Real>(is_double ? 1e-299 : 2e-36, is_double ? 1e300 : 1e37);
  for (std::size_t k = 0; k < sizes.size(); k += kLanes<V>) {
    const RootPair<V> got = roots_of_nonnegative(load<V>(sizes.data() + k));
    for (int lane = 0; lane < kLanes<V>; ++lane) {
      const long double root = std::sqrt(static_cast<long double>(sizes[k + static_cast<std::size_t>(lane)]));
      worst_root = std::max(worst_root, ulp_error<Real>(got.root[lane], root));
      worst_inverse = std::max(worst_inverse, ulp_error<Real>(got.inverse[lane], 1 / root));
    }
  }
  CHECK(worst_root < 2);
  CHECK(worst_inverse < 3);
}

TEST_CASE("vector exp, expm1 and log1p are within 2 ulp, double and float, two widths") {
  check_accuracy<double, 16>();
  check_accuracy<double, 32>();
  check_accuracy<float, 16>();
  check_accuracy<float, 32>();
}

template <class Real>
void check_limits() {
  using V = Vec<Real, 16>;
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const auto exp_of = [](Real x) {
    const ExpPair<V> out = exp_pair_of_nonpositive(splat<V>(x));
    return std::pair<Real, Real>{out.exp[0], out.expm1[0]};
  };
  const auto roots_of = [](Real x) {
    const RootPair<V> out = roots_of_nonnegative(splat<V>(x));
    return std::pair<Real, Real>{out.root[0], out.inverse[0]};
  };
  CHECK(roots_of(0) == std::pair<Real, Real>{0, 0});
  CHECK(roots_of(std::numeric_limits<Real>::denorm_min()) == std::pair<Real, Real>{0, 0});
  CHECK(roots_of(4).first == 2);
  CHECK(std::isnan(roots_of(nan).first));
  CHECK(std::isnan(roots_of(nan).second));
  const auto log_of = [](Real x) { return log1p_of_nonnegative(splat<V>(x))[0]; };
  CHECK(exp_of(0) == std::pair<Real, Real>{1, 0});
  CHECK(exp_of(-infinity) == std::pair<Real, Real>{0, -1});
  CHECK(exp_of(-1e4F) == std::pair<Real, Real>{0, -1});
  CHECK(std::isnan(exp_of(nan).first));
  CHECK(std::isnan(exp_of(nan).second));
  CHECK(log_of(0) == 0);
  CHECK(log_of(infinity) == infinity);
  CHECK(std::isnan(log_of(nan)));
  CHECK(log_of(std::numeric_limits<Real>::max()) ==
        doctest::Approx(std::log(std::numeric_limits<Real>::max())).epsilon(1e-7));
  CHECK(log_of(std::numeric_limits<Real>::denorm_min()) == std::numeric_limits<Real>::denorm_min());
}

TEST_CASE("vector exp and log1p have the right limits and propagate NaN") {
  check_limits<double>();
  check_limits<float>();
}

TEST_CASE("halves, joins and sums see the lanes in order") {
  using V = Vec<float, 32>;
  V v{};
  for (int lane = 0; lane < 8; ++lane) v[lane] = static_cast<float>(lane);
  CHECK(low_half(v)[3] == 3);
  CHECK(high_half(v)[0] == 4);
  const auto back = join(low_half(v), high_half(v));
  for (int lane = 0; lane < 8; ++lane) CHECK(back[lane] == v[lane]);
  CHECK(sum_lanes(v) == 28);
  CHECK(splat<V>(2.5F)[7] == 2.5F);
  CHECK(absolute(V(-v))[5] == 5);
  CHECK(select(V(-v) < -3, v, splat<V>(9))[3] == 9);
}

}  // namespace
}  // namespace vector_math_test
