#include "tests/support/share_left.hpp"

#include "problems/core/thin_svd.hpp"

namespace alidade::testing {

double share_left(const Matrix& map, const Matrix& truth) {
  const Matrix a = map.rowwise() - map.colwise().mean(),
               b = truth.rowwise() - truth.colwise().mean();
  const double nuclear = ThinSvd(a.transpose() * b).values().sum();
  return 1 - nuclear * nuclear / (a.squaredNorm() * b.squaredNorm());
}

}  // namespace alidade::testing
