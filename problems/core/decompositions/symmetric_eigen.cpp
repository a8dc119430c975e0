#include "problems/core/decompositions/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace alidade {

SymmetricEigen::SymmetricEigen(const Eigen::MatrixXd& matrix, bool vectors) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      matrix, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  converged_ = solver.info() == Eigen::Success;
  eigenvalues_ = solver.eigenvalues();
  if (vectors) eigenvectors_ = solver.eigenvectors();
}

}  // namespace alidade
