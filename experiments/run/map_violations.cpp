#include "experiments/run/map_faults.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/multiview/preservation.hpp"

namespace alidade {
namespace {

constexpr std::size_t kMostOfAnchor = 20;
constexpr std::size_t kMostOfMap = 10'000;

using NearFar = std::pair<ObjectId, ObjectId>;

struct AnchorTally {
  std::uint64_t triplets = 0;
  std::vector<NearFar> violated;  // in the order of the triplets; equal ones once each
};

double distance(const Matrix& map, ObjectId a, ObjectId b) {
  return (map.row(static_cast<Index>(a)) - map.row(static_cast<Index>(b))).norm();
}

std::vector<ViolatedTriplets::Violated> most_frequent(std::vector<NearFar> violated, const Matrix& map, ObjectId anchor,
                                                      std::size_t limit) {
  std::ranges::sort(violated);
  struct Ranked {
    ViolatedTriplets::Violated one;
    double excess;  // NaN without a place
  };
  std::vector<Ranked> ranked;
  for (const auto& [near, far] : violated) {
    if (ranked.empty() || ranked.back().one.near != near || ranked.back().one.far != far) {
      const double excess = distance(map, anchor, near) - distance(map, anchor, far);
      ranked.push_back({{near, far, 0}, excess >= 0 ? excess : 0});
    }
    ++ranked.back().one.times;
  }
  std::ranges::stable_sort(ranked, std::ranges::greater{},
                           [](const Ranked& r) { return std::tuple(r.one.times, r.excess); });
  std::vector<ViolatedTriplets::Violated> out;
  for (std::size_t k = 0; k < std::min(ranked.size(), limit); ++k) out.push_back(ranked[k].one);
  return out;
}

ViolatedTriplets listed(const std::vector<AnchorTally>& tallies, const Matrix& map) {
  const auto violating = static_cast<std::size_t>(
      std::ranges::count_if(tallies, [](const AnchorTally& tally) { return !tally.violated.empty(); }));
  const std::size_t limit = std::clamp<std::size_t>(kMostOfMap / std::max<std::size_t>(violating, 1), 1, kMostOfAnchor);
  ViolatedTriplets out;
  for (std::size_t i = 0; i < tallies.size(); ++i)
    if (const AnchorTally& tally = tallies[i]; !tally.violated.empty())
      out.anchors.push_back({static_cast<ObjectId>(i), tally.violated.size(), tally.triplets,
                             most_frequent(tally.violated, map, static_cast<ObjectId>(i), limit)});
  return out;
}

}  // namespace

std::vector<ViolatedTriplets> violated_triplets(const Embedding& shown, const TripletSource& triplets) {
  const std::optional<Embedding> rescaled = metrics::in_ordinary_units(shown);
  const Embedding& embedding = rescaled ? *rescaled : shown;
  if (!metrics::maps_show_aspects(embedding, triplets.aspect_count())) return {};
  const auto n = static_cast<std::size_t>(triplets.object_count());
  std::vector<std::vector<AnchorTally>> tallies(embedding.maps.size(), std::vector<AnchorTally>(n));
  triplets.each([&](std::uint64_t, const Triplet& t) {
    const AspectMap& map = metrics::map_of_aspect(embedding, static_cast<Index>(t.aspect));
    AnchorTally& tally = tallies[static_cast<std::size_t>(&map - embedding.maps.data())][t.anchor];
    ++tally.triplets;
    if (!multiview::MapJudge(map.coordinates, map.similarity).agrees(t)) tally.violated.emplace_back(t.near, t.far);
  });
  std::vector<ViolatedTriplets> out;
  for (std::size_t m = 0; m < tallies.size(); ++m) out.push_back(listed(tallies[m], embedding.maps[m].coordinates));
  return out;
}

}  // namespace alidade
