// Objects whose place on a map is not to be relied on: those that left it, and those that hardly any answer is about.
// Such objects would set the scale at which a map is drawn; pages and figures draw maps at the scale of the others.
// How far is far: escaped_objects.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/results/row.hpp"
#include "experiments/run/escaped_objects.hpp"
#include "problems/core/index.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// In how many triplets each object occurs. O(triplets).
[[nodiscard]] std::vector<std::uint64_t> mention_counts(const TripletSource& triplets);

/// In how many triplets one of n objects must occur, at least, for a place in d dimensions: d log2 n, since a map takes
/// of the order of d n log n comparisons (Jamieson & Nowak 2011); and d + 1, since fewer bound no place. @pre n >= 1
[[nodiscard]] std::uint64_t triplets_for_a_place(Index n, Index d);

/// An object this many median radii from the middle sets the scale of a drawing: all others lie in a tenth of its
/// width.
inline constexpr double kApartRadii = 10;

/// Objects of one map, as its rows, ascending.
struct UnreliableObjects {
  std::string aspect;  // "" for the only map
  /// Beyond kApartRadii median radii, where at most one object in twenty is; otherwise that is the shape of the map,
  /// and only those beyond kFarRadii count.
  std::vector<Index> far;
  std::vector<Index> unknown;  // in fewer than triplets_for_a_place
};

/// `spreads`: of each map, of its `counted` objects. `mentions`: of each object, empty where triplets did not make the
/// map; the first `held` objects lie where an earlier map placed them. One entry a map. O(n) a map.
[[nodiscard]] std::vector<UnreliableObjects> unreliable_objects(const Embedding& embedding,
                                                                const std::vector<MapSpread>& spreads,
                                                                std::size_t counted,
                                                                const std::vector<std::uint64_t>& mentions, Index held);

/// What a row says under `apart`: nothing where no object is. Lists name rows of the map's file from 0, up to 1000 of
/// each kind.
[[nodiscard]] std::optional<std::vector<ResultRow::Apart>> apart_of(const std::vector<UnreliableObjects>& objects);

/// Lines for the notes of a row, with the names of the first objects: those that occur in some triplets but too few,
/// and of each map those that lie apart but not so far that notes_on_far_objects names them.
[[nodiscard]] std::vector<std::string> notes_on_unreliable_objects(const std::vector<UnreliableObjects>& objects,
                                                                   const Embedding& embedding,
                                                                   const std::vector<MapSpread>& spreads,
                                                                   const std::vector<std::uint64_t>& mentions,
                                                                   const std::vector<std::string>& names);

}  // namespace alidade
