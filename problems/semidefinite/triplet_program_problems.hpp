// Two semidefinite programs of triplets (rows of triplet_program.hpp).
// `gnmds_sdp`, [AWC07]:  min sum w xi + lambda tr G  s.t.  d2_near - d2_far + 1 <= xi, G psd.
//   G = 0 costs sum w, so lambda tr G <= sum w at an optimum: T = sum w / lambda.
// `psde_triplets`, ordered similarity j <=_i k:  min mean of w (d2_near - d2_far)  s.t.  d2_near - d2_far <= 0, tr G <= T:
//   of all maps that obey the triplets, the one in which what is far is farthest, on a budget of variance. Homogeneous in
//   G, so the optimum is 0 or has trace T; it is 0 only where all triplets tie in every map that obeys them.
#pragma once

#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem.hpp"

namespace alidade::semidefinite {

[[nodiscard]] std::vector<OptionInfo> gnmds_sdp_options();
/// @throws DataError, ConfigError
[[nodiscard]] Problem make_gnmds_sdp(const Observations& observations, const Table& options);

[[nodiscard]] std::vector<OptionInfo> psde_triplets_options();
/// @throws ConfigError for a margin without slacks, which may leave no map at all
void check_psde_triplets(const Table& options);
/// @throws DataError, ConfigError
[[nodiscard]] Problem make_psde_triplets(const Observations& observations, const Table& options);

}  // namespace alidade::semidefinite
