// The evidence about some of the objects, and held-out objects, which a map has not seen and has to place.
// Triplets, attributes, features, dissimilarities, pair signs, labels and truth are restricted to the objects.
// Objects are renumbered: row r of a part is the r-th chosen object of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade {

/// The evidence about these objects alone. Triplets of a whole attribute table stay those of a table. Pair signs that
/// come from triplets are recomputed from the remaining ones. O(triplets) for lists, O(n) an aspect for tables.
/// @throws DataError on ids that do not exist or are listed twice.
[[nodiscard]] Observations observations_among(const Observations& all, std::span<const Index> objects);

struct ObjectSplit {
  Observations training;       // about the known objects alone
  std::vector<Index> kept;     // row r of `training` is kept[r] of all; ascending
  std::vector<Index> heldout;  // ascending
};

/// Holds out objects at random: round(part * n) of them if part < 1, otherwise `part` of them. With the same key, a
/// larger part holds out a superset.
/// @throws ConfigError unless part is > 0 and, if >= 1, whole; DataError unless one or more are held out and two
/// remain.
[[nodiscard]] ObjectSplit hold_out_objects(const Observations& all, double part, std::uint64_t key);

}  // namespace alidade
