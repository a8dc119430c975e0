// Random triplets of a distance or of feature vectors, and answers reversed at a rate: synthetic comparisons.
// Of a distance, draws are independent: three distinct objects, the nearer of two to the third; repeats may occur.
// Distances need only be comparable. Ties (and NaN) give no answer and are drawn again.
// Of features: near among an anchor's neighbours, far among objects farther away ([AV16] section 5 and its generator);
// neighbours are exact, by Euclidean distance, brute force. Every triplet holds in the data: the anchor is strictly
// nearer to `near`. Ties give no triplet.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "problems/core/options.hpp"
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

struct FlippedTriplets {
  TripletList triplets;
  std::uint64_t flipped = 0;  // how many
};
/// Swaps near and far of each triplet for which `flips` is true; it is called for each in turn.
template <class Flips>
[[nodiscard]] FlippedTriplets flipped_where(const TripletList& triplets, Flips flips) {
  FlippedTriplets out{TripletList(triplets.object_count()), 0};
  out.triplets.reserve(triplets.size());
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    Triplet triplet = triplets.at(i);
    if (flips(triplet)) {
      std::swap(triplet.near, triplet.far);
      ++out.flipped;
    }
    out.triplets.add(triplet);
  }
  return out;
}
/// Swaps them with probability `rate`. Draws one number per triplet, so a triplet swapped at one rate is also swapped
/// at every higher rate. @throws ConfigError unless 0 <= rate < 0.5.
[[nodiscard]] FlippedTriplets flip_triplets(const TripletList& triplets, double rate, Rng& rng);

/// round(factor * 2 d n ln n): the order of the number of triplets that determine n points in d dimensions [Jain,
/// Jamieson & Nowak 2016]. @throws DataError if that is more than kMostTriplets
[[nodiscard]] std::uint64_t ample_triplet_count(Index object_count, Index dimensions, double factor);

/// How many triplets each object gets as anchor, and how near and far are drawn.
/// Other objects are ordered by distance, ties by index. `near` is uniform among the first `neighbors` of them (fewer
/// if all later ones are at the same distance). `far` is one of the strictly farther objects:
///   farther    any, uniformly: what the text of [AV16] says
///   far_half   uniform among those in the farther half of the order
///   clamped    the one of rank min(n, rank of near + n/2 + uniform(1..n)), where the anchor has rank 1: the generator
///              of [AV16]'s authors. About 51 % of the triplets then ask for the single farthest object of their
///              anchor; for comparison with that generator only
/// and `any` draws both at random, the nearer one first, and ignores `neighbors`.
struct TripletQuestions {
  Index triplets_per_object = 0;
  Index neighbors = 20;
  std::string far = "farther";
};

/// Of features in float or double: n * triplets_per_object triplets, in rounds of one per object, so that a larger
/// number continues the same sequence. Each anchor draws from its own stream, derived from `key`. O(n^2 (p + ln n))
/// time, O(n) memory besides the triplets; "any" takes O(p) per triplet.
/// @throws DataError if there are fewer than 3 objects or all are equally far from one of them.
[[nodiscard]] TripletList feature_triplets(const FeatureMatrix& features, const TripletQuestions& questions,
                                           std::uint64_t key);
[[nodiscard]] TripletList feature_triplets(const Matrix& features, const TripletQuestions& questions,
                                           std::uint64_t key);

}  // namespace alidade::datasets
