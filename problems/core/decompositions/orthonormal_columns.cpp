#include "problems/core/decompositions/orthonormal_columns.hpp"

#include <Eigen/QR>

namespace alidade {

Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& spanning, Index count) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(spanning);
  return qr.householderQ() * Eigen::MatrixXd::Identity(spanning.rows(), count);
}

Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& spanning) {
  return orthonormal_columns(spanning, spanning.cols());
}

}  // namespace alidade
