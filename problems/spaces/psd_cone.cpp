#include "problems/spaces/psd_cone.hpp"

#include <fmt/core.h>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/spaces/manifold.hpp"
#include "problems/spaces/symmetric_matrices.hpp"

namespace alidade {
namespace {

/// Writes the matrix of the cone nearest to a symmetric one; itself, bit for bit, if it is positive definite.
void write_nearest(const Eigen::MatrixXd& m, std::span<double> out) {
  if (Cholesky(m).positive()) return write_symmetric(m, out);
  const SymmetricEigen eigen(m);
  const Eigen::VectorXd values = eigen.eigenvalues().cwiseMax(0.0);
  write_symmetric(eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose(), out);
}

}  // namespace

static_assert(RowManifold<PsdCone>);

std::string PsdCone::name() const { return fmt::format("psd_cone({})", order); }

void PsdCone::project(ConstRowSpan, ConstRowSpan v, RowSpan out) const {
  write_symmetric(symmetric_part(v, order), out);
}

void PsdCone::retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  write_nearest(symmetric_part(x, order) + symmetric_part(v, order), out);
}

double PsdCone::inner(ConstRowSpan, ConstRowSpan u, ConstRowSpan v) const { return frobenius_inner(u, v); }

void PsdCone::repair(ConstRowSpan x, RowSpan out) const { write_nearest(symmetric_part(x, order), out); }

void PsdCone::random(Rng& rng, RowSpan out) const { write_log_normal(rng, order, out); }

double PsdCone::residual(ConstRowSpan x) const { return distance_from_cone(x, order); }

}  // namespace alidade
