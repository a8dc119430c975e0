// Sums of many logarithms ln(1 + x), x >= 0, in each lane, as logarithms of products: one logarithm for 32 numbers.
// It keeps the product minus one, so that sums of tiny numbers have full relative accuracy.
// Error from rounding in the product: at most 32 x 2 half units in the last place, relative.
#pragma once

#include <cstddef>
#include <type_traits>

#include "problems/core/vector_math.hpp"

namespace alidade::triplet {

template <Vectorized V>
class LogProduct {
 public:
  /// Adds ln(1 + x). Infinity and NaN make the sum infinite or NaN.
  [[gnu::always_inline]] void add(const V& x) {
    store<V>(kept_ + count_ * kLanes<V>, x);
    rest_ += x * (rest_ + 1);
    if (++count_ == kMost) fold();
  }

  /// The sum of all added terms.
  [[gnu::always_inline, nodiscard]] V sum() {
    if (count_ > 0) fold();
    return sum_;
  }

 private:
  using Real = Element<V>;
  static constexpr std::size_t kMost = 32;
  static constexpr Real kLimit = std::is_same_v<Real, double> ? Real(1e300) : Real(1e37);

  [[gnu::always_inline]] void fold() {
    bool fits = true;
    for (int lane = 0; lane < kLanes<V>; ++lane) fits &= rest_[lane] < kLimit;  // not NaN either
    if (fits) {
      sum_ += log1p_of_nonnegative(rest_);
    } else {
      for (std::size_t k = 0; k < count_; ++k) sum_ += log1p_of_nonnegative(load<V>(kept_ + k * kLanes<V>));
    }
    rest_ = V{};
    count_ = 0;
  }

  V sum_{};
  V rest_{};  // the product of 1 + x since the last logarithm, minus 1
  std::size_t count_ = 0;
  alignas(64) Real kept_[kMost * kLanes<V>];  // those x, for products that do not fit
};

}  // namespace alidade::triplet
