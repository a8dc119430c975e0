// Observations of features or of dissimilarities for tests, named "test" with objects "o0", "o1", ...
// Features are stored in float, as everywhere; dissimilarities in double.
// Nothing is checked here: what problems refuse can be made too.
#pragma once

#include <memory>
#include <string>

#include "problems/evidence/observations.hpp"
#include "tests/support/observation_makers.hpp"

namespace alidade::testing {

[[nodiscard]] inline Observations of_objects(Index n) {
  Observations out;
  out.name = "test";
  for (Index i = 0; i < n; ++i) out.objects.push_back("o" + std::to_string(i));
  return out;
}

/// X: n x p.
template <class Derived>
[[nodiscard]] Observations of_features(const Eigen::MatrixBase<Derived>& X) {
  Observations out = of_objects(X.rows());
  out.features = std::make_shared<const FeatureMatrix>(X.template cast<float>());
  return out;
}

/// D: n x n, taken as it is.
[[nodiscard]] inline Observations of_dissimilarities(const Matrix& D) {
  Observations out = of_objects(D.rows());
  out.dissimilarities.push_back({"", D, {}});
  return out;
}

/// Answers 'same' with the probability .02 + .576 exp(-d), between half of `answers` and all about each pair, and none
/// about every tenth: shares of 'different', and counts times `factor` as weights.
[[nodiscard]] inline Observations same_different_answers(const Matrix& X, std::uint64_t answers, double factor,
                                                         Rng& rng) {
  const Index n = X.rows();
  Observations out = of_dissimilarities(Matrix::Zero(n, n));
  Dissimilarities& d = out.dissimilarities.front();
  d.weights = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      if (rng.below(10) == 0) continue;
      const std::uint64_t count = answers / 2 + rng.below(answers / 2 + 1);
      const double p = 0.02 + 0.576 * std::exp(-(X.row(i) - X.row(j)).norm());
      std::uint64_t different = 0;
      for (std::uint64_t k = 0; k < count; ++k) different += rng.uniform01() < p ? 0 : 1;
      d.values(i, j) = d.values(j, i) = static_cast<double>(different) / static_cast<double>(count);
      d.weights(i, j) = d.weights(j, i) = factor * static_cast<double>(count);
    }
  return out;
}

/// Symmetric, positive, of no points: n x n.
[[nodiscard]] inline Matrix random_dissimilarities(Index n, Rng& rng) {
  const Matrix noise = gaussian_points(n, n, rng).cwiseAbs();
  Matrix out = noise + noise.transpose();
  out.diagonal().setZero();
  return out;
}

/// Euclidean distances of the rows of X: n x n.
[[nodiscard]] inline Matrix distances_between(const Matrix& X) {
  Matrix out(X.rows(), X.rows());
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.rows(); ++j) out(i, j) = (X.row(i) - X.row(j)).norm();
  return out;
}

}  // namespace alidade::testing
