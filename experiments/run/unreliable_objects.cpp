#include "experiments/run/unreliable_objects.hpp"

#include <sentences/run.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

#include "experiments/files/counted.hpp"
#include "experiments/statistics/proportion.hpp"
#include "problems/core/connected_parts.hpp"
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

std::vector<std::vector<Index>> parts_apart(const Observations& made_of, std::span<const ObservationKind> kinds,
                                            Index held) {
  const Index n = made_of.object_count();
  const bool by_distances =
      contains(kinds, ObservationKind::distances) || contains(kinds, ObservationKind::dissimilarities);
  // Features place all objects beside each other.
  if (contains(kinds, ObservationKind::features) || (by_distances && made_of.features)) return {};
  ConnectedParts parts(n);
  std::vector<bool> alone(subscript(n), true);  // without evidence so far
  Index unknown = n;
  const auto join = [&](Index i, Index j) {
    for (const Index one : {i, j}) {
      if (alone[subscript(one)]) --unknown;
      alone[subscript(one)] = false;
    }
    parts.join(subscript(i), subscript(j));
  };
  const auto done = [&] { return unknown == 0 && parts.count() == 1; };
  for (Index i = 1; i < held; ++i) join(0, i);
  if (contains(kinds, ObservationKind::triplets) && made_of.triplets) {
    std::array<Triplet, 1024> batch;
    for (std::uint64_t begin = 0; begin < made_of.triplets->size() && !done(); begin += batch.size()) {
      const auto part = std::span(batch).first(std::min(batch.size(), made_of.triplets->size() - begin));
      made_of.triplets->read(begin, part);
      for (const Triplet& t : part)
        if (t.weight > 0) join(t.anchor, t.near), join(t.anchor, t.far);
    }
  }
  if (by_distances)
    for (const Dissimilarities& aspect : made_of.dissimilarities) {
      if (aspect.weights.size() == 0) return {};  // all are known
      for (Index i = 0; i < n && !done(); ++i)
        for (Index j = 0; j < i; ++j)
          if (aspect.weights(i, j) > 0) join(i, j);
    }
  if (contains(kinds, ObservationKind::pair_signs) && made_of.pair_signs &&
      made_of.pair_signs->others() == PairSigns::Others::unknown)
    for (Index i = 0; i < n; ++i)
      for (const auto& others : {made_of.pair_signs->similar(i), made_of.pair_signs->listed_dissimilar(i)})
        for (const ObjectId j : others) join(i, j);
  std::vector<std::vector<Index>> out;
  for (std::vector<Index>& part : parts.members())
    if (!alone[subscript(part.front())]) out.push_back(std::move(part));
  std::ranges::stable_sort(out, std::greater(), [](const auto& part) { return part.size(); });
  return out;
}

std::string note_on_parts_apart(const std::vector<std::vector<Index>>& parts, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  if (parts.size() < 2) return "";
  std::vector<std::string> shown = mapped<std::string>(parts, [&](const auto& part) {
    return fmt::format("{} ({})", counted(part.size(), "object"), first_names(part, names));
  });
  return fmt::format(words::kPartsApart, parts.size(), join_some(std::move(shown), kShown, "; "));
}

std::string note_on_few_anchors(const TripletSource& triplets, Index d, const std::vector<std::string>& names) {
  std::set<Index> anchors;
  for (std::uint64_t i = 0; i < triplets.size() && std::ssize(anchors) <= d; ++i)
    if (const Triplet t = triplets.at(i); t.weight > 0) anchors.insert(t.anchor);
  if (std::ssize(anchors) > d || anchors.empty()) return "";
  return fmt::format(words::kFewAnchors, counted(anchors.size(), "anchor"),
                     first_names({anchors.begin(), anchors.end()}, names), anchors.size() == 1 ? "it" : "them",
                     counted(d, "dimension"), d + 1);
}

std::string note_on_few_distances(const Matrix& weights, Index d, const std::vector<std::string>& names) {
  std::vector<Index> few;
  for (Index i = 0; i < weights.rows(); ++i)
    if ((weights.row(i).array() > 0).count() - (weights(i, i) > 0 ? 1 : 0) <= d) few.push_back(i);
  if (few.empty() || weights.rows() <= d + 1) return "";
  return fmt::format(words::kFewDistances, counted(few.size(), "object has", "objects have"), d + 1,
                     counted(d, "dimension"), first_names(few, names));
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
