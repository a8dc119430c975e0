// Pair signs of nearest neighbours: j is similar to i if it is among the k nearest of i; all others are dissimilar.
// [GR07] section 5, whose signs are not symmetric; `either_way` is the union of the two directions.
// Squared distances within a relative 1e-9 of one another count as equal, and the lower id goes first.
#pragma once

#include <cstdint>
#include <string>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/pair_signs.hpp"

namespace alidade {

enum class Symmetry {
  directed,    // s_ij = +1 iff j is among the k nearest of i
  either_way,  // ... or i is among those of j
};

/// "directed" or "union". @throws ConfigError
[[nodiscard]] Symmetry symmetry_of(const std::string& name);

/// From places: n x d, in double, over all pairs. O(n^2 (d + ln k)) time, O(n k) memory.
/// @throws DataError on coordinates that are not finite, ConfigError unless 1 <= k < n.
[[nodiscard]] PairSigns signs_of_places(const Eigen::Ref<const Matrix>& places, Index k, Symmetry symmetry,
                                        Executor& executor);

/// From a matrix of distances D, n x n: row i gives the neighbours of i; the diagonal is not read.
/// @throws DataError unless D is square, finite and >= 0 off the diagonal; ConfigError unless 1 <= k < n.
[[nodiscard]] PairSigns signs_of_distances(const Eigen::Ref<const Matrix>& D, Index k, Symmetry symmetry);

/// From features, n x p, by nearest_neighbors(), exact unless that costs a minute; `seed` is for the approximate
/// search.
/// @throws as signs_of_places. Cost as nearest_neighbors.
[[nodiscard]] PairSigns signs_of_features(const Eigen::Ref<const RowMajorMatrix<float>>& X, Index k, Symmetry symmetry,
                                          std::uint64_t seed, Executor& executor);

}  // namespace alidade
