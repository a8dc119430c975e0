// Principal components of a feature table: the directions of largest variance and each row's place along them.
// Pearson 1901, Hotelling 1933; from the covariance of the features, or from the Gram matrix if there are fewer rows.
// Rows are centred here; features are not scaled.
#pragma once

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"

namespace alidade {

struct PrincipalComponents {
  Vector mean;       // p
  Matrix scores;     // n x d: rows minus mean, times axes
  Matrix axes;       // p x d, orthonormal columns; zero beyond the rank
  Vector variances;  // d, descending, of the scores (divided by n); 0 beyond the rank
};

/// The matrix whose leading eigenvectors give the components: (X - mean)^T (X - mean) of p features or, if there are
/// fewer rows, (X - mean) (X - mean)^T.
struct ScatterMatrix {
  bool by_features = true;
  Vector mean;    // p
  Matrix values;  // min(n, p) squared, symmetric
};
/// X in float or double. Sums in double. Same bits for any number of threads. O(n p min(n, p)).
template <class Real>
[[nodiscard]] ScatterMatrix scatter_matrix(const RowMajorMatrix<Real>& X, Executor& executor);
/// The first `count` components. Columns of `vectors` are the leading eigenvectors of the scatter matrix; `values` are
/// its eigenvalues, descending. Signs and ranks as below. O(n p count).
template <class Real>
[[nodiscard]] PrincipalComponents components_by(const RowMajorMatrix<Real>& X, const ScatterMatrix& scatter,
                                                const Matrix& vectors, const Vector& values, Index count);

/// The first `count` components of X (n x p), summed in double. The sign of a component makes its score of largest size
/// positive (the first of those, up to rounding). Components beyond the rank have zero
/// scores. Same bits for any number of threads.
/// @pre entries are finite, n >= 1, count >= 1. O(n p min(n, p) + min(n, p)^3), memory O(min(n, p)^2 + n + p).
template <class Real>
[[nodiscard]] PrincipalComponents principal_components(const RowMajorMatrix<Real>& X, Index count, Executor& executor);

extern template ScatterMatrix scatter_matrix(const RowMajorMatrix<float>&, Executor&);
extern template ScatterMatrix scatter_matrix(const RowMajorMatrix<double>&, Executor&);
extern template PrincipalComponents components_by(const RowMajorMatrix<float>&, const ScatterMatrix&, const Matrix&,
                                                  const Vector&, Index);
extern template PrincipalComponents components_by(const RowMajorMatrix<double>&, const ScatterMatrix&, const Matrix&,
                                                  const Vector&, Index);
extern template PrincipalComponents principal_components(const RowMajorMatrix<float>&, Index, Executor&);
extern template PrincipalComponents principal_components(const RowMajorMatrix<double>&, Index, Executor&);

}  // namespace alidade
