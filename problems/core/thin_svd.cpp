#include "problems/core/thin_svd.hpp"

#include <Eigen/SVD>

namespace alidade {

ThinSvd::ThinSvd(const Eigen::MatrixXd& matrix) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  values_ = svd.singularValues();
  left_ = svd.matrixU();
  right_ = svd.matrixV();
}

}  // namespace alidade
