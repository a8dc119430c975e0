#include "problems/triplet_sums/log_product.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace log_product_test {
namespace {

using namespace alidade;
using namespace alidade::triplet;

/// The sum by the class, of lanes that all hold the same numbers.
template <class V>
double summed(const std::vector<double>& numbers) {
  LogProduct<V> product;
  for (const double x : numbers) product.add(splat<V>(static_cast<Element<V>>(x)));
  return sum_lanes(product.sum()) / kLanes<V>;
}

/// One logarithm after another, of the same rounded numbers.
template <class V>
double plain(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += std::log1p(static_cast<double>(static_cast<Element<V>>(x)));
  return sum;
}

TEST_CASE_TEMPLATE("sums of logarithms as products are those one by one", V, Vec<double, 16>, Vec<float, 16>) {
  constexpr bool is_double = std::is_same_v<Element<V>, double>;
  constexpr double kTolerance = is_double ? 2e-14 : 5e-6;
  std::mt19937_64 random(5);
  for (const std::size_t count : {0, 1, 2, 31, 32, 33, 500})
    for (const double highest : {-12.0, -3.0, 0.0, 1.0, 9.0, 36.0}) {  // the last do not fit a product
      CAPTURE(count);
      CAPTURE(highest);
      std::uniform_real_distribution<double> exponent(highest - 12, highest);
      std::vector<double> numbers;
      for (std::size_t k = 0; k < count; ++k) numbers.push_back(std::pow(10, exponent(random)));
      const double expected = plain<V>(numbers);
      CHECK(std::abs(summed<V>(numbers) - expected) <= kTolerance * expected);
    }
  const double large = is_double ? 1e299 : 1e36;
  CHECK(summed<V>({large, 0, large}) == doctest::Approx(2 * std::log(large)).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("what is not finite stays so in its lane, others are not touched", V, Vec<double, 16>,
                   Vec<float, 16>) {
  using Real = Element<V>;
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const int place : {0, 5, 31, 32, 40}) {
    LogProduct<V> product;
    for (int k = 0; k < 41; ++k) {
      V x = splat<V>(Real(0.5));
      if (k == place) x[0] = infinity;
      if (k == place / 2) x[1] = nan;
      product.add(x);
    }
    const V sum = product.sum();
    CHECK(sum[0] == infinity);
    CHECK(std::isnan(sum[1]));
    if constexpr (kLanes < V >> 2)
      CHECK(static_cast<double>(sum[2]) == doctest::Approx(41 * std::log(1.5)).epsilon(1e-6));
  }
  LogProduct<V> after;  // an infinite factor and a factor of 1: not 0 times infinity
  after.add(splat<V>(infinity));
  after.add(V{});
  CHECK(after.sum()[0] == infinity);
}

}  // namespace
}  // namespace log_product_test
