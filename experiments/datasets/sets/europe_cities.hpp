// Cities of Europe with their country and position: a map that everybody can judge by eye.
// Distances by the haversine formula on a sphere of the IUGG mean radius R1 = 6371.0088 km [Moritz 2000].
// Coordinates are of city centres, rounded to 0.01 degree (about 1 km): too coarse for distances within a city.
#pragma once

#include <span>
#include <string_view>

namespace alidade::datasets {

struct City {
  std::string_view name;     // unique, UTF-8, as usually written in English
  std::string_view country;  // short English name; the class label
  double latitude_degrees;   // north positive, [-90, 90]
  double longitude_degrees;  // east positive, [-180, 180]
};

/// All cities, grouped by country; the data live as long as the program. O(1). 121 capitals and other large cities,
/// from Reykjavik to Kazan and from Tromsø to Heraklion. Of 40 countries 15 have four cities or more; drop the other 25
/// if a class needs several members.
[[nodiscard]] std::span<const City> europe_cities();

/// Length of the shortest path on the sphere, in kilometres, in [0, pi R1]. Symmetric, and 0 for equal positions.
/// Within about 0.5 % of the distance on the WGS 84 ellipsoid. Never fails for finite coordinates. O(1).
[[nodiscard]] double great_circle_km(const City& first, const City& second);

}  // namespace alidade::datasets
