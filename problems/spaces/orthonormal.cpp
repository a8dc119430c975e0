#include "problems/spaces/orthonormal.hpp"

#include <fmt/core.h>

#include "problems/core/decompositions/thin_svd.hpp"
#include "problems/core/types.hpp"
#include "problems/spaces/manifold.hpp"

namespace alidade {
namespace {

using RowsByColumns = Eigen::Map<const Matrix>;

/// Writes the matrix with orthonormal columns that is nearest to `m`.
void write_orthogonal_factor(const Eigen::MatrixXd& m, std::span<double> out) {
  // A long step would make squares infinite.
  const double largest = m.cwiseAbs().maxCoeff();
  const ThinSvd svd(largest > 0 ? Eigen::MatrixXd(m / largest) : m);
  Eigen::Map<Matrix>(out.data(), m.rows(), m.cols()) = svd.left() * svd.right().transpose();
}

}  // namespace

static_assert(RowManifold<Stiefel> && RowManifold<Grassmann>);

std::string Stiefel::name() const { return fmt::format("stiefel({}, {})", rows, cols); }

void Stiefel::project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  const RowsByColumns X(x.data(), rows, cols), V(v.data(), rows, cols);
  const Matrix inner = X.transpose() * V;
  const Matrix projected = V - X * (inner + inner.transpose()) / 2;
  Eigen::Map<Matrix>(out.data(), rows, cols) = projected;
}

void Stiefel::retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  write_orthogonal_factor(RowsByColumns(x.data(), rows, cols) + RowsByColumns(v.data(), rows, cols), out);
}

double Stiefel::inner(ConstRowSpan, ConstRowSpan u, ConstRowSpan v) const {
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
  return sum;
}

void Stiefel::repair(ConstRowSpan x, RowSpan out) const {
  write_orthogonal_factor(RowsByColumns(x.data(), rows, cols), out);
}

void Stiefel::random(Rng& rng, RowSpan out) const {
  for (double& entry : out) entry = rng.normal();
  repair(out, out);
}

double Stiefel::residual(ConstRowSpan x) const {
  return (ThinSvd(RowsByColumns(x.data(), rows, cols)).values().array() - 1).matrix().norm();
}

std::string Grassmann::name() const { return fmt::format("grassmann({}, {})", rows, cols); }

void Grassmann::project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  const RowsByColumns X(x.data(), rows, cols), V(v.data(), rows, cols);
  const Matrix projected = V - X * (X.transpose() * V);
  Eigen::Map<Matrix>(out.data(), rows, cols) = projected;
}

}  // namespace alidade
