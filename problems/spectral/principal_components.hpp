// Principal components of a feature table: the directions of largest variance and each row's place along them.
// Pearson 1901, Hotelling 1933; by the covariance of the features, or by the Gram matrix of fewer rows.
// Rows are centred here; features are not scaled.
#pragma once

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"

namespace alidade::spectral {

struct PrincipalComponents {
  Vector mean;       // p
  Matrix scores;     // n x d: rows minus mean, times axes
  Matrix axes;       // p x d, orthonormal columns; zero where there is no variance left
  Vector variances;  // d, descending, of the scores (divided by n); 0 beyond the rank
};

/// The first `count` components of X (n x p), summed in double. Of each component and its opposite, the one whose
/// largest score in size is positive (the first of those, up to rounding). Components past the rank have zero
/// scores. Same bits for any number of threads.
/// @pre entries are finite, n >= 1, count >= 1. O(n p min(n, p) + min(n, p)^3), memory O(min(n, p)^2 + n + p).
[[nodiscard]] PrincipalComponents principal_components(
    const Eigen::Ref<const RowMajorMatrix<float>>& X, Index count, Executor& executor);

}  // namespace alidade::spectral
