// Pair signs derived from other evidence: labels, triplets, and places on a grid of parameters.
// [GR07] section 2 takes the signs as given; these are the usual sources.
// For nearest neighbours see problems/distances/neighbor_signs.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problems/evidence/observations.hpp"
#include "problems/evidence/pair_signs.hpp"

namespace alidade {

/// Objects with the same label are similar, with different labels dissimilar; pairs with an unlabelled object ("") are
/// unknown. Memory: O(pairs with one label), or O(n^2) if there are unlabelled objects.
/// @throws DataError if no object has a label, or if there are more than `most_pairs` pairs to store.
[[nodiscard]] PairSigns signs_of_labels(std::span<const std::string> labels, std::uint64_t most_pairs = 50'000'000);

struct TripletSigns {
  PairSigns signs;
  /// Ordered pairs (anchor, object) in which the object is near in some triplets and far in others. `outvoted` counts
  /// those that the greater sum of weights decided; `undecided` those with equal sums (to 1e-12 of them), left unknown.
  std::uint64_t outvoted = 0, undecided = 0;
};

/// As seen from the anchor, the near object of a triplet is similar and the far object dissimilar; the greater sum of
/// weights decides. Ties and pairs in no triplet are unknown. O(T + n^2) time
/// and O(n^2) memory for up to 2000 objects, otherwise O(T ln T) time and memory in proportion to the distinct pairs.
[[nodiscard]] TripletSigns signs_of_triplets(const TripletSource& triplets);

/// Recomputes pair signs that were derived from triplets from the current triplets. Returns a note on how many pairs
/// contradict themselves; "" if the signs have another source.
std::string renew_signs_of_triplets(Observations& observations);

/// Signs of objects on a grid that closes to a ring in one direction: `azimuths` by `elevations`, object
/// e * azimuths + a. Objects at most one step apart in both are similar, [GR07] section 5.2; all others are dissimilar.
/// @throws ConfigError unless both are at least 1.
[[nodiscard]] PairSigns cylinder_signs(Index azimuths, Index elevations);

inline constexpr auto kNotChosen = static_cast<ObjectId>(-1);
/// The place among `objects` of each of `count` objects, or kNotChosen.
/// @throws DataError on ids that do not exist or are listed twice.
[[nodiscard]] std::vector<ObjectId> places_among(std::span<const Index> objects, Index count);

/// The signs among some of the objects: object r of the result is objects[r]. O(pairs).
/// @throws DataError on ids that do not exist or are listed twice.
[[nodiscard]] PairSigns signs_among(const PairSigns& signs, std::span<const Index> objects);

}  // namespace alidade
