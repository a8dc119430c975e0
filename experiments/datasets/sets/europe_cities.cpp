#include "experiments/datasets/sets/europe_cities.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "experiments/datasets/sets/embedded_tables.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr double kMeanEarthRadiusKm = 6371.0088;

std::vector<City> read_cities() {
  RowReader rows(europe_cities_csv(), "europe_cities.csv", ',');
  std::vector<City> out;
  for (static_cast<void>(rows.next()); rows.next();) {
    const auto fields = rows.fields();
    out.push_back({fields[0], fields[1], *parse_double(fields[2]), *parse_double(fields[3])});
  }
  return out;
}

constexpr double radians(double degrees) { return degrees * (std::numbers::pi / 180.0); }

}  // namespace

std::span<const City> europe_cities() {
  static const std::vector<City> cities = read_cities();
  return cities;
}

double great_circle_km(const City& first, const City& second) {
  const double half_latitude = 0.5 * radians(second.latitude_degrees - first.latitude_degrees);
  const double half_longitude = 0.5 * radians(second.longitude_degrees - first.longitude_degrees);
  const double sine_latitude = std::sin(half_latitude);
  const double sine_longitude = std::sin(half_longitude);
  const double haversine = sine_latitude * sine_latitude + std::cos(radians(first.latitude_degrees)) *
                                                               std::cos(radians(second.latitude_degrees)) *
                                                               sine_longitude * sine_longitude;
  // Rounding can lift the value above 1 for antipodes, where asin would be NaN.
  return 2.0 * kMeanEarthRadiusKm * std::asin(std::sqrt(std::min(haversine, 1.0)));
}

}  // namespace alidade::datasets
