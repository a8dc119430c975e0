// All eigenvalues and eigenvectors of a dense symmetric matrix.
// Tridiagonal form and the symmetric QR algorithm, Golub & Van Loan, section 8.3: Eigen's SelfAdjointEigenSolver,
// compiled once, because it takes ten seconds per file. Only the lower triangle is read.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

class SymmetricEigen {
 public:
  /// O(n^3) for n x n, n >= 1; `vectors`: whether to compute eigenvectors.
  explicit SymmetricEigen(const Eigen::MatrixXd& matrix, bool vectors = true);

  /// Whether it converged; this requires finite entries.
  [[nodiscard]] bool converged() const { return converged_; }
  /// n, ascending; meaningless if it did not converge.
  [[nodiscard]] const Eigen::VectorXd& eigenvalues() const { return eigenvalues_; }
  /// n x n, orthonormal columns in the order of the values; 0 x 0 if not requested.
  [[nodiscard]] const Eigen::MatrixXd& eigenvectors() const { return eigenvectors_; }

 private:
  Eigen::VectorXd eigenvalues_;
  Eigen::MatrixXd eigenvectors_;
  bool converged_ = false;
};

}  // namespace alidade
