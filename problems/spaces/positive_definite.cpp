#include "problems/spaces/positive_definite.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/spaces/manifold.hpp"
#include "problems/spaces/symmetric_matrices.hpp"

namespace alidade {
namespace {

constexpr double kLeastShare = 1e-14;   // of the largest eigenvalue
constexpr double kLeastValue = 1e-150;  // of any
constexpr double kLongestStep = 1e100;  // step, relative to X: its square is finite
using Dense = Eigen::MatrixXd;

struct Roots {
  Dense root, inverse;  // X^1/2 and X^-1/2
};
Dense with_values(const SymmetricEigen& eigen, const Eigen::VectorXd& values) {
  return eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
}
Eigen::VectorXd raised(const Eigen::VectorXd& values) {
  return values.cwiseMax(std::max(kLeastValue, kLeastShare * values.maxCoeff()));
}
Roots roots_of(const Dense& x) {
  const SymmetricEigen eigen(x);
  const Eigen::VectorXd roots = raised(eigen.eigenvalues()).cwiseSqrt();
  return {with_values(eigen, roots), with_values(eigen, roots.cwiseInverse())};
}
Dense root_of(const Dense& x) {
  const SymmetricEigen eigen(x);
  return with_values(eigen, raised(eigen.eigenvalues()).cwiseSqrt());
}

/// Writes the matrix, with eigenvalues raised only if rounding made one negative.
void write_definite(const Dense& m, std::span<double> out) {
  if (Cholesky(m).positive()) return write_symmetric(m, out);
  const SymmetricEigen eigen(m);
  write_symmetric(with_values(eigen, raised(eigen.eigenvalues())), out);
}

}  // namespace

static_assert(RowManifold<PositiveDefinite>);

std::string PositiveDefinite::name() const { return fmt::format("positive_definite({})", order); }

void PositiveDefinite::project(ConstRowSpan, ConstRowSpan v, RowSpan out) const {
  write_symmetric(symmetric_part(v, order), out);
}

void PositiveDefinite::gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const {
  const Dense X = symmetric_part(x, order);
  write_symmetric(X * symmetric_part(g, order) * X, out);
}

void PositiveDefinite::frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  const Dense root = root_of(symmetric_part(x, order));
  write_symmetric(root * symmetric_part(v, order) * root, out);
}

void PositiveDefinite::retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  const Dense X = symmetric_part(x, order);
  Dense V = symmetric_part(v, order);
  const Dense inverse = roots_of(X).inverse;
  if (const double longest = (inverse * V * inverse).cwiseAbs().maxCoeff(); longest > kLongestStep)
    V *= kLongestStep / longest;
  const Dense half = inverse * V;  // V X^-1 V = half' half
  write_definite(X + V + half.transpose() * half / 2, out);
}

void PositiveDefinite::transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const {
  const auto [root, inverse] = roots_of(symmetric_part(x, order));
  const Dense E = root * root_of(inverse * symmetric_part(x_new, order) * inverse) * inverse;
  write_symmetric(E * symmetric_part(v, order) * E.transpose(), out);
}

double PositiveDefinite::inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const {
  const Dense inverse = roots_of(symmetric_part(x, order)).inverse;
  const Dense U = inverse * symmetric_part(u, order) * inverse, V = inverse * symmetric_part(v, order) * inverse;
  return U.cwiseProduct(V).sum();
}

void PositiveDefinite::repair(ConstRowSpan x, RowSpan out) const {
  const Dense X = symmetric_part(x, order);
  const SymmetricEigen eigen(X);
  const Eigen::VectorXd values = raised(eigen.eigenvalues());
  write_symmetric(values == eigen.eigenvalues() ? X : with_values(eigen, values), out);
}

void PositiveDefinite::random(Rng& rng, RowSpan out) const { write_log_normal(rng, order, out); }

double PositiveDefinite::residual(ConstRowSpan x) const { return distance_from_cone(x, order); }

}  // namespace alidade
