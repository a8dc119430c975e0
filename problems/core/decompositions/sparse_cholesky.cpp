#include "problems/core/decompositions/sparse_cholesky.hpp"

#include <Eigen/SparseCholesky>

namespace alidade {

struct SparseCholesky::Factor : Eigen::SimplicialCholesky<Sparse> {
  using SimplicialCholesky::m_diag, SimplicialCholesky::m_matrix, SimplicialCholesky::m_nonZerosPerCol;
};

SparseCholesky::SparseCholesky(Form form) : factor_(std::make_shared<Factor>()) {
  factor_->setMode(form == Form::llt ? Eigen::SimplicialCholeskyLLT : Eigen::SimplicialCholeskyLDLT);
}

void SparseCholesky::plan(const Sparse& pattern) { factor_->analyzePattern(pattern); }

double SparseCholesky::fill() const {
  double sum = 0;
  for (const int count : factor_->m_nonZerosPerCol) sum += count;
  return sum;
}

bool SparseCholesky::factor(const Sparse& a, double shift) {
  factor_->setShift(shift);
  factor_->factorize(a);
  return factor_->info() == Eigen::Success;
}

Vector SparseCholesky::solve(const Vector& b) const { return factor_->solve(b); }
Eigen::MatrixXd SparseCholesky::solve(const Eigen::MatrixXd& b) const { return factor_->solve(b); }
const Vector& SparseCholesky::pivots() const { return factor_->m_diag; }
const SparseCholesky::Sparse& SparseCholesky::below_diagonal() const { return factor_->m_matrix; }

}  // namespace alidade
