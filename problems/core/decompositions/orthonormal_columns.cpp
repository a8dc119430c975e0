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

struct PivotedQr::Factor : Eigen::ColPivHouseholderQR<Eigen::MatrixXd> {
  using ColPivHouseholderQR::ColPivHouseholderQR;
};

PivotedQr::PivotedQr(const Eigen::MatrixXd& a, double threshold) {
  const auto factor = std::make_shared<Factor>(a);
  factor->setThreshold(threshold);
  factor_ = factor;
}

Eigen::MatrixXd PivotedQr::left_null_space() const {
  const Index m = factor_->rows();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(m, m - factor_->rank());
  out.bottomRows(out.cols()).setIdentity();
  out.applyOnTheLeft(factor_->householderQ());
  return out;
}

Vector PivotedQr::transposed_solve(const Vector& b) const {
  const Index rank = factor_->rank();
  Eigen::VectorXd out = Eigen::VectorXd::Zero(factor_->rows());
  const Eigen::VectorXd permuted = factor_->colsPermutation().transpose() * b;
  out.head(rank) = permuted.head(rank);
  auto head = out.head(rank);
  factor_->matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().transpose().solveInPlace(head);
  out.applyOnTheLeft(factor_->householderQ());
  return out;
}

}  // namespace alidade
