// The problem `psde`: the PsdeProgram of a data set's pair signs, with its options.
// [GR07] Eq. 3.
// Cyclic similarity can only be satisfied by ties; a note says so.
#pragma once

#include "problems/contract/problem_entry.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::semidefinite {

/// @throws DataError, ConfigError
[[nodiscard]] ProblemEntry psde_entry();

}  // namespace alidade::semidefinite
