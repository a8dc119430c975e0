// Objects whose place on a map is unreliable: they escaped from it, or occur in too few triplets.
// Such objects would set the scale of a drawing; pages and figures draw maps at the scale of the other objects.
// Escaped objects: escaped_objects.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/results/row.hpp"
#include "experiments/run/escaped_objects.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/core/index.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// In how many triplets each object occurs; of unequal weights, their effective number. O(triplets).
[[nodiscard]] std::vector<std::uint64_t> mention_counts(const TripletSource& triplets);

/// The least number of triplets that must mention one of n objects for a reliable place in d dimensions: at least d
/// log2 n, since a map needs on the order of d n log n comparisons (Jamieson & Nowak 2011), and at least d + 1, since
/// fewer leave its place unbounded. @pre n >= 1
[[nodiscard]] std::uint64_t triplets_for_a_place(Index n, Index d);

/// The parts of the objects that nothing in the evidence of these kinds connects, by size: no triplet, no known
/// dissimilarity, no sign of a pair. Where they lie to each other on a map, and in which size, is arbitrary. Objects of
/// no evidence at all are left out; the first `held` have their places, and so are of one part. Empty where features
/// place all objects. Ends as soon as there is one part. O(evidence)
[[nodiscard]] std::vector<std::vector<Index>> parts_apart(const Observations& made_of,
                                                          std::span<const ObservationKind> kinds, Index held);

/// A note on them; "" of one part.
[[nodiscard]] std::string note_on_parts_apart(const std::vector<std::vector<Index>>& parts,
                                              const std::vector<std::string>& names);

/// A note on triplets of at most d anchors; "" of more. Of one, a map in d dimensions has the distances of the others
/// from it, in any direction; of d, each other object may lie on either side of them. O(triplets), and less as a rule
[[nodiscard]] std::string note_on_few_anchors(const TripletSource& triplets, Index d,
                                              const std::vector<std::string>& names);

/// A note on objects with at most d known dissimilarities, which several places in d dimensions satisfy; "" without
/// them, and where n <= d + 1. `weights`: n x n, 0 where unknown. O(n^2)
[[nodiscard]] std::string note_on_few_distances(const Matrix& weights, Index d, const std::vector<std::string>& names);

/// An object this many median radii from the middle sets the scale of a drawing: all others lie within a tenth of its
/// width.
inline constexpr double kApartRadii = 10;

/// Objects of one map, as its rows, ascending.
struct UnreliableObjects {
  std::string aspect;  // "" for the only map
  /// Beyond kApartRadii median radii, if at most one object in twenty is. More of them are the shape of the map; then
  /// only those beyond kFarRadii count.
  std::vector<Index> far;
  std::vector<Index> unknown;  // mentioned by fewer than triplets_for_a_place
};

/// `spreads`: per map, of its `counted` objects. `mentions`: per object; empty if the map was not made from triplets.
/// The first `held` objects lie where an earlier map placed them. Returns one entry per map. O(n) per map.
[[nodiscard]] std::vector<UnreliableObjects> unreliable_objects(const Embedding& embedding,
                                                                const std::vector<MapSpread>& spreads,
                                                                std::size_t counted,
                                                                const std::vector<std::uint64_t>& mentions, Index held);

/// A row's `apart`: nothing if no object is unreliable. Lists hold rows of the map's file, from 0, at most 1000 of each
/// kind.
[[nodiscard]] std::optional<std::vector<ResultRow::Apart>> apart_of(const std::vector<UnreliableObjects>& objects);

/// Notes for a row that name the first objects: those that occur in some triplets but too few, and on each map those
/// that lie apart but not so far that notes_on_far_objects names them.
[[nodiscard]] std::vector<std::string> notes_on_unreliable_objects(const std::vector<UnreliableObjects>& objects,
                                                                   const Embedding& embedding,
                                                                   const std::vector<MapSpread>& spreads,
                                                                   const std::vector<std::uint64_t>& mentions,
                                                                   const std::vector<std::string>& names);

}  // namespace alidade
