// The problem `psde`: PsdeProgram of a data set's pair signs, with its options.
// [GR07] Eq. 3.
// Similarity that is cyclic leaves ties only, which is noted.
#pragma once

#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem.hpp"

namespace alidade::semidefinite {

[[nodiscard]] std::vector<OptionInfo> psde_options();
/// @throws DataError, ConfigError
[[nodiscard]] Problem make_psde(const Observations& observations, const Table& options);

}  // namespace alidade::semidefinite
