#include "experiments/run/map_faults.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "experiments/files/delimited_text.hpp"
#include "experiments/metrics/metric.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/evidence/triplet_chunks.hpp"

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

/// Calls `take` with each triplet, its place and that of the map of its aspect, and whether that map violates it.
/// False if the maps show no aspects.
bool each_judged(const Embedding& shown, const TripletSource& triplets,
                 const std::function<void(std::uint64_t, const Triplet&, std::size_t, bool)>& take) {
  if (!metrics::maps_show_aspects(shown, triplets.aspect_count())) return false;
  const metrics::TripletJudge judge(shown);
  std::vector<bool> agrees(triplets.size());
  each_in_chunks(triplets,
                 [&](std::size_t) { return [&](std::uint64_t i, const Triplet& t) { agrees[i] = judge.agrees(t); }; });
  triplets.each(
      [&](std::uint64_t i, const Triplet& t) { take(i, t, shown.maps.size() > 1 ? t.aspect : 0, !agrees[i]); });
  return true;
}

}  // namespace

std::vector<ViolatedTriplets> violated_triplets(const Embedding& shown, const TripletSource& triplets) {
  const auto n = static_cast<std::size_t>(triplets.object_count());
  std::vector<std::vector<AnchorTally>> tallies(shown.maps.size(), std::vector<AnchorTally>(n));
  const auto tally = [&](std::uint64_t, const Triplet& t, std::size_t map, bool violated) {
    ++tallies[map][t.anchor].triplets;
    if (violated) tallies[map][t.anchor].violated.emplace_back(t.near, t.far);
  };
  if (!each_judged(shown, triplets, tally)) return {};
  std::vector<ViolatedTriplets> out;
  for (std::size_t m = 0; m < tallies.size(); ++m) out.push_back(listed(tallies[m], shown.maps[m].coordinates));
  return out;
}

std::string judged_to_csv(const Embedding& shown, const TripletSource& heldout, const Observations& all) {
  const std::vector<std::string> names = shown_names(all.objects), aspects = aspect_names(all);
  std::string out = "anchor,near,far,aspect,who,violated,weight\n";
  each_judged(shown, heldout, [&](std::uint64_t i, const Triplet& t, std::size_t, bool violated) {
    const std::uint64_t origin = heldout.origin_index(i);
    const std::string who = all.annotator ? all.annotators[(*all.annotator)[origin]]
                            : all.answer  ? std::to_string((*all.answer)[origin])
                                          : std::string();
    for (const std::string& field :
         {names[t.anchor], names[t.near], names[t.far], aspects.size() > 1 ? aspects[t.aspect] : "", who})
      out += csv_field(field) + ',';
    out += fmt::format("{},{}\n", violated ? 1 : 0, shortest(t.weight));
  });
  return out;
}

}  // namespace alidade
