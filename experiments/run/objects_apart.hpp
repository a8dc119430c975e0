// Objects whose place on a map is not to be relied on: those that left it, and those that hardly any answer is about.
// Such objects would set the scale at which a map is drawn; pages and figures draw maps at the scale of the others.
// How far is far: escaped_objects.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problems/core/index.hpp"
#include "problems/core/value.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// In how many triplets each object occurs. O(triplets).
[[nodiscard]] std::vector<std::uint64_t> mention_counts(const TripletSource& triplets);

/// In how many triplets one of n objects must occur, at least, for a place in d dimensions: d log2 n, since a map takes of the
/// order of d n log n comparisons (Jamieson & Nowak 2011); and d + 1, since fewer bound no place. @pre n >= 1
[[nodiscard]] std::uint64_t triplets_for_a_place(Index n, Index d);

/// An object this many median radii from the middle sets the scale of a drawing: all others lie in a tenth of its width.
inline constexpr double kApartRadii = 10;

/// Objects of one map, as its rows, ascending.
struct ObjectsApart {
  std::string aspect;  // "" for the only map
  /// Beyond kApartRadii median radii, where at most one object in twenty is; otherwise that is the shape of the map, and only
  /// those beyond kFarRadii count.
  std::vector<Index> far;
  std::vector<Index> unknown;  // in fewer than triplets_for_a_place
};

/// `counted`: as for spread_of. `mentions`: of each object, empty where triplets did not make the map; the first `held` objects
/// lie where an earlier map placed them. One entry a map. O(n d) a map.
[[nodiscard]] std::vector<ObjectsApart> objects_apart(const Embedding& embedding,
                                                      const std::vector<bool>& counted,
                                                      const std::vector<std::uint64_t>& mentions,
                                                      Index held);

/// What a row says under `apart`: null where no object is. Lists name rows of the map's file from 0, up to 1000 of each kind.
[[nodiscard]] Value apart_value(const std::vector<ObjectsApart>& apart);

/// Lines for the notes of a row, with the names of the first objects: those that occur in some triplets but too few, and of each
/// map those that lie apart but not so far that notes_on_far_objects names them.
[[nodiscard]] std::vector<std::string> notes_on_objects_apart(
    const std::vector<ObjectsApart>& apart, const Embedding& embedding,
    const std::vector<bool>& counted, const std::vector<std::uint64_t>& mentions,
    const std::vector<std::string>& names);

}  // namespace alidade
