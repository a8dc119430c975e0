// Objects that left the map: a capped loss ([AVW16] Eq. 6) falls, however little, as an object leaves for infinity, and
// L-BFGS follows it.
// A map that lost objects still scores well, while nobody could see anything on it: they are to be named.
#pragma once

#include <string>
#include <vector>

#include "problems/core/types.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// How many times the median radius an object may lie from the middle. The farthest of n normally distributed objects
/// of the plane lies at 1.2 sqrt(ln n) median radii.
inline constexpr double kFarRadii = 100;

/// The median radius beyond which the map as a whole has left, in units of the loss's kernel. With the default
/// regularisers maps of 100 to 20,000 objects have one of 1 to 11.
inline constexpr double kFarMedian = 100;

/// How far the objects of a map lie from its middle.
struct MapSpread {
  double median_radius = 0;
  std::vector<Index> placed;   // objects that count and have a finite place, in order
  std::vector<double> radius;  // of each of these
  /// Objects beyond so many median radii, in order; none where half of the objects coincide.
  [[nodiscard]] std::vector<Index> far(double radii = kFarRadii) const;
};

/// Of a map (n x d), of its objects with `counted`. Middle: the median of each coordinate; radius: the distance to it;
/// medians over the objects placed. O(n d). @pre counted.size() == n
[[nodiscard]] MapSpread spread_of(const Matrix& map, const std::vector<bool>& counted);
/// Of each of the maps.
[[nodiscard]] std::vector<MapSpread> spreads_of(const Embedding& embedding, const std::vector<bool>& counted);

/// Whether a triplet mentions each of the objects; reads no further than it takes to see them all.
[[nodiscard]] std::vector<bool> mentioned_objects(const TripletSource& triplets);

/// What the method of a map tells about its scale.
struct MapScale {
  bool has_lambda0 = false;  // there is a term that would hold the objects
  double unit = 0;           // the distance at which the loss's kernel falls off; 0 where there is none
};

/// Whether the map as a whole left.
[[nodiscard]] bool has_left(const MapSpread& spread, MapScale scale);

/// Lines for the notes of a row: of every map with objects far outside, which it names, or that left as a whole.
/// `spreads`: one a map; `names` are the objects'.
[[nodiscard]] std::vector<std::string> notes_on_far_objects(const Embedding& embedding,
                                                            const std::vector<MapSpread>& spreads,
                                                            const std::vector<std::string>& names, MapScale scale);

}  // namespace alidade
