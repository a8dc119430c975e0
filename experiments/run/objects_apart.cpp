#include "experiments/run/objects_apart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include "experiments/run/escaped_objects.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::size_t kNamedApart = 5;
constexpr std::size_t kMostListed = 1000;

/// Objects beyond kApartRadii, if they are few.
std::vector<Index> far_apart(const Matrix& map, const std::vector<bool>& counted) {
  constexpr std::size_t kOneIn = 20;
  MapSpread spread = spread_of(map, counted, kApartRadii);
  const auto all = static_cast<std::size_t>(std::ranges::count(counted, true));
  if (kOneIn * spread.far.size() > all) return spread_of(map, counted).far;
  return std::move(spread.far);
}

/// "a, b, c, d, e, ..."
std::string first_names(const std::vector<Index>& objects, const std::vector<std::string>& names) {
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(objects.size(), kNamedApart); ++i)
    named.push_back(names[static_cast<std::size_t>(objects[i])]);
  return join(named, ", ") + (objects.size() > kNamedApart ? ", ..." : "");
}

Array listed(const std::vector<Index>& objects) {
  Array out;
  for (std::size_t i = 0; i < std::min(objects.size(), kMostListed); ++i)
    out.emplace_back(static_cast<std::int64_t>(objects[i]));
  return out;
}

}  // namespace

std::vector<std::uint64_t> mention_counts(const TripletSource& triplets) {
  constexpr std::uint64_t kBatch = 1024;
  std::vector<std::uint64_t> out(static_cast<std::size_t>(triplets.object_count()), 0);
  std::array<Triplet, kBatch> batch;
  for (std::uint64_t begin = 0; begin < triplets.size(); begin += kBatch) {
    const std::span<Triplet> part(
        batch.data(), static_cast<std::size_t>(std::min(kBatch, triplets.size() - begin)));
    triplets.read(begin, part);
    for (const Triplet& triplet : part)
      for (const ObjectId object : {triplet.anchor, triplet.near, triplet.far}) ++out[object];
  }
  return out;
}

std::uint64_t triplets_for_a_place(Index n, Index d) {
  const double bits = static_cast<double>(d) * std::log2(static_cast<double>(n));
  return static_cast<std::uint64_t>(std::max(std::ceil(bits), static_cast<double>(d + 1)));
}

std::vector<ObjectsApart> objects_apart(const Embedding& embedding,
                                        const std::vector<bool>& counted,
                                        const std::vector<std::uint64_t>& mentions, Index held) {
  std::vector<ObjectsApart> out;
  for (const AspectMap& map : embedding.maps) {
    ObjectsApart& apart =
        out.emplace_back(ObjectsApart{map.name, far_apart(map.coordinates, counted), {}});
    const std::uint64_t needed =
        triplets_for_a_place(map.coordinates.rows(), map.coordinates.cols());
    for (std::size_t i = static_cast<std::size_t>(held); i < mentions.size(); ++i)
      if (mentions[i] < needed) apart.unknown.push_back(static_cast<Index>(i));
  }
  return out;
}

Value apart_value(const std::vector<ObjectsApart>& apart) {
  if (std::ranges::all_of(apart,
                          [](const ObjectsApart& a) { return a.far.empty() && a.unknown.empty(); }))
    return {};
  Array out;
  for (const ObjectsApart& one : apart) {
    Table table;
    table.set("aspect", one.aspect);
    table.set("far", listed(one.far));
    table.set("unknown", listed(one.unknown));
    table.set("far_count", static_cast<std::int64_t>(one.far.size()));
    table.set("unknown_count", static_cast<std::int64_t>(one.unknown.size()));
    out.emplace_back(std::move(table));
  }
  return out;
}

std::vector<std::string> notes_on_objects_apart(const std::vector<ObjectsApart>& apart,
                                                const Embedding& embedding,
                                                const std::vector<bool>& counted,
                                                const std::vector<std::uint64_t>& mentions,
                                                const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (std::size_t m = 0; m < apart.size(); ++m) {
    std::vector<Index> named = spread_of(embedding.maps[m].coordinates, counted).far, rest;
    std::ranges::set_difference(apart[m].far, named, std::back_inserter(rest));
    if (rest.empty()) continue;
    out.push_back(
        fmt::format("{} more than {} median radii from the centre{}: {}.",
                    rest.size() == 1 ? "1 object lies" : fmt::format("{} objects lie", rest.size()),
                    kApartRadii, apart[m].aspect.empty() ? "" : " of the map of " + apart[m].aspect,
                    first_names(rest, names)));
  }
  if (apart.empty()) return out;
  std::vector<Index> unknown = apart.front().unknown;
  // The problem has a note on objects in no triplet.
  std::erase_if(unknown, [&](Index i) { return mentions[static_cast<std::size_t>(i)] == 0; });
  if (unknown.empty()) return out;
  const Matrix& map = embedding.maps.front().coordinates;
  const Index dimensions = map.cols();
  out.push_back(fmt::format(
      "{} in fewer than {} triplets, too few to fix a position in {} dimension{}: {}.",
      unknown.size() == 1 ? "1 object occurs" : fmt::format("{} objects occur", unknown.size()),
      triplets_for_a_place(map.rows(), dimensions), dimensions, dimensions == 1 ? "" : "s",
      first_names(unknown, names)));
  return out;
}

}  // namespace alidade
