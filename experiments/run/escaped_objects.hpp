// Finds objects that escaped from the map. A capped loss ([AVW16] Eq. 6) keeps falling slightly as an object leaves for
// infinity, and L-BFGS follows it.
// Such a map still scores well, but a drawing of it shows nothing.
// So notes on the row name the escaped objects.
#pragma once

#include <string>
#include <vector>

#include "problems/contract/embedding.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// An object beyond this many median radii from the middle has escaped. The farthest of n normally distributed objects
/// in the plane lies at 1.2 sqrt(ln n) median radii.
inline constexpr double kFarRadii = 100;

/// A map with a larger median radius, in units of the loss's kernel, has escaped as a whole. With the default
/// regularisers, maps of 100 to 20,000 objects have a median radius of 1 to 11.
inline constexpr double kFarMedian = 100;

/// How far the objects of a map lie from its middle.
struct MapSpread {
  double median_radius = 0;
  std::vector<Index> placed;   // counted objects with finite coordinates, in order
  std::vector<double> radius;  // of each of these
  /// Objects beyond this many median radii, in order; none if half of the objects coincide.
  [[nodiscard]] std::vector<Index> far(double radii = kFarRadii) const;
};

/// The spread of a map (n x d), over its objects with `counted`. Middle: the median of each coordinate. Radius: the
/// distance to it. Medians are over the placed objects. O(n d). @pre counted.size() == n
[[nodiscard]] MapSpread spread_of(const Matrix& map, const std::vector<bool>& counted);
/// The spread of each map.
[[nodiscard]] std::vector<MapSpread> spreads_of(const Embedding& embedding, const std::vector<bool>& counted);

/// Whether a triplet mentions each object; stops reading once all are seen.
[[nodiscard]] std::vector<bool> mentioned_objects(const TripletSource& triplets);

/// What a map's method tells about its scale.
struct MapScale {
  bool has_lambda0 = false;  // a regulariser holds the objects back
  double unit = 0;           // the distance at which the loss's kernel falls off; 0 if it has none
};

/// Whether the map escaped as a whole.
[[nodiscard]] bool has_left(const MapSpread& spread, MapScale scale);

/// Notes for a row, one per map that escaped as a whole or has escaped objects, which it names.
/// `spreads`: one per map; `names`: of the objects.
[[nodiscard]] std::vector<std::string> notes_on_far_objects(const Embedding& embedding,
                                                            const std::vector<MapSpread>& spreads,
                                                            const std::vector<std::string>& names, MapScale scale);

/// A note on a few objects that a map of features draws at five times its median radius or more, and at twice as many
/// of them as the features have the object at; "" if there are none, or of more than 5 million numbers. `problem`: which
/// made the map.
[[nodiscard]] std::string note_on_farther_objects(const Matrix& map, const FeatureMatrix& features,
                                                  const std::vector<std::string>& names, const std::string& problem);

}  // namespace alidade
