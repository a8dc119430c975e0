#include "problems/distances/classical_scaling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problems/core/decompositions/leading_eigenpairs.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/distances/principal_components.hpp"
#include "tests/support/observation_makers.hpp"

namespace alidade::spectral::classical_scaling_test {
namespace {

constexpr std::uint64_t kSeed = 20240611;

Matrix squared_distances_of(const Matrix& X) {
  Matrix out(X.rows(), X.rows());
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.rows(); ++j) out(i, j) = (X.row(i) - X.row(j)).squaredNorm();
  return out;
}

ClassicalScaling scaled(const Matrix& D2, Index d, int threads = 1) {
  Executor executor(threads);
  return classical_scaling(D2, d, executor);
}

TEST_CASE("Euclidean distances give the principal components, for few objects and many") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const Index n : {5, 40, 700}) {
    CAPTURE(n);
    FeatureMatrix X = testing::gaussian_points(n, 6, rng).cast<float>();
    for (Index c = 0; c < 6; ++c) X.col(c) *= std::pow(0.7f, static_cast<float>(c));
    Executor executor;
    const PrincipalComponents expected = principal_components(X, 3, executor);
    const ClassicalScaling got = scaled(squared_distances_of(X.cast<double>()), 3);
    CHECK((got.coordinates - expected.scores).norm() < 1e-6 * expected.scores.norm());
    for (Index c = 0; c < 3; ++c)
      CHECK(got.eigenvalues[c] == doctest::Approx(expected.variances[c] * static_cast<double>(n)).epsilon(1e-7));
  }
}

/// |i - j| around a ring of n, squared: no plane has these distances.
Matrix squared_arcs(Index n) {
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Index steps = std::min(std::abs(i - j), n - std::abs(i - j));
      out(i, j) = static_cast<double>(steps * steps);
    }
  return out;
}

NegativeSpectrum negative_of(const Matrix& D2, int threads = 1) {
  Executor executor(threads);
  return negative_spectrum(D2, executor);
}

TEST_CASE(
    "the negative part of a spectrum is that of all its eigenvalues, or less if only some are found, on threads") {
  CHECK(negative_of(squared_distances_of(Matrix::Random(40, 3))).share == 0);
  CHECK(!note_on(negative_of(squared_distances_of(Matrix::Random(40, 3)))));
  // A star of three points at 1 from the centre, 2 apart: by hand, B has the eigenvalues 2, 2, -1/4 and 0.
  Matrix star = Matrix::Constant(4, 4, 4.0);
  star.row(0).setOnes();
  star.col(0).setOnes();
  star.diagonal().setZero();
  CHECK(negative_of(star).share == doctest::Approx(0.0625 / 8.0625).epsilon(1e-12));
  for (const Index n : {50, 601}) {
    CAPTURE(n);
    const Matrix D2 = squared_arcs(n);
    const Matrix J = Matrix::Identity(n, n).array() - 1 / static_cast<double>(n);
    const Vector values = SymmetricEigen(-0.5 * J * D2 * J, false).eigenvalues();
    const double expected = values.cwiseMin(0.0).squaredNorm() / values.squaredNorm();
    const NegativeSpectrum spectrum = negative_of(D2);
    CHECK(expected > 0.01);
    CHECK(spectrum.all == (n == 50));
    if (spectrum.all) CHECK(spectrum.share == doctest::Approx(expected).epsilon(1e-10));
    CHECK(spectrum.share <= expected * (1 + 1e-10));
    CHECK(spectrum.share > 0.9 * expected);
    CHECK(negative_of(D2, 3).share == spectrum.share);
    REQUIRE(note_on(spectrum));
    CHECK((note_on(spectrum)->find("at least") == std::string::npos) == spectrum.all);
  }
}

TEST_CASE("repeated runs and threads give the same bits") {
  Rng rng(kSeed);
  const Matrix D2 = squared_distances_of(testing::gaussian_points(500, 10, rng));
  const ClassicalScaling one = scaled(D2, 4);
  CHECK(one.coordinates == scaled(D2, 4).coordinates);
  CHECK(one.coordinates == scaled(D2, 4, 3).coordinates);
}

TEST_CASE("equal eigenvalues are all found: a ring, and equidistant objects") {
  const Index n = 400;
  Matrix ring(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    ring.row(i) << std::cos(angle), std::sin(angle);
  }
  const ClassicalScaling of_ring = scaled(squared_distances_of(ring), 2);
  CHECK(of_ring.eigenvalues[0] == doctest::Approx(n / 2.0));
  CHECK(of_ring.eigenvalues[1] == doctest::Approx(n / 2.0));
  CHECK((squared_distances_of(of_ring.coordinates) - squared_distances_of(ring)).cwiseAbs().maxCoeff() < 1e-9);
  // B = 1/2 (I - 1 1^T / n): n - 1 eigenvalues of 1/2.
  const Matrix apart = Matrix::Ones(n, n) - Matrix::Identity(n, n);
  const ClassicalScaling of_apart = scaled(apart, 5);
  for (Index c = 0; c < 5; ++c) CHECK(of_apart.eigenvalues[c] == doctest::Approx(0.5));
  CHECK((of_apart.vectors.transpose() * of_apart.vectors - Matrix::Identity(5, 5)).norm() < 1e-9);
}

TEST_CASE("distances that no points have: eigenvalues as they are, no coordinates along negative ones") {
  Rng rng(kSeed);
  Matrix D2 = testing::gaussian_points(300, 300, rng).cwiseAbs();
  D2 = (D2 + D2.transpose()).eval();
  D2.diagonal().setZero();
  const ClassicalScaling got = scaled(D2, 4);
  const Eigen::MatrixXd J = Eigen::MatrixXd::Identity(300, 300) - Eigen::MatrixXd::Constant(300, 300, 1.0 / 300);
  const SymmetricEigen all(-0.5 * J * D2 * J);
  for (Index c = 0; c < 4; ++c) CHECK(got.eigenvalues[c] == doctest::Approx(all.eigenvalues()[299 - c]).epsilon(1e-8));
  const Matrix triangle = (Matrix(3, 3) << 0, 1, 16, 1, 0, 1, 16, 1, 0).finished();
  const ClassicalScaling bent = scaled(triangle, 5);  // 1 + 1 < 4
  CHECK(bent.eigenvalues[2] < 0);
  CHECK(bent.coordinates.rightCols(3).isZero());
  CHECK(bent.coordinates.allFinite());
  CHECK(scaled(Matrix::Zero(4, 4), 2).coordinates.isZero());
}

}  // namespace
}  // namespace alidade::spectral::classical_scaling_test
