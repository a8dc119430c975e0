#include "problems/multiview/preservation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/evidence/triplet_chunks.hpp"

namespace alidade::multiview {

namespace {

/// The numbers without NaN, in ascending order.
std::span<double> sorted_numbers(std::span<double> values) {
  const auto end = std::remove_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  std::sort(values.begin(), end);
  return values.first(static_cast<std::size_t>(end - values.begin()));
}

/// `map_of(t)`: the map on which aspect t is judged.
template <class MapOf>
std::vector<SatisfiedCount> count_in_table(const AttributeTable& table, const MapOf& map_of) {
  std::vector<SatisfiedCount> out(static_cast<std::size_t>(table.aspect_count()));
  std::vector<double> near, far;
  for (const AttributeTable::ClassBlock& block : table.class_blocks()) {
    const MapJudge map = map_of(block.aspect);
    SatisfiedCount& count = out[block.aspect];
    count.total += static_cast<double>(block.size());
    for (const ObjectId anchor : block.members) {
      near.clear();
      far.clear();
      for (const ObjectId j : block.members)
        if (j != anchor) near.push_back(map.between(anchor, j));
      for (const std::span<const ObjectId> others : {block.before, block.after})
        for (const ObjectId k : others) far.push_back(map.between(anchor, k));
      count.satisfied += static_cast<double>(ordered_pair_count(near, far));
    }
  }
  return out;
}

template <class MapOf>
std::vector<SatisfiedCount> count_one_by_one(const TripletSource& source, const MapOf& map_of) {
  std::vector<SatisfiedCount> out(static_cast<std::size_t>(source.aspect_count()));
  std::vector<std::vector<SatisfiedCount>> parts(triplet_chunks(source), out);
  each_in_chunks(source, [&](std::size_t chunk) {
    return [&, &part = parts[chunk]](std::uint64_t, const Triplet& t) {
      part[t.aspect].satisfied += map_of(t.aspect).agrees(t) ? t.weight : 0;
      part[t.aspect].total += t.weight;
    };
  });
  for (const std::vector<SatisfiedCount>& part : parts)
    for (std::size_t t = 0; t < out.size(); ++t) {
      out[t].satisfied += part[t].satisfied;
      out[t].total += part[t].total;
    }
  return out;
}

template <class MapOf>
std::vector<SatisfiedCount> count(const TripletSource& source, const MapOf& map_of) {
  if (const auto* table = dynamic_cast<const AttributeTable*>(&source)) return count_in_table(*table, map_of);
  return count_one_by_one(source, map_of);
}

void require_rows(const Matrix& map, const TripletSource& source) {
  require<DataError>(map.rows() >= source.object_count(),
                     "a map of {} objects does not place the {} objects of the triplets", map.rows(),
                     source.object_count());
}

}  // namespace

double MapJudge::between(ObjectId i, ObjectId j) const {
  const double* a = map_.data() + static_cast<Index>(i) * map_.cols();
  const double* b = map_.data() + static_cast<Index>(j) * map_.cols();
  double sum = 0;
  if (similarity_ == Similarity::distance)
    for (Index c = 0; c < map_.cols(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  else
    for (Index c = 0; c < map_.cols(); ++c) sum -= a[c] * b[c];
  return sum;
}

bool MapJudge::agrees(const Triplet& t) const {
  const double near = between(t.anchor, t.near), far = between(t.anchor, t.far);
  if (near != far || similarity_ == Similarity::distance) return near < far;
  const bool coin = Rng::stream(t.anchor, "tie", std::min(t.near, t.far), std::max(t.near, t.far)).below(2) == 1;
  return coin == (t.near < t.far);
}

std::uint64_t ordered_pair_count(std::span<double> near, std::span<double> far) {
  const std::span<double> a = sorted_numbers(near), b = sorted_numbers(far);
  std::uint64_t out = 0;
  std::size_t below = 0;  // of a, less than the current number of b
  for (const double value : b) {
    while (below < a.size() && a[below] < value) ++below;
    out += below;
  }
  return out;
}

std::vector<SatisfiedCount> satisfied_by_aspect(const Matrix& map, const TripletSource& source) {
  require_rows(map, source);
  return count(source, [&](std::uint32_t) { return MapJudge(map); });
}

std::vector<SatisfiedCount> satisfied_by_aspect(std::span<const AspectMap> maps, const TripletSource& source) {
  require<DataError>(maps.size() == 1 || std::ssize(maps) >= source.aspect_count(),
                     "{} maps cannot be judged by triplets of {} aspects", maps.size(), source.aspect_count());
  for (const AspectMap& map : maps) require_rows(map.coordinates, source);
  return count(source, [&](std::uint32_t t) {
    const AspectMap& map = maps[maps.size() == 1 ? 0 : t];
    return MapJudge(map.coordinates, map.similarity);
  });
}

std::vector<Dissimilarities> map_dissimilarities(const Embedding& embedding, const Observations& observations) {
  const std::vector<std::vector<bool>> observed = observed_objects(observations);
  const bool by_aspect = !embedding.latent_views && embedding.maps.size() == observed.size();
  std::vector<Dissimilarities> out;
  for (std::size_t m = 0; m < embedding.maps.size(); ++m) {
    const Matrix& map = embedding.maps[m].coordinates;
    const Index n = map.rows();
    std::vector<bool> placed(static_cast<std::size_t>(n), observed.empty());
    for (std::size_t t = 0; t < observed.size(); ++t)
      for (std::size_t i = 0; i < placed.size(); ++i)
        if ((!by_aspect || t == m) && i < observed[t].size() && observed[t][i]) placed[i] = true;
    for (Index i = 0; i < n; ++i)
      if (!map.row(i).allFinite()) placed[static_cast<std::size_t>(i)] = false;
    Dissimilarities view{embedding.maps[m].name, Matrix::Zero(n, n), Matrix::Zero(n, n)};
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) {
        if (map.row(i).allFinite() && map.row(j).allFinite())
          view.values(i, j) = view.values(j, i) = (map.row(i) - map.row(j)).norm();
        if (placed[static_cast<std::size_t>(i)] && placed[static_cast<std::size_t>(j)])
          view.weights(i, j) = view.weights(j, i) = 1;
      }
    out.push_back(std::move(view));
  }
  return out;
}

}  // namespace alidade::multiview
