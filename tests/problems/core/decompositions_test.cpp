// Singular values, orthonormal columns and symmetric eigenpairs by what defines them.
#include <doctest/doctest.h>

#include "problems/core/eigenvector_signs.hpp"
#include "problems/core/orthonormal_columns.hpp"
#include "problems/core/random.hpp"
#include "problems/core/symmetric_eigen.hpp"
#include "problems/core/thin_svd.hpp"

namespace {

using namespace alidade;

constexpr std::uint64_t kSeed = 20240611;
constexpr double kRounding = 1e-12;

Eigen::MatrixXd drawn(Index rows, Index cols, Rng& rng) {
  Eigen::MatrixXd out(rows, cols);
  for (double& entry : out.reshaped()) entry = rng.normal();
  return out;
}

bool orthonormal(const Eigen::MatrixXd& q) {
  return (q.transpose() * q - Eigen::MatrixXd::Identity(q.cols(), q.cols())).norm() <= kRounding * 10;
}

TEST_CASE("singular values and vectors reproduce the matrix: wide, long, square, rank-deficient") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const auto& [m, n] : {std::pair<Index, Index>{1, 1}, {7, 3}, {3, 7}, {5, 5}, {60, 24}}) {
    CAPTURE(m);
    CAPTURE(n);
    Eigen::MatrixXd a = drawn(m, n, rng);
    if (n == 5) a.col(4) = a.col(0);  // of rank 4
    const ThinSvd svd(a);
    const Index k = std::min(m, n);
    REQUIRE(svd.values().size() == k);
    CHECK(svd.left().cols() == k);
    CHECK(svd.right().cols() == k);
    CHECK(orthonormal(svd.left()));
    CHECK(orthonormal(svd.right()));
    CHECK((svd.left() * svd.values().asDiagonal() * svd.right().transpose() - a).norm() <= kRounding * a.norm());
    CHECK(svd.values().minCoeff() >= 0);
    for (Index i = 1; i < k; ++i) CHECK(svd.values()[i] <= svd.values()[i - 1]);
    if (n == 5) CHECK(svd.values()[4] <= kRounding * svd.values()[0]);
  }
}

TEST_CASE("orthonormal columns span what was given, and those beyond it what is orthogonal") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Eigen::MatrixXd a = drawn(9, 3, rng);
  const Eigen::MatrixXd q = orthonormal_columns(a), more = orthonormal_columns(a, 9);
  CHECK(q.cols() == 3);
  CHECK(orthonormal(q));
  CHECK((q * (q.transpose() * a) - a).norm() <= kRounding * a.norm());
  CHECK(orthonormal(more));
  CHECK(more.leftCols(3) == q);
  CHECK((more.rightCols(6).transpose() * a).norm() <= kRounding * a.norm());
}

TEST_CASE("eigenpairs of a symmetric matrix, ascending, from its lower triangle") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  const Eigen::MatrixXd half = drawn(8, 8, rng);
  const Eigen::MatrixXd a = half + half.transpose();
  Eigen::MatrixXd lower = a;
  lower(0, 7) = 1e6;  // above the diagonal
  const SymmetricEigen eigen(lower);
  REQUIRE(eigen.converged());
  CHECK(orthonormal(eigen.eigenvectors()));
  CHECK((a * eigen.eigenvectors() - eigen.eigenvectors() * eigen.eigenvalues().asDiagonal()).norm() <=
        kRounding * a.norm());
  for (Index i = 1; i < 8; ++i) CHECK(eigen.eigenvalues()[i] >= eigen.eigenvalues()[i - 1]);
  CHECK(SymmetricEigen(a, false).eigenvectors().size() == 0);
}

TEST_CASE("vectors get the sign that makes their largest entry positive, the first of equal ones") {
  const double nearly = 3 - 1e-9;
  CHECK_FALSE(points_down(Vector{{1, -2, nearly, -3}}));
  CHECK(points_down(Vector{{1, -2, -nearly, 3}}));
  CHECK(points_down(Vector{{2.9, -3}}));
  CHECK_FALSE(points_down(Vector::Zero(3)));
  Matrix columns{{1, -4}, {-2, 3}};
  fix_signs(columns);
  CHECK(columns == Matrix{{-1, 4}, {2, -3}});
}

}  // namespace
