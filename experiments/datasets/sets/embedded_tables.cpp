#include "experiments/datasets/sets/embedded_tables.hpp"

#include <sentences/datasets.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/triplet_sampling.hpp"
#include "experiments/files/embedded_text.hpp"

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

namespace {

// Positions of city centres, rounded to 0.01 degree, grouped by country: 121 capitals and other large cities, from
// Reykjavik to Kazan and from Tromsø to Heraklion. Of 40 countries 15 have four cities or more.
Observations load_europe(const Chosen& options, const DatasetContext& context) {
  const Table cities(RowReader(embedded_text("europe_cities.csv"), "europe_cities.csv", ','));
  const auto n = std::ssize(cities.rows);
  Observations out;
  Matrix places(n, 2);
  for (const TableFields& city : cities.rows) {
    places.row(out.object_count()) << *parse_double(city[2]), *parse_double(city[3]);
    out.objects.emplace_back(city[0]);
    out.labels.emplace_back(city[1]);
  }
  FlatMap flat = azimuthal_equidistant(places);
  add_note(out, words::kTruthOfCities, flat.centre_latitude_degrees, flat.centre_longitude_degrees);
  out.truth = std::move(flat.points);

  const Index asked = options.whole("triplets");
  const std::uint64_t count =
      asked > 0 ? static_cast<std::uint64_t>(asked) : ample_triplet_count(n, 2, options.real("factor"));
  Rng draw = data_stream(context, "europe", "triplets");
  Rng flip = data_stream(context, "europe", "flips");
  const auto distance = [&](ObjectId i, ObjectId j) {
    return great_circle_km(places.row(static_cast<Index>(i)), places.row(static_cast<Index>(j)));
  };
  FlippedTriplets triplets = flip_triplets(random_triplets(n, count, distance, draw), options.real("noise"), flip);
  if (triplets.flipped > 0) add_note(out, "{} of {} triplets are reversed.", triplets.flipped, count);
  out.triplets = std::make_shared<TripletList>(std::move(triplets.triplets));
  return out;
}

/// Facts as tabulated by IUPAC (Red Book 2005; Periodic Table of 2022) and the CRC Handbook of Chemistry and Physics;
/// an empty value is missing. Where sources disagree or a property has several values, these conventions decide:
/// - group: "1".."18", or "f" for the 28 elements of the f block. IUPAC leaves the tail
///   of group 3 open; here it is Sc, Y, Lu, Lr, so that the s, p, d and f blocks have 14, 36, 40 and 28 members.
/// - category: transition metals are the d block without Lu and Lr, group 12 included; metalloids are the six
///   usual ones (B, Si, Ge, As, Sb, Te). Missing from 109 on, whose chemistry is predicted or hardly tested.
/// - phase: at 25 °C and 1 bar. Missing for At, Fr and from 100 on: never seen in bulk.
/// - crystal_structure: of the form stable at 25 °C and 1 bar (C graphite, P black, S orthorhombic, Sn white);
///   for gases and liquids, of the solid at 1 bar just below melting, of which He has none. "hexagonal" are
///   lattices other than close-packed atoms, "complex cubic" (Mn, O, F) other than the simple cubic ones.
///   Ce, two forms of which meet near 25 °C, is the usual fcc one.
/// - occurrence: "from decay" includes traces from fission and from neutron capture (Tc, Pm, Np, Pu).
/// - magnetism: of the substance at 25 °C. So Gd, ferromagnetic below 20 °C, and Mn are paramagnetic, and Cr is
///   the one antiferromagnet. Missing where only predicted.
/// - discovery_era: by recognition as a new substance or by isolation, whichever the CRC Handbook dates. Contested
///   for Mg, Sr (here before 1800) and Ba (here 1808); "antiquity" are the nine classical ones.
/// - electronegativity: class of the Pauling value [Allred 1961; Pauling where Allred has none; Kr and Xe: Allen
///   and Huheey 1980]; where Allred lists several states, of the one nearest to oxidation_state. Missing for the
///   other noble gases and from 100 on.
/// - oxidation_state: one of the common states in compounds, "0" for the noble gases. Which one is a judgement
///   where several are about as common (C, N, S, As, Sn, Mn, Mo, Ru, Re, Ir, Pt). Missing from 109 on.
/// - stable_nuclides: "none", "one" or "several", by observation.
Observations load_elements(const Chosen&, const DatasetContext&) {
  constexpr std::size_t kName = 1, kFirstAspect = 3;  // columns
  const Table elements(RowReader(embedded_text("chemical_elements.csv"), "chemical_elements.csv", ','));
  Observations out;
  for (const TableFields& element : elements.rows) out.objects.emplace_back(element[kName]);
  std::vector<AttributeTable::Aspect> aspects;
  for (std::size_t c = kFirstAspect; c < elements.width(); ++c) {
    const TableFields values(elements.column(c).begin(), elements.column(c).end());
    if (elements.header[c] == "category") out.labels.assign(values.begin(), values.end());
    aspects.push_back(make_aspect(std::string(elements.header[c]), values));
    out.aspects.emplace_back(elements.header[c]);
  }
  out.attributes = std::make_shared<AttributeTable>(out.object_count(), std::move(aspects));
  out.triplets = out.attributes;
  return out;
}

}  // namespace

std::vector<DatasetEntry> embedded_datasets() {
  return {entry_of(described("europe"), load_europe), entry_of(described("elements"), load_elements)};
}

}  // namespace alidade::datasets
