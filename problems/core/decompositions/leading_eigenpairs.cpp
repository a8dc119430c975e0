#include "problems/core/decompositions/leading_eigenpairs.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/random.hpp"

namespace alidade {

namespace {

constexpr Index kSmall = 160;      // all eigenvectors cost no more than a few products
constexpr Index kBlocksKept = 12;  // kept before a restart
constexpr Index kMostProducts = 500;
constexpr double kDependent = 1e-10;  // relative to a column's length before orthogonalisation
constexpr std::uint64_t kSeed = 0x5eed;

LeadingEigenpairs by_all(Index n, Index count, const BlockProduct& apply) {
  LeadingEigenpairs out;
  Matrix all(n, n);
  apply(Matrix::Identity(n, n), all);
  const SymmetricEigen solver(Eigen::MatrixXd(0.5 * (all + all.transpose())));
  out.vectors = solver.eigenvectors().rightCols(count).rowwise().reverse();
  out.values = solver.eigenvalues().tail(count).reverse();
  return out;
}

/// Appends the new directions of `block` to the `used` orthonormal columns of `basis`, column by column. Replaces
/// dependent columns by random ones. Returns the number of columns used then.
Index extend(Matrix& basis, Index used, Matrix& block, Rng& rng) {
  for (Index c = 0; c < block.cols() && used < basis.cols(); ++c) {
    Vector v = block.col(c);
    for (int attempt = 0; attempt < 8; ++attempt) {
      const double before = v.norm();
      for (int twice = 0; twice < 2; ++twice) v -= basis.leftCols(used) * (basis.leftCols(used).transpose() * v).eval();
      const double after = v.norm();
      if (after > kDependent * before && after > 0 && std::isfinite(after)) {
        basis.col(used) = v / after;
        basis.col(used) -= basis.leftCols(used) * (basis.leftCols(used).transpose() * basis.col(used)).eval();
        basis.col(used).normalize();
        ++used;
        break;
      }
      for (double& entry : v) entry = rng.normal();
    }
  }
  return used;
}

}  // namespace

LeadingEigenpairs leading_eigenpairs(Index n, Index count, const BlockProduct& apply, double tolerance,
                                     double sufficient) {
  count = std::min(count, n);
  const Index width = count + 2, room = kBlocksKept * width;
  LeadingEigenpairs out;
  if (n <= kSmall || 2 * room > n) {
    out = by_all(n, count, apply);
    fix_signs(out.vectors);
    return out;
  }
  Rng rng(kSeed);
  Matrix basis(n, room), image(n, room), block(n, width), product(n, width);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < width; ++c) block(i, c) = rng.normal();
  Index used = 0, imaged = 0;
  while (out.products < kMostProducts) {
    used = extend(basis, used, block, rng);
    const Index added = used - imaged;
    block = basis.middleCols(imaged, added);
    product.resize(n, added);
    apply(block, product);
    ++out.products;
    image.middleCols(imaged, added) = product;
    imaged = used;
    Eigen::MatrixXd inner = basis.leftCols(used).transpose() * image.leftCols(used);
    const SymmetricEigen ritz(Eigen::MatrixXd(0.5 * (inner + inner.transpose())));
    const double norm = ritz.eigenvalues().cwiseAbs().maxCoeff();
    const Index kept = std::min(width, used);
    const Eigen::MatrixXd best = ritz.eigenvectors().rightCols(kept).rowwise().reverse();
    const Vector values = ritz.eigenvalues().tail(kept).reverse();
    const Matrix vectors = basis.leftCols(used) * best;
    const Matrix images = image.leftCols(used) * best;
    block = images - vectors * values.asDiagonal();
    // A Ritz value is at most its eigenvalue.
    if (block.leftCols(count).colwise().norm().maxCoeff() <= tolerance * norm || values[count - 1] >= sufficient) {
      out.vectors = vectors.leftCols(count);
      out.values = values.head(count);
      fix_signs(out.vectors);
      return out;
    }
    if (used + kept > room) {
      // Restart with the best vectors of two blocks and their residuals.
      const Index carried = std::min(2 * width, used);
      const Eigen::MatrixXd more = ritz.eigenvectors().rightCols(carried).rowwise().reverse();
      const Matrix carried_vectors = basis.leftCols(used) * more;
      const Matrix carried_images = image.leftCols(used) * more;
      basis.leftCols(carried) = carried_vectors;
      image.leftCols(carried) = carried_images;
      used = imaged = carried;
    }
  }
  const Index products = out.products;
  out = by_all(n, count, apply);
  out.products = products;
  fix_signs(out.vectors);
  return out;
}

bool points_down(const Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>& x) {
  constexpr double kSameSize = 1e-6;  // entries that differ by less are equally large
  const double largest = x.cwiseAbs().maxCoeff();
  for (const double entry : x)
    if (std::abs(entry) >= (1 - kSameSize) * largest) return entry < 0;
  return false;
}

void fix_signs(Eigen::Ref<Matrix> vectors) {
  for (Index c = 0; c < vectors.cols(); ++c)
    if (points_down(vectors.col(c))) vectors.col(c) *= -1;
}

}  // namespace alidade
