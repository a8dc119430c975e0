#include "solvers/semidefinite/highest_pairs.hpp"

#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <stdexcept>

#include "problems/core/decompositions/symmetric_eigen.hpp"

namespace alidade {
namespace {

/// The map as Spectra wants it.
struct MapOfProducts {
  using Scalar = double;
  Index n;
  const SymmetricMap& apply;
  [[nodiscard]] Index rows() const { return n; }
  [[nodiscard]] Index cols() const { return n; }
  void perform_op(const double* in, double* out) const { apply(in, out); }
};

}  // namespace

EndPairs highest_pairs(Index n, const SymmetricMap& map, Index count, Index basis, Index restarts, double tolerance) {
  constexpr Index kDense = 60;
  if (n <= kDense || count + 1 >= n) {
    Eigen::MatrixXd dense(n, n);
    for (Index i = 0; i < n; ++i) {
      const Vector e = Vector::Unit(n, i);
      map(e.data(), dense.col(i).data());
    }
    const SymmetricEigen eigen(dense);
    return {true, eigen.eigenvalues().tail(count).reverse(), eigen.eigenvectors().rightCols(count).rowwise().reverse(),
            n};
  }
  EndPairs out;
  MapOfProducts products{n, map};
  try {
    Spectra::SymEigsSolver<MapOfProducts> solver(products, count, std::min(n, std::max(basis, 2 * count + 1)));
    solver.init();
    solver.compute(Spectra::SortRule::LargestAlge, restarts, tolerance);
    out.products = static_cast<Index>(solver.num_operations());
    out.complete = solver.info() == Spectra::CompInfo::Successful;
    out.values = solver.eigenvalues();
    if (out.values.size() > 0) out.vectors = solver.eigenvectors(out.values.size());
  } catch (const std::runtime_error&) {  // of Spectra: Lanczos broke down
    out = {};
  }
  return out;
}

EndPairs lowest_pairs(Index n, const SymmetricMap& map, double above, Index count, Index basis, Index restarts,
                      double tolerance) {
  const auto flipped = [&](const double* in, double* image) {
    map(in, image);
    Eigen::Map<Vector> out(image, n);
    out = above * Eigen::Map<const Vector>(in, n) - out;
  };
  EndPairs out = highest_pairs(n, flipped, count, basis, restarts, tolerance);
  out.values = above - out.values.array();
  return out;
}

}  // namespace alidade
