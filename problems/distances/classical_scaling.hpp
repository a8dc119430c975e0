// Classical scaling: the map whose scalar products are nearest to those that squared distances imply.
// Torgerson 1952, Gower 1966: top eigenpairs of B = -1/2 J D2 J with J = I - 1 1^T / n.
// For Euclidean distances in d dimensions it returns the points, centred and along their principal axes.
#pragma once

#include <optional>
#include <string>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"

namespace alidade {

/// Relative to the largest eigenvalue; smaller ones are rounding errors or zero.
inline constexpr double kNoVariance = 1e-9;

struct ClassicalScaling {
  Matrix coordinates;  // n x d, centred: eigenvectors times sqrt of the eigenvalue; 0 unless that is positive
  Matrix vectors;      // n x d, orthonormal; columns past n are 0
  Vector eigenvalues;  // d of B, descending; negative ones if distances are far from Euclidean; 0 past n
};

/// D2: n x n squared distances, symmetric, finite. Columns are 0 for eigenvalues up to kNoVariance of the largest.
/// Signs as in leading_eigenpairs.hpp. About 10 to 30 products of O(n^2 d); no second n x n matrix. Same bits
/// for any number of threads. @pre n >= 1, d >= 1
[[nodiscard]] ClassicalScaling classical_scaling(const Eigen::Ref<const Matrix>& D2, Index d, Executor& executor);

/// The sum of squared entries of B, which is that of its squared eigenvalues. O(n^2).
[[nodiscard]] double squared_norm_of_products(const Eigen::Ref<const Matrix>& D2);

/// What negative eigenvalues of B hold. They are the part of the distances that no map of any dimension shows.
struct NegativeSpectrum {
  double share = 0;  // of the sum of squared eigenvalues; a lower bound unless all were found
  bool all = true;   // whether all eigenvalues were found
};

/// D2 as above. O(n^3) up to 600 objects; above, from the six most negative eigenvalues, at the cost of
/// classical_scaling(). Eigenvalues up to kNoVariance of the largest in size count as 0. Same bits for any number of
/// threads.
[[nodiscard]] NegativeSpectrum negative_spectrum(const Eigen::Ref<const Matrix>& D2, Executor& executor);
/// The sentence for a row's notes if the share is at least 1 %.
[[nodiscard]] std::optional<std::string> note_on(const NegativeSpectrum& negative);

}  // namespace alidade
