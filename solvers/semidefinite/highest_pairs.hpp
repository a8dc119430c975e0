// Eigenpairs at one end of a symmetric map that is known by its products, by restarted Lanczos (Spectra).
// For certificates, which need the lower end of a slack matrix, where its eigenvectors are directions of escape.
// Values are of the map at the vectors found: no bounds of eigenvalues.
#pragma once

#include <functional>

#include "problems/core/types.hpp"

namespace alidade {

struct EndPairs {
  bool complete = false;      // whether all that were asked for converged
  Vector values{};            // of those that converged, from the end; empty also if Lanczos broke down
  Eigen::MatrixXd vectors{};  // in columns
  Index products = 0;         // how often the map was applied
};

/// image = map(in), n numbers.
using SymmetricMap = std::function<void(const double* in, double* image)>;

/// Those of the largest eigenvalues; `basis` vectors are kept between restarts; `tolerance` is relative to the
/// eigenvalue. Up to 60 rows by a dense decomposition. Deterministic.
[[nodiscard]] EndPairs highest_pairs(Index n, const SymmetricMap& map, Index count, Index basis, Index restarts,
                                     double tolerance);
/// Those of the least, by way of `above` I - map: `above` is no less than any eigenvalue, and `tolerance` relative to
/// it.
[[nodiscard]] EndPairs lowest_pairs(Index n, const SymmetricMap& map, double above, Index count, Index basis,
                                    Index restarts, double tolerance);

}  // namespace alidade
