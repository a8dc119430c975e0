// The problem `psde`: PsdeProgram of a data set's pair signs, with its options.
// [GR07] Eq. 3.
// Similarity that is cyclic leaves ties only, which is noted.
#pragma once

#include "problems/evidence/observations.hpp"
#include "problems/problem_entry.hpp"

namespace alidade::semidefinite {

/// @throws DataError, ConfigError
[[nodiscard]] ProblemEntry psde_entry();

}  // namespace alidade::semidefinite
