// Triplets from feature vectors: near among an anchor's neighbours, far among objects farther away.
// [AV16] section 5 and its generator; neighbours are exact, by Euclidean distance, brute force.
// Every triplet holds in the data: the anchor is strictly nearer to `near`. Ties give no triplet.
#pragma once

#include <cstdint>
#include <string>

#include "problems/core/options.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::datasets {

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
  [[nodiscard]] static OptionList<TripletQuestions> list();
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
