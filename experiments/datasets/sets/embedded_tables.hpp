// What the program itself holds of data sets beside the tables (*.csv) and descriptions (*.json) in this folder: which
// data sets the configurations in the source tree use, and a flat ground truth for places on a sphere.
// embedded_tables.cmake reads the configurations when the build is configured.
#pragma once

#include <span>
#include <string_view>

#include "problems/core/types.hpp"

namespace alidade::datasets {

struct DatasetUse {
  std::string_view dataset;
  std::string_view config;  // file below experiments/configs
};

/// Sorted by configuration; each data set once per configuration.
[[nodiscard]] std::span<const DatasetUse> dataset_uses();

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
