// Observations of features or of dissimilarities for tests, named "test" with objects "o0", "o1", ...
// Features are stored in float, as everywhere; dissimilarities in double.
// Nothing is checked here: what problems refuse can be made too.
#pragma once

#include <memory>
#include <string>

#include "problems/evidence/observations.hpp"

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

/// Euclidean distances of the rows of X: n x n.
[[nodiscard]] inline Matrix distances_between(const Matrix& X) {
  Matrix out(X.rows(), X.rows());
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.rows(); ++j) out(i, j) = (X.row(i) - X.row(j)).norm();
  return out;
}

}  // namespace alidade::testing
