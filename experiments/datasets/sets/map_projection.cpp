#include "experiments/datasets/sets/map_projection.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace alidade::datasets {
namespace {

constexpr double kEarthRadiusKm = 6371.0088;  // IUGG mean radius R1 [Moritz 2000]
constexpr double kDegree = std::numbers::pi / 180;

Eigen::Vector3d unit_vector(double latitude, double longitude) {
  return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude), std::sin(latitude)};
}

}  // namespace

FlatMap azimuthal_equidistant(const Eigen::Ref<const Matrix>& places) {
  FlatMap out;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (Index i = 0; i < places.rows(); ++i) mean += unit_vector(places(i, 0) * kDegree, places(i, 1) * kDegree);
  const double latitude = std::atan2(mean.z(), std::hypot(mean.x(), mean.y()));
  const double longitude = std::atan2(mean.y(), mean.x());
  out.centre_latitude_degrees = latitude / kDegree;
  out.centre_longitude_degrees = longitude / kDegree;

  const Eigen::Vector3d centre = unit_vector(latitude, longitude);
  const Eigen::Vector3d east(-std::sin(longitude), std::cos(longitude), 0);
  const Eigen::Vector3d north = centre.cross(east);
  out.points.resize(places.rows(), 2);
  for (Index i = 0; i < places.rows(); ++i) {
    const Eigen::Vector3d place = unit_vector(places(i, 0) * kDegree, places(i, 1) * kDegree);
    const double x = place.dot(east), y = place.dot(north);
    const double sine = std::hypot(x, y);
    // angle / sin(angle), which is 1 at the centre.
    const double stretch = sine > 0 ? std::atan2(sine, place.dot(centre)) / sine : 1;
    out.points(i, 0) = kEarthRadiusKm * stretch * x;
    out.points(i, 1) = kEarthRadiusKm * stretch * y;
  }
  return out;
}

double great_circle_km(const Eigen::RowVector2d& first, const Eigen::RowVector2d& second) {
  const double half_latitude = 0.5 * (kDegree * (second[0] - first[0]));
  const double half_longitude = 0.5 * (kDegree * (second[1] - first[1]));
  const double sine_latitude = std::sin(half_latitude), sine_longitude = std::sin(half_longitude);
  const double haversine = sine_latitude * sine_latitude + std::cos(first[0] * kDegree) *
                                                               std::cos(second[0] * kDegree) * sine_longitude *
                                                               sine_longitude;
  // Rounding can lift the value above 1 for antipodes, where asin would be NaN.
  return 2.0 * kEarthRadiusKm * std::asin(std::sqrt(std::min(haversine, 1.0)));
}

}  // namespace alidade::datasets
