// The face of the cone that holds every G with given squared distances of pairs, from stresses of a map that has them.
// A stress w with sum_j w_ij (x_i - x_j) = 0 for each i and a psd Omega = sum_ij w_ij (e_i - e_j)(e_i - e_j)' has
// <Omega, G> = sum_ij w_ij d_ij = <Omega, XX'> = 0 for each such G, so that G lies in the null space of Omega. Rigid
// clusters come first, then the psd stress of highest rank, as Borwein & Wolkowicz 1981 reduce a program; what is left
// may be reduced again. What rounding leaves of that proof is measured with twice the digits of a double.
#pragma once

#include "problems/core/executor.hpp"
#include "problems/semidefinite/unfolding_program.hpp"

namespace alidade::semidefinite {

/// Stresses take dense matrices of pairs x pairs: some seconds for 1,000. Beyond, rigid clusters are all.
inline constexpr std::size_t kMostStressedPairs = 1200;

struct StressFace {
  UnfoldingFace face{};  // empty: all centred G, or not decided
  bool decided = true;   // false: rounding hides the rank of a stress, or what it proves
  bool complete = true;  // false: the executor asked to stop the search, whose last steps are missing
};

/// The face of `points`, objects x any number, from whose rows the pairs have their distances. Moves the pairs that
/// follow from others on it from `pairs` to the face, where that is decided. Empty where more rows are left, which are
/// dense on it, than interior points take. Of a search that the executor asks to stop, what is proven by then.
/// O(n^3 + pairs^3) and some interior point iterations of it.
/// @pre at most kMostClusteredObjects rows, and pairs that connect all of them
[[nodiscard]] StressFace stress_face(const Eigen::Ref<const Matrix>& points, std::vector<NeighborPair>& pairs,
                                     const Executor& executor = Executor());

}  // namespace alidade::semidefinite
