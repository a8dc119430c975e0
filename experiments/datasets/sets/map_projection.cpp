#include "experiments/datasets/sets/map_projection.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace alidade::datasets {
namespace {

constexpr double kEarthRadiusKm = 6371.0088;  // IUGG mean radius R1, as in great_circle_km
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

}  // namespace alidade::datasets
