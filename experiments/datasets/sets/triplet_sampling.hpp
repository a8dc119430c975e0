// Random triplets of a distance, and answers reversed at a rate: synthetic comparisons.
// Draws are independent: three distinct objects, the nearer of two to the third; repeats may occur.
// Distances need only be comparable. Ties (and NaN) give no answer and are drawn again.
#pragma once

#include <cstdint>
#include <functional>

#include "problems/core/random.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

/// Triplets that anybody makes: 12 GB of them.
inline constexpr double kMostTriplets = 1e9;

/// Distance of two objects, or anything that grows with it.
using Distance = std::function<double(ObjectId, ObjectId)>;

/// `count` triplets over `object_count` objects. Expected O(count) if ties are rare.
/// @throws DataError if object_count < 3, if this machine has no memory for them, or after too many consecutive ties.
[[nodiscard]] TripletList random_triplets(Index object_count, std::uint64_t count, const Distance& distance, Rng& rng);

/// Triplets of points with the Euclidean distance. points: n x d, finite.
[[nodiscard]] TripletList random_triplets(const Eigen::Ref<const Matrix>& points, std::uint64_t count, Rng& rng);

/// Swaps near and far of each triplet with probability `rate`; returns the list and the number of swaps. Draws one
/// number per triplet, so a triplet swapped at one rate is also swapped at every higher rate. @throws ConfigError
/// unless 0 <= rate < 0.5.
struct FlippedTriplets {
  TripletList triplets;
  std::uint64_t flipped = 0;
};
[[nodiscard]] FlippedTriplets flip_triplets(const TripletList& triplets, double rate, Rng& rng);

/// round(factor * 2 d n ln n): the order of the number of triplets that determine n points in d dimensions [Jain,
/// Jamieson & Nowak 2016]. @throws DataError if that is more than kMostTriplets
[[nodiscard]] std::uint64_t ample_triplet_count(Index object_count, Index dimensions, double factor);

}  // namespace alidade::datasets
