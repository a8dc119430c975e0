#include "problems/core/decompositions/thin_svd.hpp"

#include <Eigen/SVD>
#include <utility>

#include "problems/core/decompositions/orthonormal_columns.hpp"

namespace alidade {

ThinSvd::ThinSvd(const Eigen::MatrixXd& matrix) {
  if (matrix.rows() < matrix.cols()) {
    *this = ThinSvd(matrix.transpose());
    std::swap(left_, right_);
    return;
  }
  if (matrix.size() == 0) {
    left_.resize(matrix.rows(), 0);
    right_.resize(matrix.cols(), 0);
    return;
  }
  const bool square = matrix.rows() == matrix.cols();
  const Eigen::MatrixXd basis = square ? Eigen::MatrixXd() : orthonormal_columns(matrix);
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> svd(
      square ? matrix : Eigen::MatrixXd(basis.transpose() * matrix), Eigen::ComputeFullU | Eigen::ComputeFullV);
  values_ = svd.singularValues();
  left_ = square ? svd.matrixU() : Eigen::MatrixXd(basis * svd.matrixU());
  right_ = svd.matrixV();
}

}  // namespace alidade
