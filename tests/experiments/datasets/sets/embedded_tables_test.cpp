#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/table.hpp"
#include "experiments/datasets/sets/embedded_tables.hpp"
#include "experiments/files/embedded_text.hpp"
#include "problems/core/text.hpp"

namespace embedded_tables_test {
namespace {

using alidade::parse_double;
using alidade::RowReader;
using alidade::datasets::Table;

struct City {
  std::string_view name, country;
  double latitude_degrees, longitude_degrees;
};
std::span<const City> europe_cities() {
  static const Table table(RowReader(alidade::embedded_text("europe_cities.csv"), "europe_cities.csv", ','));
  static const std::vector<City> cities = [] {
    std::vector<City> out;
    for (const auto& row : table.rows) out.push_back({row[0], row[1], *parse_double(row[2]), *parse_double(row[3])});
    return out;
  }();
  return cities;
}
double great_circle_km(const City& a, const City& b) {
  return alidade::datasets::great_circle_km({a.latitude_degrees, a.longitude_degrees},
                                            {b.latitude_degrees, b.longitude_degrees});
}

constexpr std::size_t kElementAspectCount = 12, kColumnsBefore = 3;
const Table& element_table() {
  static const Table table(RowReader(alidade::embedded_text("chemical_elements.csv"), "chemical_elements.csv", ','));
  return table;
}
struct Element {
  std::string_view symbol, name;
  int atomic_number;
  std::span<const std::string_view> aspects;
};
std::span<const Element> chemical_elements() {
  static const std::vector<Element> elements = [] {
    std::vector<Element> out;
    for (const auto& row : element_table().rows)
      out.push_back({row[0], row[1], static_cast<int>(*parse_double(row[2])), std::span(row).subspan(kColumnsBefore)});
    return out;
  }();
  return elements;
}
std::span<const std::string_view> element_aspect_names() {
  return std::span(element_table().header).subspan(kColumnsBefore);
}

const City& city(std::string_view name) {
  const std::span<const City> cities = europe_cities();
  const auto position =
      std::find_if(cities.begin(), cities.end(), [name](const City& candidate) { return candidate.name == name; });
  REQUIRE_MESSAGE(position != cities.end(), std::string(name));
  return *position;
}

double distance(std::string_view first, std::string_view second) { return great_circle_km(city(first), city(second)); }

std::size_t aspect(std::string_view name) {
  const std::span<const std::string_view> names = element_aspect_names();
  const auto entry = std::find(names.begin(), names.end(), name);
  REQUIRE_MESSAGE(entry != names.end(), std::string(name));
  return static_cast<std::size_t>(entry - names.begin());
}

// Symbols with the given value of an aspect, by atomic number, separated by spaces.
std::string symbols_with(std::string_view name, std::string_view value) {
  const std::size_t t = aspect(name);
  std::string symbols;
  for (const Element& element : chemical_elements()) {
    if (element.aspects[t] != value) continue;
    if (!symbols.empty()) symbols += ' ';
    symbols += element.symbol;
  }
  return symbols;
}

std::map<std::string, int> counts(std::string_view name) {
  const std::size_t t = aspect(name);
  std::map<std::string, int> result;
  for (const Element& element : chemical_elements()) ++result[std::string(element.aspects[t])];
  return result;
}

// Period, group and block by the rule that fills the table, written apart from the table itself.
struct Place {
  std::string period, group, block;
};

Place place(int atomic_number) {
  const std::vector<int> period_lengths = {2, 8, 8, 18, 18, 32, 32};
  int position = atomic_number;  // 1-based within the period
  std::size_t row = 0;
  while (position > period_lengths[row]) position -= period_lengths[row++];
  const int left_to_noble_gas = period_lengths[row] - position;
  const std::string period = std::to_string(row + 1);
  if (atomic_number == 2) return {period, "18", "s"};
  if (position <= 2) return {period, std::to_string(position), "s"};
  if (left_to_noble_gas < 6) return {period, std::to_string(18 - left_to_noble_gas), "p"};
  if (left_to_noble_gas < 16) return {period, std::to_string(18 - left_to_noble_gas), "d"};
  return {period, "f", "f"};
}

}  // namespace

TEST_CASE("European cities are many, named once and within Europe") {
  const std::span<const City> cities = europe_cities();
  CHECK(cities.size() == 121);
  std::set<std::string_view> names;
  for (const City& c : cities) {
    CAPTURE(std::string(c.name));
    CHECK(names.insert(c.name).second);
    CHECK_FALSE(c.name.empty());
    CHECK_FALSE(c.country.empty());
    CHECK(c.name.find_first_of(",\";\t\n") == std::string_view::npos);
    CHECK(c.latitude_degrees > 35.0);
    CHECK(c.latitude_degrees < 70.0);
    CHECK(c.longitude_degrees > -22.0);
    CHECK(c.longitude_degrees < 50.0);
    for (const double degrees : {c.latitude_degrees, c.longitude_degrees})
      CHECK(std::abs(degrees * 100.0 - std::round(degrees * 100.0)) < 1e-6);
  }
}

TEST_CASE("country is a usable class label of European cities") {
  std::map<std::string_view, int> sizes;
  std::vector<std::string_view> runs;  // a country that came back would appear twice
  for (const City& c : europe_cities()) {
    ++sizes[c.country];
    if (runs.empty() || runs.back() != c.country) runs.push_back(c.country);
  }
  CHECK(sizes.size() == 40);
  CHECK(runs.size() == sizes.size());
  CHECK(std::count_if(sizes.begin(), sizes.end(), [](const auto& s) { return s.second >= 4; }) == 15);
}

TEST_CASE("the farthest cities of each larger country are the expected ones") {
  // One wrong sign or degree digit anywhere in these countries is likely to move the farthest pair.
  struct Extent {
    std::string_view country, first, second;
    double km;
  };
  const std::vector<Extent> extents = {
      {"Austria", "Vienna", "Innsbruck", 387.0},
      {"Finland", "Helsinki", "Oulu", 539.0},
      {"France", "Marseille", "Lille", 834.0},
      {"Germany", "Hamburg", "Munich", 612.0},
      {"Greece", "Thessaloniki", "Heraklion", 620.0},
      {"Italy", "Turin", "Palermo", 905.0},
      {"Norway", "Stavanger", "Tromsø", 1341.0},
      {"Poland", "Kraków", "Gdańsk", 485.0},
      {"Portugal", "Porto", "Faro", 463.0},
      {"Romania", "Timișoara", "Iași", 512.0},
      {"Russia", "Saint Petersburg", "Volgograd", 1545.0},
      {"Spain", "Barcelona", "Seville", 829.0},
      {"Sweden", "Malmö", "Umeå", 999.0},
      {"Ukraine", "Kharkiv", "Lviv", 873.0},
      {"United Kingdom", "London", "Glasgow", 555.0},
  };
  for (const Extent& extent : extents) {
    CAPTURE(std::string(extent.country));
    CHECK(std::abs(distance(extent.first, extent.second) - extent.km) < 2.0);
    double farthest = 0.0;
    for (const City& a : europe_cities())
      for (const City& b : europe_cities())
        if (a.country == extent.country && b.country == extent.country)
          farthest = std::max(farthest, great_circle_km(a, b));
    CHECK(farthest == distance(extent.first, extent.second));
  }
}

TEST_CASE("cities of the smaller countries are within 400 km of each other") {
  std::map<std::string_view, int> sizes;
  for (const City& c : europe_cities()) ++sizes[c.country];
  for (const City& a : europe_cities()) {
    for (const City& b : europe_cities()) {
      if (a.country != b.country || sizes[a.country] >= 4) continue;
      CAPTURE(std::string(a.name));
      CAPTURE(std::string(b.name));
      CHECK(great_circle_km(a, b) < 400.0);
    }
  }
}

TEST_CASE("the nearest two European cities are those across the Öresund") {
  const std::span<const City> cities = europe_cities();
  double nearest = distance("London", "Paris");
  for (std::size_t i = 0; i < cities.size(); ++i)
    for (std::size_t j = i + 1; j < cities.size(); ++j)
      nearest = std::min(nearest, great_circle_km(cities[i], cities[j]));
  CHECK(nearest == distance("Copenhagen", "Malmö"));
  CHECK(std::abs(nearest - 28.0) < 2.0);
}

TEST_CASE("great-circle distances agree with well-known ones") {
  CHECK(std::abs(distance("London", "Paris") - 344.0) < 2.0);
  CHECK(std::abs(distance("Lisbon", "Moscow") - 3907.0) < 15.0);
  CHECK(std::abs(distance("Berlin", "Munich") - 504.0) < 3.0);
  CHECK(std::abs(distance("Madrid", "Barcelona") - 505.0) < 3.0);
  CHECK(std::abs(distance("Rome", "Milan") - 477.0) < 3.0);
  CHECK(std::abs(distance("Helsinki", "Tallinn") - 82.0) < 2.0);
  CHECK(std::abs(distance("Vienna", "Bratislava") - 55.0) < 2.0);
  CHECK(std::abs(distance("Stockholm", "Oslo") - 416.0) < 3.0);
  CHECK(std::abs(distance("Athens", "Istanbul") - 562.0) < 4.0);
  CHECK(std::abs(distance("Reykjavik", "London") - 1889.0) < 6.0);
}

TEST_CASE("great-circle distance is exact where geometry gives it") {
  constexpr double kRadius = 6371.0088;
  const City north{"n", "", 90.0, 0.0};
  const City south{"s", "", -90.0, 137.0};
  const City origin{"o", "", 0.0, 0.0};
  const City quarter{"q", "", 0.0, 90.0};
  const City across{"a", "", 0.0, 180.0};
  const City degree{"d", "", 1.0, 0.0};
  CHECK(great_circle_km(north, south) == doctest::Approx(std::numbers::pi * kRadius).epsilon(1e-12));
  CHECK(great_circle_km(origin, across) == doctest::Approx(std::numbers::pi * kRadius).epsilon(1e-12));
  CHECK(great_circle_km(origin, quarter) == doctest::Approx(std::numbers::pi * kRadius / 2).epsilon(1e-12));
  CHECK(great_circle_km(origin, degree) == doctest::Approx(111.1951).epsilon(1e-6));
  const City west{"w", "", 12.0, -179.5};
  const City east{"e", "", 12.0, 179.5};
  CHECK(great_circle_km(west, east) < 110.0);  // the short way round
}

TEST_CASE("great-circle distance is a metric on the cities") {
  const std::span<const City> cities = europe_cities();
  for (std::size_t i = 0; i < cities.size(); ++i) {
    CHECK(great_circle_km(cities[i], cities[i]) == 0.0);
    const std::size_t j = (i * 37 + 11) % cities.size();
    const std::size_t k = (i * 59 + 5) % cities.size();
    CAPTURE(i);
    const double ij = great_circle_km(cities[i], cities[j]);
    CHECK(ij == great_circle_km(cities[j], cities[i]));
    CHECK(ij <= great_circle_km(cities[i], cities[k]) + great_circle_km(cities[k], cities[j]) + 1e-9);
  }
}

TEST_CASE("the elements are 118, in order, named once") {
  const std::span<const Element> elements = chemical_elements();
  REQUIRE(elements.size() == 118);
  std::set<std::string_view> symbols, names;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    CHECK(elements[i].atomic_number == static_cast<int>(i) + 1);
    CHECK(symbols.insert(elements[i].symbol).second);
    CHECK(names.insert(elements[i].name).second);
    CHECK(elements[i].symbol.size() <= 2);
  }
  const auto is = [elements](int atomic_number, std::string_view symbol, std::string_view name) {
    const Element& element = elements[static_cast<std::size_t>(atomic_number - 1)];
    return element.symbol == symbol && element.name == name;
  };
  CHECK(is(1, "H", "Hydrogen"));
  CHECK(is(26, "Fe", "Iron"));
  CHECK(is(47, "Ag", "Silver"));
  CHECK(is(74, "W", "Tungsten"));
  CHECK(is(92, "U", "Uranium"));
  CHECK(is(118, "Og", "Oganesson"));
}

TEST_CASE("every aspect of the elements has a name and from 2 to 20 values") {
  REQUIRE(element_aspect_names().size() == kElementAspectCount);
  std::set<std::string_view> names;
  for (const std::string_view name : element_aspect_names()) {
    CAPTURE(std::string(name));
    CHECK(names.insert(name).second);
    std::map<std::string, int> values = counts(name);
    const int missing = values[""];
    values.erase("");
    CHECK(values.size() >= 2);
    CHECK(values.size() <= 20);
    CHECK(missing <= 30);
  }
}

TEST_CASE("period, group and block follow from the atomic number") {
  const std::size_t period = aspect("period"), group = aspect("group"), block = aspect("block");
  for (const Element& element : chemical_elements()) {
    CAPTURE(std::string(element.symbol));
    const Place expected = place(element.atomic_number);
    CHECK(element.aspects[period] == expected.period);
    CHECK(element.aspects[group] == expected.group);
    CHECK(element.aspects[block] == expected.block);
  }
}

TEST_CASE("periods, blocks and groups have the lengths of the table") {
  CHECK(counts("period") ==
        std::map<std::string, int>{{"1", 2}, {"2", 8}, {"3", 8}, {"4", 18}, {"5", 18}, {"6", 32}, {"7", 32}});
  CHECK(counts("block") == std::map<std::string, int>{{"s", 14}, {"p", 36}, {"d", 40}, {"f", 28}});
  CHECK(symbols_with("group", "18") == "He Ne Ar Kr Xe Rn Og");
  CHECK(symbols_with("group", "17") == "F Cl Br I At Ts");
  CHECK(symbols_with("group", "14") == "C Si Ge Sn Pb Fl");
  CHECK(symbols_with("group", "11") == "Cu Ag Au Rg");
  CHECK(symbols_with("group", "8") == "Fe Ru Os Hs");
  CHECK(symbols_with("group", "3") == "Sc Y Lu Lr");
  CHECK(symbols_with("group", "2") == "Be Mg Ca Sr Ba Ra");
  CHECK(symbols_with("group", "1") == "H Li Na K Rb Cs Fr");
}

TEST_CASE("categories of the elements agree with groups and blocks") {
  CHECK(symbols_with("category", "alkali metal") == "Li Na K Rb Cs Fr");
  CHECK(symbols_with("category", "alkaline earth metal") == symbols_with("group", "2"));
  CHECK(symbols_with("category", "halogen") == "F Cl Br I At");
  CHECK(symbols_with("category", "noble gas") == "He Ne Ar Kr Xe Rn");
  CHECK(symbols_with("category", "metalloid") == "B Si Ge As Sb Te");
  CHECK(symbols_with("category", "nonmetal") == "H C N O P S Se");
  CHECK(counts("category")["lanthanide"] == 15);
  CHECK(counts("category")["actinide"] == 15);
  const std::size_t category = aspect("category"), block = aspect("block");
  for (const Element& element : chemical_elements()) {
    CAPTURE(std::string(element.symbol));
    if (element.aspects[category] == "transition metal") CHECK(element.aspects[block] == "d");
    CHECK(element.aspects[category].empty() == (element.atomic_number >= 109));
  }
}

TEST_CASE("phase, magnetism and age of the elements are the textbook ones") {
  CHECK(symbols_with("phase", "gas") == "H He N O F Ne Cl Ar Kr Xe Rn");
  CHECK(symbols_with("phase", "liquid") == "Br Hg");
  CHECK(symbols_with("magnetism", "ferromagnetic") == "Fe Co Ni");
  CHECK(symbols_with("magnetism", "antiferromagnetic") == "Cr");
  CHECK(symbols_with("discovery_era", "antiquity") == "C S Fe Cu Ag Sn Au Hg Pb");
  CHECK(symbols_with("crystal_structure", "diamond") == "Si Ge");
  CHECK(symbols_with("crystal_structure", "simple cubic") == "Po");
  CHECK(symbols_with("crystal_structure", "bcc") == "Li Na K V Cr Fe Rb Nb Mo Cs Ba Eu Ta W Ra");
  CHECK(symbols_with("oxidation_state", "0") == symbols_with("category", "noble gas"));
  CHECK(symbols_with("oxidation_state", "+8") == "Hs");
}

TEST_CASE("occurrence of the elements fits their stability") {
  CHECK(symbols_with("occurrence", "from decay") == "Tc Pm Po At Rn Fr Ra Ac Pa Np Pu");
  CHECK(counts("occurrence") == std::map<std::string, int>{{"primordial", 83}, {"from decay", 11}, {"synthetic", 24}});
  CHECK(counts("stable_nuclides") == std::map<std::string, int>{{"none", 38}, {"one", 26}, {"several", 54}});
  const std::size_t occurrence = aspect("occurrence"), stable = aspect("stable_nuclides");
  for (const Element& element : chemical_elements()) {
    CAPTURE(std::string(element.symbol));
    const int z = element.atomic_number;
    CHECK((element.aspects[stable] == "none") == (z == 43 || z == 61 || z >= 83));
    CHECK((element.aspects[occurrence] == "synthetic") == (z >= 95));
    if (element.aspects[stable] != "none") CHECK(element.aspects[occurrence] == "primordial");
    // Elements of even number have several stable nuclides or none; beryllium is the one exception.
    if (element.aspects[stable] == "one") CHECK((z % 2 == 1 || z == 4));
  }
}

TEST_CASE("unknown properties of the elements are missing together") {
  const std::size_t phase = aspect("phase"), crystal = aspect("crystal_structure"), magnetism = aspect("magnetism");
  for (const Element& element : chemical_elements()) {
    CAPTURE(std::string(element.symbol));
    if (!element.aspects[phase].empty()) continue;
    CHECK(element.aspects[crystal].empty());
    CHECK(element.aspects[magnetism].empty());
  }
  CHECK(symbols_with("phase", "").starts_with("At Fr Fm Md"));
  CHECK(symbols_with("electronegativity", "").starts_with("He Ne Ar Rn Fm"));
}

}  // namespace embedded_tables_test
