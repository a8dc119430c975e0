// The azimuthal equidistant projection of places on a sphere: a flat ground truth for maps.
// Snyder, Map Projections: A Working Manual (1987), chapter 25, spherical form.
// Distances from the centre are exact; others are stretched by at most c / sin c at angle c from the centre.
#pragma once

#include "problems/core/types.hpp"

namespace alidade::datasets {

struct FlatMap {
  Matrix points;  // n x 2: kilometres east and north of the centre
  double centre_latitude_degrees = 0;
  double centre_longitude_degrees = 0;
};

/// places: n x 2, latitude and longitude in degrees. The centre is the direction of the mean of the places as unit
/// vectors. @pre n > 0, the mean is not 0, and no place is opposite to the centre.
[[nodiscard]] FlatMap azimuthal_equidistant(const Eigen::Ref<const Matrix>& places);

/// Length of the shortest path between two places, latitude and longitude in degrees, by the haversine formula on a
/// sphere of the IUGG mean radius R1 [Moritz 2000]: kilometres in [0, pi R1], within about 0.5 % of the WGS 84
/// ellipsoid. O(1)
[[nodiscard]] double great_circle_km(const Eigen::RowVector2d& first, const Eigen::RowVector2d& second);

}  // namespace alidade::datasets
