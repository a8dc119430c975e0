// Chooses between an eigenvector v and -v, so that a decomposition has a unique result.
// The chosen sign makes the entry of largest size positive; of entries within 1e-6 of the largest, which rounding may
// reorder, the first counts. O(n) per vector.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

/// Whether -x is the chosen one of x and -x.
[[nodiscard]] bool points_down(const Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>& x);

/// Flips the columns that point down.
void fix_signs(Eigen::Ref<Matrix> vectors);

}  // namespace alidade
