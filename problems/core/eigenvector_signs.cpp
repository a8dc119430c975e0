#include "problems/core/eigenvector_signs.hpp"

#include <cmath>

namespace alidade {

bool points_down(const Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>& x) {
  constexpr double kSameSize = 1e-6;  // entries that differ by less are equally large
  const double largest = x.cwiseAbs().maxCoeff();
  for (const double entry : x)
    if (std::abs(entry) >= (1 - kSameSize) * largest) return entry < 0;
  return false;
}

void fix_signs(Eigen::Ref<Matrix> vectors) {
  for (Index c = 0; c < vectors.cols(); ++c)
    if (points_down(vectors.col(c))) vectors.col(c) *= -1;
}

}  // namespace alidade
