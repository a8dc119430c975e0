#include "problems/spaces/symmetric_matrices.hpp"

#include <cmath>

#include "problems/core/decompositions/symmetric_eigen.hpp"

namespace alidade {

Eigen::MatrixXd symmetric_part(std::span<const double> v, Index n) {
  const Eigen::Map<const Eigen::MatrixXd> m(v.data(), n, n);
  Eigen::MatrixXd out(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i) out(i, j) = out(j, i) = i == j ? m(i, i) : (m(i, j) + m(j, i)) / 2;
  return out;
}

void write_symmetric(const Eigen::MatrixXd& m, std::span<double> out) {
  const Index n = m.rows();
  Eigen::Map<Eigen::MatrixXd> to(out.data(), n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i) to(i, j) = to(j, i) = i == j ? m(i, i) : (m(i, j) + m(j, i)) / 2;
}

double frobenius_inner(std::span<const double> u, std::span<const double> v) {
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
  return sum;
}

void write_log_normal(Rng& rng, Index n, std::span<double> out) {
  Eigen::MatrixXd logarithm(n, n);
  const double scale = 1 / std::sqrt(static_cast<double>(n));
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i)
      logarithm(i, j) = logarithm(j, i) = (i == j ? std::sqrt(2.0) : 1) * scale * rng.normal();
  const SymmetricEigen eigen(logarithm);
  const Eigen::VectorXd values = eigen.eigenvalues().array().exp();
  write_symmetric(eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose(), out);
}

double distance_from_cone(std::span<const double> x, Index n) {
  const Eigen::MatrixXd symmetric = symmetric_part(x, n);
  const Eigen::Map<const Eigen::MatrixXd> all(x.data(), n, n);
  const double skew = (all - symmetric).norm();
  const SymmetricEigen eigen(symmetric, false);
  return std::hypot(skew, eigen.eigenvalues().cwiseMin(0.0).norm());
}

}  // namespace alidade
