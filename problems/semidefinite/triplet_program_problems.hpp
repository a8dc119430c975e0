// Two semidefinite programs of triplets, whose rows are in triplet_program.hpp.
// `gnmds_sdp`, [AWC07]:  min sum w xi + lambda tr G  s.t.  d2_near - d2_far + 1 <= xi, G psd.
//   G = 0 costs sum w, so lambda tr G <= sum w at an optimum: T = sum w / lambda.
// `psde_triplets`, ordered similarity j <=_i k:  min mean of w (d2_near - d2_far)  s.t.  d2_near - d2_far <= 0, tr G <=
// T:
//   the feasible map whose far objects are farthest from the anchors, at bounded variance. It is homogeneous in G, so
//   the optimum is 0 or has trace T; it is 0 only if all triplets tie in every feasible map.
#pragma once

#include "problems/contract/problem_entry.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::semidefinite {

/// @throws DataError, ConfigError
[[nodiscard]] ProblemEntry gnmds_sdp_entry();

/// @throws DataError, ConfigError
[[nodiscard]] ProblemEntry psde_triplets_entry();

}  // namespace alidade::semidefinite
