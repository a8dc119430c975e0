// Kernel features against the definitions, entry by entry, and the projector that they give.
#include "problems/semidefinite/kernel_features.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/observation_makers.hpp"

namespace kernel_features_test {

using namespace alidade;
using namespace alidade::semidefinite;
using namespace alidade::testing;

namespace {

std::shared_ptr<const FeatureMatrix> random_features(Index n, Index p, Rng& rng) {
  return std::make_shared<const FeatureMatrix>(gaussian_points(n, p, rng).cast<float>());
}

const std::vector<Kernel> kKernels = {
    {KernelKind::linear, 1, 2, 1}, {KernelKind::rbf, 2.5, 2, 1}, {KernelKind::polynomial, 1, 3, 0.5}};

double kernel_of(const Kernel& kernel, const Vector& x, const Vector& y) {
  switch (kernel.kind) {
    case KernelKind::linear: return x.dot(y);
    case KernelKind::rbf: return std::exp(-(x - y).squaredNorm() / (kernel.sigma * kernel.sigma));
    case KernelKind::polynomial: return std::pow(x.dot(y) + kernel.offset, static_cast<double>(kernel.degree));
  }
  return 0;
}

Matrix kernel_matrix(const Kernel& kernel, const FeatureMatrix& a, const FeatureMatrix& b) {
  Matrix out(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.rows(); ++j)
      out(i, j) = kernel_of(kernel, a.row(i).cast<double>().transpose(), b.row(j).cast<double>().transpose());
  return out;
}

}  // namespace

TEST_CASE("on all objects as the basis Q D^2 Q' is the centred kernel matrix") {
  Rng rng(5);
  Executor executor;
  const auto X = random_features(12, 19, rng);
  std::vector<Index> all(12);
  for (Index i = 0; i < 12; ++i) all[static_cast<std::size_t>(i)] = i;
  for (const Kernel& kernel : kKernels) {
    CAPTURE(to_string(kernel.kind));
    const KernelFeatures features(kernel, X, all, executor);
    const Matrix& q = features.whitened();
    const Matrix centring = Matrix::Identity(12, 12) - Matrix::Constant(12, 12, 1.0 / 12);
    const Matrix expected = centring * kernel_matrix(kernel, *X, *X) * centring;
    const Matrix got = q * features.spread().array().square().matrix().asDiagonal() * q.transpose();
    CHECK((got - expected).norm() < 1e-10 * expected.norm());
    CHECK((q.transpose() * q - Matrix::Identity(q.cols(), q.cols())).norm() < 1e-12);
    CHECK(q.colwise().sum().norm() < 1e-12);
    CHECK(q.cols() == 11);
  }
}

TEST_CASE("on a part of the objects as the basis Psi Psi' is Kc_nR Kc_RR^-1 Kc_Rn, on threads") {
  Rng rng(6);
  Executor executor(2);
  const auto X = random_features(30, 7, rng);
  const std::vector<Index> basis = {1, 4, 9, 10, 22};
  for (const Kernel& kernel : kKernels) {
    CAPTURE(to_string(kernel.kind));
    const KernelFeatures features(kernel, X, basis, executor);
    const Matrix centring = Matrix::Identity(30, 30) - Matrix::Constant(30, 30, 1.0 / 30);
    const Matrix whole = centring * kernel_matrix(kernel, *X, *X) * centring;
    const Matrix to_basis = whole(Eigen::all, basis), among = whole(basis, basis);
    const Matrix expected = to_basis * among.inverse() * to_basis.transpose();
    const Matrix& q = features.whitened();
    const Matrix got = q * features.spread().array().square().matrix().asDiagonal() * q.transpose();
    CHECK((got - expected).norm() < 1e-9 * expected.norm());
    CHECK(q.cols() == 5);
    CHECK(q.colwise().sum().norm() < 1e-11);
  }
}

TEST_CASE("a projector reproduces its training objects, and centres others by the training means") {
  Rng rng(7);
  Executor executor;
  const auto X = random_features(40, 11, rng);
  const auto fresh = random_features(9, 11, rng);
  const std::vector<Index> basis = {0, 3, 5, 7, 11, 20, 21, 33, 39};
  for (const Kernel& kernel : kKernels) {
    CAPTURE(to_string(kernel.kind));
    const KernelFeatures features(kernel, X, basis, executor);
    const Index q = features.spread().size();
    Matrix axes(q, 3);
    for (double& x : axes.reshaped()) x = rng.normal();
    const auto projector = features.projector(axes);
    CHECK(projector->feature_count() == 11);
    CHECK(projector->component_count() == 3);
    const Matrix map = features.whitened() * axes;
    CHECK((projector->project(*X) - map).cwiseAbs().maxCoeff() < 1e-9);

    // By definition: z(x) = A' D^-2 Q' Kc_nR Kc_RR^-1 kc_R(x), for Psi = Kc_nR Lambda^-1/2 V'.
    const Matrix k = kernel_matrix(kernel, *X, *X), other = kernel_matrix(kernel, *fresh, *X);
    const Vector means = k.rowwise().mean();
    Matrix whole = k;
    whole.colwise() -= means;
    whole.rowwise() -= means.transpose();
    whole.array() += means.mean();
    Matrix centred_other = other;
    centred_other.colwise() -= Vector(other.rowwise().mean());
    centred_other.rowwise() -= means.transpose();
    centred_other.array() += means.mean();
    const Matrix to_basis = whole(Eigen::all, basis), among = whole(basis, basis);
    const Matrix expected = centred_other(Eigen::all, basis) * among.inverse() * to_basis.transpose() *
                            features.whitened() * features.spread().array().square().inverse().matrix().asDiagonal() *
                            axes;
    const Matrix placed = projector->project(*fresh);
    CHECK((placed - expected).norm() < 1e-7 * expected.norm());
    // Whoever comes with it.
    CHECK(projector->project(fresh->bottomRows(1)) == placed.bottomRows(1));

    const auto again = projector_from(projector->description());
    CHECK(again->project(*fresh) == placed);
  }
}

TEST_CASE("a projector refuses features that it cannot place, and incomplete descriptions") {
  Rng rng(8);
  Executor executor;
  const auto X = random_features(10, 4, rng);
  const KernelFeatures features({KernelKind::rbf, 2, 2, 1}, X, {0, 1, 2, 3, 4}, executor);
  const auto projector = features.projector(Matrix::Ones(features.spread().size(), 2));
  CHECK_THROWS_AS((void)projector->project(FeatureMatrix::Zero(2, 3)), DataError);
  FeatureMatrix bad = FeatureMatrix::Zero(1, 4);
  bad(0, 2) = std::numeric_limits<float>::infinity();
  CHECK_THROWS_AS((void)projector->project(bad), DataError);
  const ValueTable good = projector->description();
  for (const std::string& key : good.keys()) {
    CAPTURE(key);
    ValueTable without = good;
    without.erase(key);
    CHECK_THROWS_AS((void)projector_from(without), DataError);
    ValueTable wrong = good;
    wrong.set(key, 1);
    CHECK_THROWS_AS((void)projector_from(wrong), DataError);
  }
  ValueTable off = good;
  off.set("basis", ValueArray{Value(0), Value(10)});
  CHECK_THROWS_AS((void)projector_from(off), DataError);
  off = good;
  off.set("basis", ValueArray{Value(0), Value(1)});
  CHECK_THROWS_AS((void)projector_from(off), DataError);
}

TEST_CASE("identical features are refused") {
  Executor executor;
  const auto same = std::make_shared<const FeatureMatrix>(FeatureMatrix::Ones(5, 3));
  for (const Kernel& kernel : kKernels) CHECK_THROWS_AS(KernelFeatures(kernel, same, {0, 1, 2}, executor), DataError);
}

TEST_CASE("the median distance is the one over all pairs") {
  FeatureMatrix X(4, 1);
  X << 0, 1, 3, 7;  // 1 2 3 4 6 7
  CHECK(median_distance(X) == 4);
}

}  // namespace kernel_features_test
