// Singular values, orthonormal columns, symmetric eigenpairs and definiteness by what defines them.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "problems/core/decompositions/front_cholesky.hpp"
#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/decompositions/thin_svd.hpp"
#include "problems/core/random.hpp"

namespace decompositions_test {
namespace {

using namespace alidade;

constexpr std::uint64_t kSeed = 20240611;
constexpr double kRounding = 1e-12;

Eigen::MatrixXd drawn(Index rows, Index cols, Rng& rng) {
  Eigen::MatrixXd out(rows, cols);
  for (double& entry : out.reshaped()) entry = rng.normal();
  return out;
}

std::vector<double> diagonal_of(const Eigen::MatrixXd& a) {
  const Eigen::VectorXd out = a.diagonal();
  return {out.begin(), out.end()};
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

TEST_CASE("a matrix without rows or columns has no singular values") {
  for (const auto& [rows, cols] : std::vector<std::pair<Index, Index>>{{0, 3}, {4, 0}, {0, 0}}) {
    const ThinSvd svd(Eigen::MatrixXd(rows, cols));
    CHECK(svd.values().size() == 0);
    CHECK(svd.left().rows() == rows);
    CHECK(svd.right().rows() == cols);
  }
}

TEST_CASE("what is orthogonal to dependent columns is found, and the shortest solution in their span") {
  Rng rng(kSeed);
  Eigen::MatrixXd a = drawn(9, 5, rng);
  a.col(3) = a.col(0) - 2 * a.col(1);
  const PivotedQr qr(a, 1e-9);
  const Eigen::MatrixXd null = qr.left_null_space();
  REQUIRE(null.cols() == 5);
  CHECK(orthonormal(null));
  CHECK((a.transpose() * null).norm() <= kRounding * a.norm());
  const Eigen::VectorXd some = drawn(9, 1, rng), right = a.transpose() * some;
  const Eigen::VectorXd w = qr.transposed_solve(right);
  CHECK((a.transpose() * w - right).norm() <= kRounding * right.norm());
  CHECK((null.transpose() * w).norm() <= kRounding * w.norm());
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

TEST_CASE("a sparse matrix has a Cholesky factor if and only if its eigenvalues are positive") {
  using Sparse = FrontCholesky::Sparse;
  constexpr double kMargin = 1e-6;
  const auto never = [] { return false; };
  Rng rng(kSeed);
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    const Index n = 1 + static_cast<Index>(rng.below(50));
    const double density = 0.5 * rng.uniform01();
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j)
        if (rng.uniform01() < density) a(i, j) = a(j, i) = rng.normal();
    const bool positive = trial % 2 == 0;
    a.diagonal().array() += (positive ? kMargin : -kMargin) - SymmetricEigen(a, false).eigenvalues()[0];
    Sparse lower = Eigen::MatrixXd(a.triangularView<Eigen::Lower>()).sparseView();
    lower.makeCompressed();
    const FrontCholesky plan(lower);
    const std::vector<double> diagonal = diagonal_of(a);
    CHECK(plan.longest_row() <= n);
    CHECK(plan.entries() <= static_cast<double>(n * (n + 1) / 2));
    CHECK((plan.factor(lower, diagonal, never) == FrontCholesky::Outcome::positive) == positive);
    CHECK(plan.factor(lower, diagonal, [] { return true; }) == FrontCholesky::Outcome::stopped);
  }
  const Sparse two(2, 2);
  const std::vector<double> bad{std::numeric_limits<double>::quiet_NaN(), 1};
  CHECK(FrontCholesky(two).factor(two, bad, never) == FrontCholesky::Outcome::not_positive);
  CHECK(FrontCholesky(Sparse(0, 0)).factor(Sparse(0, 0), {}, never) == FrontCholesky::Outcome::positive);
  CHECK(std::isinf(FrontCholesky(two, 1).bytes()));
}

TEST_CASE("a Cholesky factor ends at the look that says so, also within one front") {
  constexpr Index kSize = 500;  // one front of several blocks of columns
  Rng rng(kSeed);
  Eigen::MatrixXd a(kSize, kSize);
  for (Index i = 0; i < kSize; ++i)
    for (Index j = 0; j <= i; ++j) a(i, j) = a(j, i) = rng.uniform01();
  a.diagonal().array() += kSize;
  FrontCholesky::Sparse lower = Eigen::MatrixXd(a.triangularView<Eigen::Lower>()).sparseView();
  lower.makeCompressed();
  const FrontCholesky plan(lower);
  const std::vector<double> diagonal = diagonal_of(a);
  int all = 0;
  CHECK(plan.factor(lower, diagonal, [&] { return ++all, false; }) == FrontCholesky::Outcome::positive);
  CHECK(all > 5);
  for (int last = 1; last <= all; ++last) {
    CAPTURE(last);
    int looks = 0;
    CHECK(plan.factor(lower, diagonal, [&] { return ++looks == last; }) == FrontCholesky::Outcome::stopped);
    CHECK(looks == last);
  }
}

TEST_CASE("a kept Cholesky factor solves for many right-hand sides at once") {
  constexpr Index kSize = 90;
  constexpr double kSingle = 1e-5;
  Rng rng(kSeed);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(kSize, kSize);
  for (Index i = 0; i < kSize; ++i)
    for (Index j = 0; j < i; ++j)
      if (rng.uniform01() < 0.05) a(i, j) = a(j, i) = rng.normal();
  a.diagonal() = a.cwiseAbs().rowwise().sum().array() + 1;
  FrontCholesky::Sparse lower = Eigen::MatrixXd(a.triangularView<Eigen::Lower>()).sparseView();
  lower.makeCompressed();
  const FrontCholesky plan(lower);
  std::vector<float> kept;
  REQUIRE(plan.factor(
              lower, diagonal_of(a), [] { return false; }, &kept) == FrontCholesky::Outcome::positive);
  for (const int groups : {1, 3, 5}) {
    CAPTURE(groups);
    const Index width = 8 * groups;
    Matrix x(kSize, width);
    for (Index i = 0; i < x.size(); ++i) x.data()[i] = rng.normal();
    const Matrix image = a * x;
    std::vector<float> rows(static_cast<std::size_t>(x.size()));
    const auto entry = [&](Index i, Index c) -> float& {
      return rows[static_cast<std::size_t>(plan.place()[static_cast<std::size_t>(i)] * width + c)];
    };
    for (Index i = 0; i < kSize; ++i)
      for (Index c = 0; c < width; ++c) entry(i, c) = static_cast<float>(image(i, c));
    plan.solve(kept, rows.data(), groups);
    for (Index i = 0; i < kSize; ++i)
      for (Index c = 0; c < width; ++c) CHECK(std::abs(static_cast<double>(entry(i, c)) - x(i, c)) < kSingle);
  }
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
}  // namespace decompositions_test
