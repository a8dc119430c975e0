#include "tests/support/share_left.hpp"

#include "problems/core/decompositions/symmetric_eigen.hpp"

namespace alidade::testing {

double share_left(const Matrix& map, const Matrix& truth) {
  const Matrix a = map.rowwise() - map.colwise().mean(), b = truth.rowwise() - truth.colwise().mean();
  const Eigen::MatrixXd cross = a.transpose() * b;
  const double nuclear = SymmetricEigen(cross.transpose() * cross, false).eigenvalues().cwiseMax(0).cwiseSqrt().sum();
  return 1 - nuclear * nuclear / (a.squaredNorm() * b.squaredNorm());
}

}  // namespace alidade::testing
