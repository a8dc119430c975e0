// Classical scaling: the map whose scalar products are nearest to those that squared distances imply.
// Torgerson 1952, Gower 1966: top eigenpairs of B = -1/2 J D2 J with J = I - 1 1^T / n.
// For Euclidean distances in d dimensions it returns the points, centred and along their principal axes.
#pragma once

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"

namespace alidade::spectral {

/// Relative to the largest eigenvalue; smaller ones are rounding errors or zero.
inline constexpr double kNoVariance = 1e-9;

struct ClassicalScaling {
  Matrix coordinates;  // n x d, centred: eigenvectors times sqrt of the eigenvalue; 0 unless that is positive
  Matrix vectors;      // n x d, orthonormal; columns past n are 0
  Vector eigenvalues;  // d of B, descending; negative ones if distances are far from Euclidean; 0 past n
};

/// D2: n x n squared distances, symmetric, finite. Columns are 0 for eigenvalues up to kNoVariance of the largest.
/// Signs as in core/eigenvector_signs.hpp. About 10 to 30 products of O(n^2 d); no second n x n matrix. Same bits
/// for any number of threads. @pre n >= 1, d >= 1
[[nodiscard]] ClassicalScaling classical_scaling(const Eigen::Ref<const Matrix>& D2, Index d, Executor& executor);

}  // namespace alidade::spectral
