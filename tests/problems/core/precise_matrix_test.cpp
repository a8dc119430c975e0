// Sums, products and Cholesky factors of numbers with twice the digits of a double.
#include "problems/core/precise_matrix.hpp"

#include <doctest/doctest.h>

#include <array>

#include "problems/core/random.hpp"

namespace precise_matrix_test {
namespace {

using namespace alidade;

TEST_CASE("what doubles round away is kept") {
  const DoubleDouble third = DoubleDouble(1) - DoubleDouble(1e-25);
  CHECK(third.high == 1);
  CHECK((third - DoubleDouble(1)).high == -1e-25);
  const double a = 1 + 0x1p-30;  // a a = 1 + 2^-29 + 2^-60
  const DoubleDouble square = DoubleDouble(a) * DoubleDouble(a);
  CHECK((square - DoubleDouble(1) - DoubleDouble(0x1p-29)).high == 0x1p-60);
}

PreciseMatrix drawn(Index rows, Index cols, Rng& rng) {
  PreciseMatrix out(rows, cols);
  for (DoubleDouble& x : out.reshaped()) x = DoubleDouble(rng.normal()) + DoubleDouble(1e-17 * rng.normal());
  return out;
}

TEST_CASE("products, factors and quotients of any size have twice the digits of a double") {
  Rng rng(1);
  for (const auto& [m, n, count] : {std::array<Index, 3>{1, 1, 1}, {3, 2, 5}, {17, 9, 33}, {40, 21, 50}}) {
    CAPTURE(m);
    const PreciseMatrix a = drawn(m, count, rng), b = drawn(count, n, rng), found = product(a, b);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        DoubleDouble sum;
        for (Index k = 0; k < count; ++k) sum += a(i, k) * b(k, j);
        CHECK(std::abs((found(i, j) - sum).high) <= 1e-29 * static_cast<double>(count));
      }
    PreciseMatrix factor = product(a, a.transpose());
    factor.diagonal().array() += DoubleDouble(1);
    const PreciseMatrix whole = factor;
    REQUIRE(cholesky_in_place(factor));
    const PreciseMatrix lower = factor.triangularView<Eigen::Lower>();
    CHECK((product(lower, lower.transpose()) - whole).cast<double>().cwiseAbs().maxCoeff() <= 1e-27);
    PreciseMatrix x = drawn(m, n, rng);
    const PreciseMatrix right = x;
    solve_lower_in_place(lower, x);
    CHECK((product(lower, x) - right).cast<double>().cwiseAbs().maxCoeff() <= 1e-28);
  }
}

TEST_CASE("a factor tells a matrix that is short of semidefinite by 1e-28 from one that is not") {
  // Of rank one, which a shift makes definite.
  Eigen::MatrixXd row(1, 5);
  row << 0.1, 0.7, -0.3, 1.1, 0.9;
  const PreciseMatrix one = row.cast<DoubleDouble>(), square = product(one.transpose(), one);
  CHECK(has_cholesky_factor(square, 1e-28));
  CHECK_FALSE(has_cholesky_factor(square, -1e-28));
  // Hilbert's matrix of order 15 has least eigenvalue 3e-21, far below the rounding of doubles.
  PreciseMatrix hilbert(15, 15);
  for (Index i = 0; i < 15; ++i)
    for (Index j = 0; j < 15; ++j) {
      const double whole = static_cast<double>(i + j + 1), first = 1 / whole;
      const DoubleDouble rest = DoubleDouble(1) - DoubleDouble(whole) * DoubleDouble(first);
      hilbert(i, j) = DoubleDouble(first) + DoubleDouble(rest.high / whole);
    }
  CHECK(has_cholesky_factor(hilbert, 0));
  CHECK_FALSE(has_cholesky_factor(hilbert, -1e-20));
}

}  // namespace
}  // namespace precise_matrix_test
