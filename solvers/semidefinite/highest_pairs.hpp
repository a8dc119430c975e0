// The highest eigenpairs of a symmetric map that is known by its products, by restarted Lanczos (Spectra).
// For certificates, which need the lower end of a slack matrix: of sigma I minus it this is the upper one.
// Values are of the map at the vectors found: no bounds of eigenvalues.
#pragma once

#include <functional>

#include "problems/core/types.hpp"

namespace alidade {

struct HighestPairs {
  bool complete = false;      // whether all that were asked for converged
  Vector values{};            // of those that converged, falling; empty also if Lanczos broke down
  Eigen::MatrixXd vectors{};  // in columns
  Index products = 0;         // how often the map was applied
};

/// `apply(in, out)` maps n numbers; basis > count are kept between restarts; `tolerance` is relative to the eigenvalue.
/// Deterministic.
[[nodiscard]] HighestPairs highest_pairs(Index n, const std::function<void(const double*, double*)>& apply, Index count,
                                         Index basis, Index restarts, double tolerance);

}  // namespace alidade
