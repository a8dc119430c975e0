// Objects that left the map: a capped loss ([AVW16] Eq. 6) falls, however little, as an object leaves for infinity, and
// L-BFGS follows it.
// A map that lost objects still scores well, while nobody could see anything on it: they are to be named.
#pragma once

#include <string>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/embedding.hpp"
#include "problems/observations.hpp"

namespace alidade {

/// How many times the median radius an object may lie from the middle. The farthest of n normally distributed objects
/// of the plane lies at 1.2 sqrt(ln n) median radii.
inline constexpr double kFarRadii = 100;

/// The objects of a map (n x d) with `counted` that lie farther than `kFarRadii` median radii from the middle, in order.
/// Middle: the median of each coordinate; radius: the distance to it; medians over those counted. Rows that are not
/// finite are not placed and not counted; none is far where half of the objects coincide. O(n d).
/// @pre counted.size() == n
[[nodiscard]] std::vector<Index> far_objects(const Matrix& map, const std::vector<bool>& counted);

/// Whether a triplet mentions each of the objects; reads no further than it takes to see them all.
[[nodiscard]] std::vector<bool> mentioned_objects(const TripletSource& triplets);

/// A line for the notes of a row for every map with objects far outside, which it names. `names` are the objects';
/// `has_lambda0`: whether the problem has a term that would hold them.
[[nodiscard]] std::vector<std::string> notes_on_far_objects(const Embedding& embedding,
                                                            const std::vector<bool>& counted,
                                                            const std::vector<std::string>& names,
                                                            bool has_lambda0);

}  // namespace alidade
