// Pair signs from other evidence: from labels, from triplets, and from places on a grid of parameters.
// [GR07] section 2 asks for signs only; where they come from is the reader's choice, and these are the usual ones.
// Nearest neighbours are in problems/distances/neighbor_signs.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "problems/evidence/observations.hpp"
#include "problems/evidence/pair_signs.hpp"

namespace alidade {

/// Objects of one label are similar, of two labels dissimilar; of one without a label ("") nothing is known.
/// O(pairs of one label), and with unlabelled objects O(n^2), of memory.
/// @throws DataError if no object has a label, or if there are more than `most_pairs` pairs to store.
[[nodiscard]] PairSigns signs_of_labels(std::span<const std::string> labels, std::uint64_t most_pairs = 50'000'000);

struct TripletSigns {
  PairSigns signs;
  /// Ordered pairs of an anchor and an object that was near in some triplets and far in others: how many of them were
  /// decided by the greater sum of weights, and how many were left unknown because both are equal.
  std::uint64_t outvoted = 0, undecided = 0;
};

/// Whatever is `near` in a triplet is similar as seen from the anchor, whatever is `far` dissimilar, as the greater sum
/// of weights says; pairs that no triplet asks about are unknown, and so are ties. O(T + n^2) time
/// and O(n^2) memory for up to 2000 objects, else O(T ln T) and of the distinct pairs.
[[nodiscard]] TripletSigns signs_of_triplets(const TripletSource& triplets);

/// Where pair signs are those of the triplets, makes them those of the triplets that there are now. Says how many pairs
/// contradict themselves; "" where the signs are others.
std::string renew_signs_of_triplets(Observations& observations);

/// Objects at the places of a grid that closes to a ring in one direction: `azimuths` by `elevations`, object
/// e * azimuths + a. Similar are those at most one step apart in both, [GR07] section 5.2; all others are dissimilar.
/// @throws ConfigError unless both are at least 1.
[[nodiscard]] PairSigns cylinder_signs(Index azimuths, Index elevations);

/// The signs of some of the objects among themselves: object r of the result is objects[r]. O(pairs).
/// @throws DataError on ids that are not there or come twice.
[[nodiscard]] PairSigns signs_among(const PairSigns& signs, std::span<const Index> objects);

}  // namespace alidade
