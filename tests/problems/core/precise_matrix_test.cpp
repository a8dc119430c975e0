// Sums, products and Cholesky factors of numbers with twice the digits of a double.
#include "problems/core/precise_matrix.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("products are those of matrices, and add what doubles found") {
  Eigen::MatrixXd a(3, 2);
  a << 1, 2, 3, 4, 5, 6;
  PreciseMatrix precise(a);
  CHECK(transposed_times(precise, precise).doubles() == Eigen::MatrixXd(a.transpose() * a));
  const Eigen::MatrixXd weights = Eigen::Vector3d(2, -1, 0.5);
  CHECK(weighted_square(precise, PreciseMatrix(weights)).doubles() ==
        Eigen::MatrixXd(a.transpose() * Eigen::Vector3d(2, -1, 0.5).asDiagonal() * a));
  precise.add(Eigen::MatrixXd::Constant(3, 2, 1e-20));
  CHECK((precise(2, 1) - DoubleDouble(6)).high == 1e-20);
}

TEST_CASE("a factor tells a matrix that is short of semidefinite by 1e-28 from one that is not") {
  // Of rank one, which a shift makes definite.
  Eigen::MatrixXd row(1, 5);
  row << 0.1, 0.7, -0.3, 1.1, 0.9;
  const PreciseMatrix product = transposed_times(PreciseMatrix(row), PreciseMatrix(row));
  CHECK(has_cholesky_factor(product, 1e-28));
  CHECK_FALSE(has_cholesky_factor(product, -1e-28));
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
