#include "problems/programs/solution.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/decompositions/symmetric_eigen.hpp"

namespace alidade {

// Not in the header: a product of matrices would cost every file that includes it half a second to compile.
Matrix SemidefiniteSolution::Block::dense() const { return factored ? values * values.transpose() : values; }

Eigen::MatrixXd SemidefiniteSolution::Block::principal_axes() const {
  Eigen::MatrixXd axes;  // n x k, columns by falling length
  if (factored) {
    const Eigen::MatrixXd u = values;
    const SymmetricEigen eigen(u.transpose() * u);
    axes = u * eigen.eigenvectors().rowwise().reverse();
  } else {
    constexpr double kNegligible = 1e-12;
    const SymmetricEigen eigen{Eigen::MatrixXd(values)};
    const Index n = values.rows();
    Index count = 0;
    while (count < n && eigen.eigenvalues()[n - 1 - count] > kNegligible * std::max(eigen.eigenvalues()[n - 1], 1e-300))
      ++count;
    axes.resize(n, count);
    for (Index c = 0; c < count; ++c)
      axes.col(c) = eigen.eigenvectors().col(n - 1 - c) * std::sqrt(eigen.eigenvalues()[n - 1 - c]);
  }
  for (Index c = 0; c < axes.cols(); ++c) {
    Index where = 0;
    if (axes.rows() > 0) axes.col(c).cwiseAbs().maxCoeff(&where);
    if (axes.rows() > 0 && axes(where, c) < 0) axes.col(c) = -axes.col(c).eval();
  }
  return axes;
}

}  // namespace alidade
