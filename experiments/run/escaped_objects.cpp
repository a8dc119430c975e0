#include "experiments/run/escaped_objects.hpp"

#include <sentences/run.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"
#include "problems/core/upper_median.hpp"

namespace alidade {
namespace {

constexpr std::size_t kNamed = 5;

}  // namespace

std::vector<Index> MapSpread::far(double radii) const {
  std::vector<Index> out;
  if (median_radius == 0) return out;
  for (std::size_t p = 0; p < placed.size(); ++p)
    if (radius[p] / median_radius > radii) out.push_back(placed[p]);
  return out;
}

MapSpread spread_of(const Matrix& map, const std::vector<bool>& counted) {
  std::vector<Index> placed;
  for (Index i = 0; i < map.rows(); ++i)
    if (counted[static_cast<std::size_t>(i)] && map.row(i).allFinite()) placed.push_back(i);
  if (placed.empty()) return {};
  std::vector<double> values(placed.size());
  Eigen::RowVectorXd centre(map.cols());
  for (Index c = 0; c < map.cols(); ++c) {
    std::ranges::transform(placed, values.begin(), [&](Index i) { return map(i, c); });
    centre(c) = upper_median(values);
  }
  // Without squares, which overflow beyond 1e154.
  std::vector<double> radius(placed.size());
  std::ranges::transform(placed, radius.begin(), [&](Index i) { return (map.row(i) - centre).stableNorm(); });
  constexpr double kRounding = 1e-12;  // where most lie at one place but for this, no radius is a measure
  const double middle = upper_median(radius);
  return {middle > kRounding * centre.stableNorm() ? middle : 0, std::move(placed), std::move(radius)};
}

std::vector<MapSpread> spreads_of(const Embedding& embedding, const std::vector<bool>& counted) {
  return mapped<MapSpread>(embedding.maps, [&](const AspectMap& map) { return spread_of(map.coordinates, counted); });
}

std::vector<bool> mentioned_objects(const TripletSource& triplets) {
  constexpr std::uint64_t kBatch = 1024;
  const auto n = static_cast<std::size_t>(triplets.object_count());
  std::vector<bool> out(n, false);
  std::array<Triplet, kBatch> batch;
  std::size_t seen = 0;
  for (std::uint64_t begin = 0; begin < triplets.size() && seen < n; begin += kBatch) {
    const std::span<Triplet> part(batch.data(), static_cast<std::size_t>(std::min(kBatch, triplets.size() - begin)));
    triplets.read(begin, part);
    for (const Triplet& triplet : part)
      for (const ObjectId object : {triplet.anchor, triplet.near, triplet.far})
        if (!out[object]) {
          out[object] = true;
          ++seen;
        }
  }
  return out;
}

bool has_left(const MapSpread& spread, MapScale scale) {
  return scale.unit > 0 && spread.median_radius > kFarMedian * scale.unit;
}

std::vector<std::string> notes_on_far_objects(const Embedding& embedding, const std::vector<MapSpread>& spreads,
                                              const std::vector<std::string>& names, MapScale scale) {
  std::vector<std::string> out;
  for (std::size_t m = 0; m < spreads.size(); ++m) {
    const AspectMap& map = embedding.maps[m];
    const MapSpread& spread = spreads[m];
    const auto held = [&](std::string_view what) {
      return scale.has_lambda0 ? fmt::format("; a larger lambda0 keeps {} in place", what) : "";
    };
    const std::string of_map = map.name.empty() ? "" : " of " + map.name;
    if (has_left(spread, scale))
      out.push_back(fmt::format(words::kGrowsWithoutBound, of_map, spread.median_radius / scale.unit, held("it")));
    const std::vector<Index> far = spread.far();
    const std::size_t count = far.size();
    if (count == 0) continue;
    std::vector<std::string> named;
    for (std::size_t i = 0; i < std::min(count, kNamed); ++i) named.push_back(names[static_cast<std::size_t>(far[i])]);
    out.push_back(fmt::format("{} far outside{}, at more than {} times the median radius: {}{}{}.",
                              count == 1 ? "1 object lies" : fmt::format("{} objects lie", count),
                              map.name.empty() ? "" : " the map" + of_map, kFarRadii, join(named, ", "),
                              count > kNamed ? ", ..." : "", held(count == 1 ? "it" : "them")));
  }
  return out;
}

std::string note_on_farther_objects(const Matrix& map, const FeatureMatrix& features,
                                    const std::vector<std::string>& names, const std::string& problem) {
  constexpr double kFar = 5, kFarther = 2, kMostOfThem = 0.4;
  constexpr Index kMostNumbers = 5'000'000;
  const Index n = map.rows();
  if (n != features.rows() || features.size() > kMostNumbers || !map.allFinite() || !features.allFinite()) return "";
  const std::vector<bool> all(subscript(n), true);
  const MapSpread drawn = spread_of(map, all), given = spread_of(features.cast<double>(), all);
  const auto radii = [](const MapSpread& spread, Index i) {
    return spread.median_radius > 0 ? spread.radius[subscript(i)] / spread.median_radius : 0;
  };
  std::vector<Index> far = drawn.far(kFar);
  std::erase_if(far, [&](Index i) { return radii(drawn, i) < kFarther * radii(given, i); });
  if (far.empty() || static_cast<double>(far.size()) > kMostOfThem * static_cast<double>(n)) return "";
  std::ranges::stable_sort(far, std::greater(), [&](Index i) { return radii(drawn, i); });
  const std::vector<std::string> objects = shown_names(names);
  std::vector<std::string> shown = mapped<std::string>(far, [&](Index i) { return objects[subscript(i)]; });
  return fmt::format(words::kFarOnMap, problem, counted(far.size(), "object"), join_first(std::move(shown), kNamed),
                     radii(drawn, far.front()), radii(given, far.front()));
}

}  // namespace alidade
