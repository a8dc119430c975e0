#include "problems/distances/classical_scaling.hpp"

#include <algorithm>
#include <cmath>

#include "problems/distances/leading_eigenpairs.hpp"

namespace alidade::spectral {
ClassicalScaling classical_scaling(const Eigen::Ref<const Matrix>& D2, Index d, Executor& executor) {
  constexpr Index kRowsAtOnce = 128;
  const Index n = D2.rows();
  // B X without forming B: subtract the means of X and of the product.
  Matrix centred;
  const LeadingEigenpairs found = leading_eigenpairs(n, std::min(d, n), [&](const Matrix& X, Matrix& product) {
    centred = X.rowwise() - X.colwise().mean();
    executor.run_chunks(n, kRowsAtOnce, [&](const Chunk& chunk) {
      const Index rows = chunk.last - chunk.first;
      product.middleRows(chunk.first, rows).noalias() = -0.5 * D2.middleRows(chunk.first, rows) * centred;
    });
    const Eigen::RowVectorXd mean = product.colwise().mean();
    product.rowwise() -= mean;
  });
  ClassicalScaling out{Matrix::Zero(n, d), Matrix::Zero(n, d), Vector::Zero(d)};
  const Index k = found.values.size();
  out.vectors.leftCols(k) = found.vectors;
  out.eigenvalues.head(k) = found.values;
  for (Index c = 0; c < k; ++c)
    if (found.values[c] > kNoVariance * found.values[0] && found.values[c] > 0)
      out.coordinates.col(c) = std::sqrt(found.values[c]) * found.vectors.col(c);
  return out;
}

}  // namespace alidade::spectral
