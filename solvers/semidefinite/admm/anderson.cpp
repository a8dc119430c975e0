#include "solvers/semidefinite/admm/anderson.hpp"

#include <algorithm>

#include "problems/core/decompositions/cholesky.hpp"

namespace alidade {

Anderson::Anderson(Index memory, Index size) : memory_(memory) {
  if (memory == 0) return;
  steps_.setZero(size, memory);
  images_.setZero(size, memory);
  products_.setZero(memory, memory);
}

void Anderson::add(const Vector& s, const Vector& image) {
  if (memory_ == 0) return;
  const Vector step = image - s;
  if (any_) {
    steps_.col(next_) = step - last_step_;
    images_.col(next_) = image - last_image_;
    count_ = std::min(count_ + 1, memory_);
    products_.col(next_).head(count_).noalias() = steps_.leftCols(count_).transpose() * steps_.col(next_);
    products_.row(next_) = products_.col(next_).transpose();
    next_ = (next_ + 1) % memory_;
  }
  last_step_ = step;
  last_image_ = image;
  any_ = true;
}

bool Anderson::extrapolate(Vector& s) const {
  if (count_ < 2) return false;
  constexpr double kRidge = 1e-10;
  Eigen::MatrixXd normal = products_.topLeftCorner(count_, count_);
  normal.diagonal().array() += kRidge * normal.trace();
  const Eigen::VectorXd weights = PivotedCholesky(normal).solve(steps_.leftCols(count_).transpose() * last_step_);
  if (!weights.allFinite()) return false;
  s = last_image_;
  s.noalias() -= images_.leftCols(count_) * weights;
  return true;
}

void Anderson::forget() {
  count_ = next_ = 0;
  any_ = false;
}

}  // namespace alidade
