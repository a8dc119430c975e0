// Classical scaling: the map whose scalar products are nearest to those that squared distances imply.
// Torgerson 1952, Gower 1966: top eigenpairs of B = -1/2 J D2 J with J = I - 1 1^T / n.
// Of Euclidean distances in d dimensions it returns the points, centred and along their principal axes.
#pragma once

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"

namespace alidade::spectral {

/// Of the largest eigenvalue: what is less is rounding, or nothing.
inline constexpr double kNoVariance = 1e-9;

struct ClassicalScaling {
  Matrix coordinates;  // n x d, centred: eigenvectors times sqrt of the eigenvalue; 0 where that is not positive
  Matrix vectors;      // n x d, orthonormal; columns past n are 0
  Vector eigenvalues;  // d of B, descending; negative ones where distances are far from Euclidean; 0 past n
};

/// D2: n x n squared distances, symmetric, finite. Columns along eigenvalues up to kNoVariance of the largest are 0.
/// Signs as of core/eigenvector_signs.hpp. O(n^2 d) a product, some 10 to 30 of them; no second n x n matrix. Same bits
/// for any number of threads. @pre n >= 1, d >= 1
[[nodiscard]] ClassicalScaling classical_scaling(const Eigen::Ref<const Matrix>& D2, Index d, Executor& executor);

}  // namespace alidade::spectral
