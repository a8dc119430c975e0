// The map of a solution: its points on their widest principal axes, and how much of the variance these show.
// Spectral decomposition of the Gram matrix ([GR07] section 3). For problems whose solution may have any rank.
// Example: drawn_axes(solution.blocks.front().principal_axes(), 2)
#pragma once

#include "problems/contract/embedding.hpp"
#include "problems/core/options.hpp"

namespace alidade::semidefinite {

/// The option of every problem that draws them.
struct DrawnAxes {
  Index n_components = 2;
  [[nodiscard]] static const OptionList<DrawnAxes>& list();
};

/// The first `n_components` columns of `points` (n x k, orthogonal columns, longest first), zeros beyond k; 0: as many
/// as there are eigenvalues above 1e-5 of their sum. Estimates: `eigenvalue_share` (of these axes) and `rank` (the
/// number of such eigenvalues).
[[nodiscard]] Embedding drawn_axes(const Matrix& points, Index n_components);

}  // namespace alidade::semidefinite
