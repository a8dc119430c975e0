#include "problems/distances/principal_components.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>

#include "problems/core/decompositions/thin_svd.hpp"
#include "problems/core/random.hpp"

namespace alidade::spectral::principal_components_test {
namespace {

constexpr std::uint64_t kSeed = 20240611;

/// Gaussian with standard deviations that fall by half from feature to feature, turned (up to 100 features) and moved.
FeatureMatrix sloped(Index n, Index p, Rng& rng) {
  Matrix out(n, p);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < p; ++c) out(i, c) = rng.normal() * std::pow(0.5, static_cast<double>(c % 12));
  if (p > 100) return (out.array() + 5).cast<float>();
  Matrix turn(p, p);
  for (double& entry : turn.reshaped()) entry = rng.normal();
  const Matrix q = orthonormal_columns(turn);
  return ((out * q).array() + 5).cast<float>();
}

PrincipalComponents components(const FeatureMatrix& X, Index count, int threads = 1) {
  Executor executor(threads);
  return principal_components(X, count, executor);
}

TEST_CASE("components are the singular vectors of the centred table, wide or long") {
  CAPTURE(kSeed);
  Rng rng(kSeed);
  for (const auto& [n, p] : {std::pair<Index, Index>{300, 12}, {40, 12}, {12, 40}, {600, 3}, {5, 900}}) {
    CAPTURE(n);
    CAPTURE(p);
    const FeatureMatrix X = sloped(n, p, rng);
    const Index d = 3;
    const PrincipalComponents got = components(X, d);
    Eigen::MatrixXd centred = X.cast<double>();
    centred.rowwise() -= centred.colwise().mean().eval();
    const ThinSvd svd(centred);
    for (Index k = 0; k < d; ++k) {
      const Vector score = svd.left().col(k) * svd.values()[k];
      const double sign = score.dot(got.scores.col(k)) > 0 ? 1 : -1;
      CHECK((got.scores.col(k) - sign * score).norm() <= 1e-6 * score.norm());
      CHECK(got.variances[k] == doctest::Approx(svd.values()[k] * svd.values()[k] / static_cast<double>(n)));
      Index largest = 0;
      got.scores.col(k).cwiseAbs().maxCoeff(&largest);
      CHECK(got.scores(largest, k) > 0);
    }
    CHECK((got.axes.transpose() * got.axes - Matrix::Identity(d, d)).norm() < 1e-9);
    CHECK((centred * got.axes - got.scores).norm() <= 1e-9 * got.scores.norm());
  }
}

TEST_CASE("components beyond the rank are zero, not noise") {
  Rng rng(kSeed);
  FeatureMatrix X = sloped(30, 1, rng);
  PrincipalComponents got = components(X, 2);
  CHECK(got.variances[0] > 0);
  CHECK(got.variances[1] == 0);
  CHECK(got.scores.col(1).isZero(0));
  X = FeatureMatrix::Constant(10, 4, 2.5F);
  got = components(X, 3);
  CHECK(got.scores.isZero(0));
  FeatureMatrix line(50, 6);
  for (Index i = 0; i < 50; ++i) line.row(i).setConstant(static_cast<float>(i));
  got = components(line, 4);
  CHECK(got.variances[0] > 0);
  CHECK(got.scores.rightCols(3).isZero(0));
}

TEST_CASE("threads change no bit") {
  Rng rng(kSeed);
  for (const auto& [n, p] : {std::pair<Index, Index>{3000, 20}, {20, 3000}}) {
    const FeatureMatrix X = sloped(n, p, rng);
    const PrincipalComponents one = components(X, 2), two = components(X, 2, 2);
    CHECK(one.scores == two.scores);
    CHECK(one.axes == two.axes);
  }
}

}  // namespace
}  // namespace alidade::spectral::principal_components_test
