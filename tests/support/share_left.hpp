// How far a map is from the truth when place, turn and scale are free.
// One home for tests of problems and solvers, which can not reach the metrics of the command.
// By eigenvalues, where the metrics and what is tested take singular values.
#pragma once

#include "problems/core/types.hpp"

namespace alidade::testing {

/// Share of the truth's squared size that the best similarity transform of `map` leaves; both n x d.
[[nodiscard]] double share_left(const Matrix& map, const Matrix& truth);

}  // namespace alidade::testing
