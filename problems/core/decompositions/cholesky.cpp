#include "problems/core/decompositions/cholesky.hpp"

#include <Eigen/Cholesky>

namespace alidade {

bool cholesky_in_place(Eigen::Ref<Eigen::MatrixXd> a) {
  return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(a).info() == Eigen::Success;
}

void solve_lower_in_place(const Eigen::Ref<const Eigen::MatrixXd>& l, Eigen::Ref<Eigen::MatrixXd> b) {
  l.triangularView<Eigen::Lower>().solveInPlace(b);
}

void solve_transposed_lower_in_place(const Eigen::Ref<const Eigen::MatrixXd>& l, Eigen::Ref<Eigen::MatrixXd> b) {
  l.triangularView<Eigen::Lower>().transpose().solveInPlace(b);
}

void solve_transposed_lower_from_right(const Eigen::Ref<const Eigen::MatrixXd>& l, Eigen::Ref<Eigen::MatrixXd> b) {
  l.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(b);
}

Vector Cholesky::solve(Vector b) const {
  l_.triangularView<Eigen::Lower>().solveInPlace(b);
  l_.triangularView<Eigen::Lower>().transpose().solveInPlace(b);
  return b;
}

Eigen::MatrixXd Cholesky::solve(Eigen::MatrixXd b) const {
  solve_lower_in_place(l_, b);
  solve_transposed_lower_in_place(l_, b);
  return b;
}

struct PivotedCholesky::Factor : Eigen::LDLT<Eigen::MatrixXd> {
  using LDLT::LDLT;
};

PivotedCholesky::PivotedCholesky(const Eigen::MatrixXd& a) : factor_(std::make_shared<const Factor>(a)) {}

Vector PivotedCholesky::solve(const Vector& b) const { return factor_->solve(b); }

Vector PivotedCholesky::root_times(const Vector& z) const {
  const Vector scaled = factor_->vectorD().array().max(0).sqrt() * z.array();
  return factor_->transpositionsP().transpose() * Vector(factor_->matrixL() * scaled);
}

}  // namespace alidade
