#include "solvers/semidefinite/highest_pairs.hpp"

#include <Spectra/SymEigsSolver.h>

#include <stdexcept>

namespace alidade {
namespace {

/// The map as Spectra wants it.
struct MapOfProducts {
  using Scalar = double;
  Index n;
  const std::function<void(const double*, double*)>& apply;
  [[nodiscard]] Index rows() const { return n; }
  [[nodiscard]] Index cols() const { return n; }
  void perform_op(const double* in, double* out) const { apply(in, out); }
};

}  // namespace

HighestPairs highest_pairs(Index n, const std::function<void(const double*, double*)>& apply, Index count, Index basis,
                           Index restarts, double tolerance) {
  HighestPairs out;
  MapOfProducts map{n, apply};
  try {
    Spectra::SymEigsSolver<MapOfProducts> solver(map, count, basis);
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

}  // namespace alidade
