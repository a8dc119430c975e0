#include "experiments/run/unreliable_objects.hpp"

#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "experiments/statistics/proportion.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade {
namespace {

constexpr std::size_t kNamedApart = 5;
constexpr std::size_t kMostListed = 1000;

/// Objects beyond kApartRadii, if they are few among those counted.
std::vector<Index> far_apart(const MapSpread& spread, std::size_t counted) {
  constexpr std::size_t kOneIn = 20;
  std::vector<Index> far = spread.far(kApartRadii);
  return kOneIn * far.size() > counted ? spread.far() : far;
}

/// "a, b, c, d, e, ..."
std::string first_names(const std::vector<Index>& objects, const std::vector<std::string>& names) {
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(objects.size(), kNamedApart); ++i)
    named.push_back(names[static_cast<std::size_t>(objects[i])]);
  return join(named, ", ") + (objects.size() > kNamedApart ? ", ..." : "");
}

std::vector<std::int64_t> listed(const std::vector<Index>& objects) {
  return {objects.begin(), objects.begin() + static_cast<std::ptrdiff_t>(std::min(objects.size(), kMostListed))};
}

}  // namespace

std::vector<std::uint64_t> mention_counts(const TripletSource& triplets) {
  std::vector<statistics::ClusterCount> counts(static_cast<std::size_t>(triplets.object_count()));
  each_weighed(triplets, [&](std::uint64_t, const Triplet& triplet, double weight) {
    for (const ObjectId object : {triplet.anchor, triplet.near, triplet.far}) counts[object].add(weight, false);
  });
  return mapped<std::uint64_t>(counts, [](const auto& one) { return std::llround(one.effective()); });
}

std::uint64_t triplets_for_a_place(Index n, Index d) {
  const double bits = static_cast<double>(d) * std::log2(static_cast<double>(n));
  return static_cast<std::uint64_t>(std::max(std::ceil(bits), static_cast<double>(d + 1)));
}

std::vector<UnreliableObjects> unreliable_objects(const Embedding& embedding, const std::vector<MapSpread>& spreads,
                                                  std::size_t counted, const std::vector<std::uint64_t>& mentions,
                                                  Index held) {
  std::vector<UnreliableObjects> out;
  for (std::size_t m = 0; m < spreads.size(); ++m) {
    const AspectMap& map = embedding.maps[m];
    UnreliableObjects& one = out.emplace_back(UnreliableObjects{map.name, far_apart(spreads[m], counted), {}});
    const std::uint64_t needed = triplets_for_a_place(map.coordinates.rows(), map.coordinates.cols());
    for (std::size_t i = static_cast<std::size_t>(held); i < mentions.size(); ++i)
      if (mentions[i] < needed) one.unknown.push_back(static_cast<Index>(i));
  }
  return out;
}

std::optional<std::vector<ResultRow::Apart>> apart_of(const std::vector<UnreliableObjects>& objects) {
  if (std::ranges::all_of(objects, [](const UnreliableObjects& one) { return one.far.empty() && one.unknown.empty(); }))
    return std::nullopt;
  std::vector<ResultRow::Apart> out;
  for (const UnreliableObjects& one : objects)
    out.push_back({one.aspect, listed(one.far), listed(one.unknown), std::ssize(one.far), std::ssize(one.unknown)});
  return out;
}

std::vector<std::string> notes_on_unreliable_objects(const std::vector<UnreliableObjects>& objects,
                                                     const Embedding& embedding, const std::vector<MapSpread>& spreads,
                                                     const std::vector<std::uint64_t>& mentions,
                                                     const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (std::size_t m = 0; m < objects.size(); ++m) {
    std::vector<Index> rest;
    std::ranges::set_difference(objects[m].far, spreads[m].far(), std::back_inserter(rest));
    if (rest.empty()) continue;
    out.push_back(fmt::format(
        words::kFromCentre, rest.size() == 1 ? "1 object lies" : fmt::format("{} objects lie", rest.size()),
        kApartRadii, objects[m].aspect.empty() ? "" : " of the map of " + objects[m].aspect, first_names(rest, names)));
  }
  if (objects.empty()) return out;
  std::vector<Index> unknown = objects.front().unknown;
  // The problem itself has a note on objects in no triplet.
  std::erase_if(unknown, [&](Index i) { return mentions[static_cast<std::size_t>(i)] == 0; });
  if (unknown.empty()) return out;
  const Matrix& map = embedding.maps.front().coordinates;
  const Index dimensions = map.cols();
  out.push_back(fmt::format("{} in fewer than {} triplets, too few to fix a position in {} dimension{}: {}.",
                            unknown.size() == 1 ? "1 object occurs" : fmt::format("{} objects occur", unknown.size()),
                            triplets_for_a_place(map.rows(), dimensions), dimensions, dimensions == 1 ? "" : "s",
                            first_names(unknown, names)));
  return out;
}

}  // namespace alidade
