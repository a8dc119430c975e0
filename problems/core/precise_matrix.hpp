// Dense matrices of numbers with twice the digits of a double: unevaluated sums of two doubles, Dekker 1971, "A
// floating-point technique for extending the available precision"; relative errors of about 1e-31.
// For proofs, and for the end of solves whose matrices are singular but for rounding. Eigen's products are slow.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "problems/core/index.hpp"

namespace alidade {

struct DoubleDouble {
  double high = 0, low = 0;  // |low| is at most half a unit in the last place of high
  DoubleDouble() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> DoubleDouble(Number x) : high(static_cast<double>(x)) {}
  DoubleDouble(double h, double l) : high(h), low(l) {}
  explicit operator double() const { return high; }

  DoubleDouble& operator+=(DoubleDouble other) { return *this = *this + other; }
  DoubleDouble& operator-=(DoubleDouble other) { return *this = *this - other; }
  DoubleDouble& operator*=(DoubleDouble other) { return *this = *this * other; }
  DoubleDouble& operator/=(DoubleDouble other) { return *this = *this / other; }
  friend DoubleDouble operator+(DoubleDouble a, DoubleDouble b);
  friend DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }
  friend DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
  friend DoubleDouble operator*(DoubleDouble a, DoubleDouble b);
  friend DoubleDouble operator/(DoubleDouble a, DoubleDouble b);
  friend bool operator<(DoubleDouble a, DoubleDouble b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  friend bool operator>(DoubleDouble a, DoubleDouble b) { return b < a; }
  friend bool operator==(DoubleDouble a, DoubleDouble b) = default;
};
[[nodiscard]] DoubleDouble sqrt(DoubleDouble a);
[[nodiscard]] inline DoubleDouble abs(DoubleDouble a) { return a.high < 0 ? -a : a; }

}  // namespace alidade

template <>
struct Eigen::NumTraits<alidade::DoubleDouble> : Eigen::GenericNumTraits<alidade::DoubleDouble> {
  using Real = alidade::DoubleDouble;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 20,
    MulCost = 10
  };
  static Real epsilon() { return 0x1p-104; }
  static Real dummy_precision() { return 1e-28; }
  static Real highest() { return std::numeric_limits<double>::max(); }
  static Real lowest() { return std::numeric_limits<double>::lowest(); }
  static int digits10() { return 31; }
};

namespace alidade {

using PreciseMatrix = Eigen::Matrix<DoubleDouble, Eigen::Dynamic, Eigen::Dynamic>;
using PreciseVector = Eigen::Matrix<DoubleDouble, Eigen::Dynamic, 1>;

/// A B, by vector instructions. O(m n k).
[[nodiscard]] PreciseMatrix product(const Eigen::Ref<const PreciseMatrix>& a, const Eigen::Ref<const PreciseMatrix>& b);
/// C += sign A B; of square C only what is on and below the diagonal, if `lower`.
void add_product(Eigen::Ref<PreciseMatrix> c, const Eigen::Ref<const PreciseMatrix>& a,
                 const Eigen::Ref<const PreciseMatrix>& b, double sign = 1, bool lower = false);
/// As those of doubles in problems/core/decompositions/cholesky.hpp.
[[nodiscard]] bool cholesky_in_place(Eigen::Ref<PreciseMatrix> a);
void solve_lower_in_place(const Eigen::Ref<const PreciseMatrix>& l, Eigen::Ref<PreciseMatrix> b);
/// Whether A + shift I has a Cholesky factor; its lower triangle is read. O(n^3).
[[nodiscard]] bool has_cholesky_factor(PreciseMatrix a, double shift);

}  // namespace alidade
