// Which of an eigenvector v and -v is taken, so that a decomposition has one result.
// The one whose largest entry in size is positive: of entries within 1e-6 of the largest, which rounding may order
// either way, the first. O(n) a vector.
#pragma once

#include "problems/core/types.hpp"

namespace alidade {

/// Whether -x is to be taken for x.
[[nodiscard]] bool points_down(const Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>& x);

/// Turns the columns round that point down.
void fix_signs(Eigen::Ref<Matrix> vectors);

}  // namespace alidade
