#include <array>
#include <vector>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/sets/chemical_elements.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/europe_cities.hpp"
#include "experiments/datasets/sets/map_projection.hpp"
#include "experiments/datasets/sets/triplet_sampling.hpp"

namespace alidade::datasets {
namespace {

struct EuropeOptions {
  Index triplets = 0;
  double factor = 4;
  double noise = 0;
};

Observations load_europe(const EuropeOptions& options, const DatasetContext& context) {
  const std::span<const City> cities = europe_cities();
  const auto n = static_cast<Index>(cities.size());
  Observations out;
  Matrix places(n, 2);
  for (const City& city : cities) {
    places.row(out.object_count()) << city.latitude_degrees, city.longitude_degrees;
    out.objects.emplace_back(city.name);
    out.labels.emplace_back(city.country);
  }
  FlatMap flat = azimuthal_equidistant(places);
  out.notes.push_back(fmt::format("The truth is the azimuthal equidistant projection about {:.2f} N, {:.2f} E, in km.",
                                  flat.centre_latitude_degrees, flat.centre_longitude_degrees));
  out.truth = std::move(flat.points);

  const std::uint64_t count =
      options.triplets > 0 ? static_cast<std::uint64_t>(options.triplets) : ample_triplet_count(n, 2, options.factor);
  Rng draw = data_stream(context, "europe", "triplets");
  Rng flip = data_stream(context, "europe", "flips");
  const auto distance = [cities](ObjectId i, ObjectId j) { return great_circle_km(cities[i], cities[j]); };
  FlippedTriplets triplets = flip_triplets(random_triplets(n, count, distance, draw), options.noise, flip);
  if (triplets.flipped > 0)
    out.notes.push_back(fmt::format("{} of {} triplets are reversed.", triplets.flipped, count));
  out.triplets = std::make_shared<TripletList>(std::move(triplets.triplets));
  return out;
}

Observations load_elements(const NoOptions&, const DatasetContext&) {
  const std::span<const Element> elements = chemical_elements();
  const std::span<const std::string_view> names = element_aspect_names();
  Observations out;
  for (const Element& element : elements) out.objects.emplace_back(element.name);
  std::vector<AttributeTable::Aspect> aspects;
  for (std::size_t a = 0; a < names.size(); ++a) {
    std::vector<std::string_view> values;
    for (const Element& element : elements) values.push_back(element.aspects[a]);
    if (names[a] == "category") out.labels.assign(values.begin(), values.end());
    aspects.push_back(make_aspect(std::string(names[a]), values));
    out.aspects.emplace_back(names[a]);
  }
  out.attributes = std::make_shared<AttributeTable>(out.object_count(), std::move(aspects));
  out.triplets = out.attributes;
  return out;
}

}  // namespace

DatasetEntry europe_dataset() {
  OptionList<EuropeOptions> options;
  options
      .integer("triplets", &EuropeOptions::triplets, between(0, kMostTriplets),
               "number of triplets; 0: factor * 2 d n ln n with d = 2")
      .real("factor", &EuropeOptions::factor, above(0), "factor of that number, if triplets is 0")
      .real("noise", &EuropeOptions::noise, half_open(0, 0.5), "probability that a triplet is reversed");
  return with_load({.name = "europe",
                    .summary = "121 European cities with random triplets of great-circle "
                               "distances; labels are countries; the true map is flat, in km",
                    .citation = "common-knowledge positions, rounded to 0.01 degree",
                    .random = true},
                   options, load_europe);
}

DatasetEntry elements_dataset() {
  return with_load({.name = "elements",
                    .summary = "118 chemical elements with 12 categorical attributes, each an aspect; "
                               "labels are categories",
                    .citation = "IUPAC, Red Book, 2005, and Periodic Table of the Elements, 2022; "
                                "CRC Handbook of Chemistry and Physics"},
                   OptionList<NoOptions>(), load_elements);
}

}  // namespace alidade::datasets
