// The few largest eigenvalues of a large symmetric matrix that is given by its products with blocks of vectors.
// Block Lanczos with full orthogonalisation, restarted with its best vectors: Golub & Underwood 1977; Wu &
// Simon 2000. A block finds equal eigenvalues, up to its width; a single vector may miss them.
#pragma once

#include <functional>
#include <limits>

#include "problems/core/types.hpp"

namespace alidade {

struct LeadingEigenpairs {
  Matrix vectors;      // n x k, orthonormal columns
  Vector values;       // k, descending (algebraically)
  Index products = 0;  // with blocks of k + 2 columns
};

/// Writes A X to the second argument. X: n x b.
using BlockProduct = std::function<void(const Matrix& X, Matrix& product)>;

/// The k = min(count, n) largest eigenpairs of symmetric A (n x n), each with |A v - lambda v| <= tolerance |A|, where
/// |A| is the Ritz value of largest size. For small n, or eigenvalues too close for 500 products, computes all
/// eigenvectors of A in O(n^3). Ends earlier, with rougher pairs, once the k-th value is known to be at least
/// `sufficient`. Signs as in core/eigenvector_signs.hpp. Same bits in every call. @pre A is finite, count >= 1.
[[nodiscard]] LeadingEigenpairs leading_eigenpairs(Index n, Index count, const BlockProduct& apply,
                                                   double tolerance = 1e-9,
                                                   double sufficient = std::numeric_limits<double>::infinity());

// Chooses between an eigenvector v and -v, so that a decomposition has a unique result.
// The chosen sign makes the entry of largest size positive; of entries within 1e-6 of the largest, which rounding may
// reorder, the first counts. O(n) per vector.

/// Whether -x is the chosen one of x and -x.
[[nodiscard]] bool points_down(const Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>& x);

/// Flips the columns that point down.
void fix_signs(Eigen::Ref<Matrix> vectors);

}  // namespace alidade
