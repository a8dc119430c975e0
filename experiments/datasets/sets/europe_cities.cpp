#include "experiments/datasets/sets/europe_cities.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace alidade::datasets {
namespace {

constexpr double kMeanEarthRadiusKm = 6371.0088;

constexpr City kEuropeCities[] = {
    {"Tirana", "Albania", 41.33, 19.82},
    {"Vienna", "Austria", 48.21, 16.37},
    {"Graz", "Austria", 47.07, 15.44},
    {"Innsbruck", "Austria", 47.27, 11.39},
    {"Salzburg", "Austria", 47.80, 13.04},
    {"Minsk", "Belarus", 53.90, 27.56},
    {"Brussels", "Belgium", 50.85, 4.35},
    {"Antwerp", "Belgium", 51.22, 4.40},
    {"Sarajevo", "Bosnia and Herzegovina", 43.86, 18.41},
    {"Sofia", "Bulgaria", 42.70, 23.32},
    {"Plovdiv", "Bulgaria", 42.14, 24.75},
    {"Varna", "Bulgaria", 43.21, 27.91},
    {"Zagreb", "Croatia", 45.81, 15.98},
    {"Split", "Croatia", 43.51, 16.44},
    {"Prague", "Czechia", 50.08, 14.44},
    {"Brno", "Czechia", 49.20, 16.61},
    {"Copenhagen", "Denmark", 55.68, 12.57},
    {"Aarhus", "Denmark", 56.16, 10.20},
    {"Tallinn", "Estonia", 59.44, 24.75},
    {"Tartu", "Estonia", 58.38, 26.73},
    {"Helsinki", "Finland", 60.17, 24.94},
    {"Tampere", "Finland", 61.50, 23.76},
    {"Turku", "Finland", 60.45, 22.27},
    {"Oulu", "Finland", 65.01, 25.47},
    {"Paris", "France", 48.86, 2.35},
    {"Lyon", "France", 45.76, 4.84},
    {"Marseille", "France", 43.30, 5.37},
    {"Bordeaux", "France", 44.84, -0.58},
    {"Toulouse", "France", 43.60, 1.44},
    {"Strasbourg", "France", 48.57, 7.75},
    {"Lille", "France", 50.63, 3.06},
    {"Nantes", "France", 47.22, -1.55},
    {"Nice", "France", 43.71, 7.26},
    {"Berlin", "Germany", 52.52, 13.40},
    {"Hamburg", "Germany", 53.55, 9.99},
    {"Munich", "Germany", 48.14, 11.58},
    {"Cologne", "Germany", 50.94, 6.96},
    {"Frankfurt", "Germany", 50.11, 8.68},
    {"Leipzig", "Germany", 51.34, 12.37},
    {"Stuttgart", "Germany", 48.78, 9.18},
    {"Athens", "Greece", 37.98, 23.73},
    {"Thessaloniki", "Greece", 40.64, 22.94},
    {"Patras", "Greece", 38.25, 21.73},
    {"Heraklion", "Greece", 35.34, 25.14},
    {"Budapest", "Hungary", 47.50, 19.04},
    {"Debrecen", "Hungary", 47.53, 21.63},
    {"Reykjavik", "Iceland", 64.15, -21.94},
    {"Dublin", "Ireland", 53.35, -6.26},
    {"Cork", "Ireland", 51.90, -8.47},
    {"Galway", "Ireland", 53.27, -9.05},
    {"Rome", "Italy", 41.90, 12.50},
    {"Milan", "Italy", 45.46, 9.19},
    {"Naples", "Italy", 40.85, 14.27},
    {"Turin", "Italy", 45.07, 7.69},
    {"Venice", "Italy", 45.44, 12.32},
    {"Bari", "Italy", 41.12, 16.87},
    {"Palermo", "Italy", 38.12, 13.36},
    {"Riga", "Latvia", 56.95, 24.11},
    {"Vilnius", "Lithuania", 54.69, 25.28},
    {"Kaunas", "Lithuania", 54.90, 23.90},
    {"Luxembourg", "Luxembourg", 49.61, 6.13},
    {"Valletta", "Malta", 35.90, 14.51},
    {"Chișinău", "Moldova", 47.01, 28.86},
    {"Podgorica", "Montenegro", 42.44, 19.26},
    {"Amsterdam", "Netherlands", 52.37, 4.90},
    {"Rotterdam", "Netherlands", 51.92, 4.48},
    {"Skopje", "North Macedonia", 42.00, 21.43},
    {"Oslo", "Norway", 59.91, 10.75},
    {"Bergen", "Norway", 60.39, 5.32},
    {"Stavanger", "Norway", 58.97, 5.73},
    {"Trondheim", "Norway", 63.43, 10.40},
    {"Tromsø", "Norway", 69.65, 18.96},
    {"Warsaw", "Poland", 52.23, 21.01},
    {"Kraków", "Poland", 50.06, 19.94},
    {"Gdańsk", "Poland", 54.35, 18.65},
    {"Poznań", "Poland", 52.41, 16.93},
    {"Wrocław", "Poland", 51.11, 17.04},
    {"Lisbon", "Portugal", 38.72, -9.14},
    {"Porto", "Portugal", 41.15, -8.61},
    {"Coimbra", "Portugal", 40.21, -8.43},
    {"Faro", "Portugal", 37.02, -7.93},
    {"Bucharest", "Romania", 44.43, 26.10},
    {"Cluj-Napoca", "Romania", 46.77, 23.59},
    {"Timișoara", "Romania", 45.75, 21.23},
    {"Iași", "Romania", 47.16, 27.59},
    {"Moscow", "Russia", 55.76, 37.62},
    {"Saint Petersburg", "Russia", 59.94, 30.31},
    {"Kazan", "Russia", 55.79, 49.11},
    {"Nizhny Novgorod", "Russia", 56.33, 44.00},
    {"Volgograd", "Russia", 48.71, 44.51},
    {"Belgrade", "Serbia", 44.79, 20.45},
    {"Niš", "Serbia", 43.32, 21.90},
    {"Bratislava", "Slovakia", 48.15, 17.11},
    {"Košice", "Slovakia", 48.72, 21.26},
    {"Ljubljana", "Slovenia", 46.06, 14.51},
    {"Madrid", "Spain", 40.42, -3.70},
    {"Barcelona", "Spain", 41.39, 2.17},
    {"Valencia", "Spain", 39.47, -0.38},
    {"Seville", "Spain", 37.39, -5.98},
    {"Bilbao", "Spain", 43.26, -2.93},
    {"Zaragoza", "Spain", 41.65, -0.88},
    {"Stockholm", "Sweden", 59.33, 18.07},
    {"Gothenburg", "Sweden", 57.71, 11.97},
    {"Malmö", "Sweden", 55.61, 13.00},
    {"Umeå", "Sweden", 63.83, 20.26},
    {"Zurich", "Switzerland", 47.38, 8.54},
    {"Geneva", "Switzerland", 46.20, 6.14},
    {"Bern", "Switzerland", 46.95, 7.45},
    {"Istanbul", "Turkey", 41.01, 28.98},
    {"Kyiv", "Ukraine", 50.45, 30.52},
    {"Kharkiv", "Ukraine", 49.99, 36.23},
    {"Lviv", "Ukraine", 49.84, 24.03},
    {"Odesa", "Ukraine", 46.48, 30.73},
    {"Dnipro", "Ukraine", 48.46, 35.05},
    {"London", "United Kingdom", 51.51, -0.13},
    {"Belfast", "United Kingdom", 54.60, -5.93},
    {"Birmingham", "United Kingdom", 52.48, -1.89},
    {"Cardiff", "United Kingdom", 51.48, -3.18},
    {"Edinburgh", "United Kingdom", 55.95, -3.19},
    {"Glasgow", "United Kingdom", 55.86, -4.25},
    {"Manchester", "United Kingdom", 53.48, -2.24},
};

constexpr double radians(double degrees) { return degrees * (std::numbers::pi / 180.0); }

}  // namespace

std::span<const City> europe_cities() { return kEuropeCities; }

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
