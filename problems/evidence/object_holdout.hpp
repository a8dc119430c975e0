// The evidence about some of the objects alone, and objects held out: what a map has not seen and is to place.
// Triplets, attributes, features, dissimilarities, pair signs, labels and truth go with their objects.
// Objects are renumbered: row r of a part is the r-th chosen object of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade {

/// The evidence in which only these objects occur. Triplets of a whole attribute table stay those of a table. Pair
/// signs of triplets are then those of the triplets left. O(triplets) for lists, O(n) an aspect for tables.
/// @throws DataError on ids that are not there or come twice.
[[nodiscard]] Observations observations_among(const Observations& all, std::span<const Index> objects);

struct ObjectSplit {
  Observations training;       // of the known ones alone
  std::vector<Index> known;    // row r of `training` is known[r] of all; ascending
  std::vector<Index> heldout;  // ascending
};

/// Holds out objects at random: round(part * n) of them if part < 1, else `part` of them. More of one key hold out what
/// fewer do, and others besides.
/// @throws ConfigError unless part > 0 and, from 1, whole; DataError unless at least one is held out and two are left.
[[nodiscard]] ObjectSplit hold_out_objects(const Observations& all, double part, std::uint64_t key);

}  // namespace alidade
