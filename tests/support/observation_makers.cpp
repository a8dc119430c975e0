#include "tests/support/observation_makers.hpp"

#include <cmath>

namespace alidade::testing {

Matrix gaussian_points(Index n, Index d, Rng& rng) {
  Matrix out(n, d);
  for (double& entry : out.reshaped<Eigen::RowMajor>()) entry = rng.normal();
  return out;
}

TripletList triplets_of(const Matrix& points, std::uint64_t count, double flip_rate, Rng& rng) {
  const auto n = static_cast<std::uint64_t>(points.rows());
  TripletList out(points.rows());
  const auto squared = [&](ObjectId i, ObjectId j) { return (points.row(i) - points.row(j)).squaredNorm(); };
  while (out.size() < count) {
    const auto anchor = static_cast<ObjectId>(rng.below(n));
    auto near = static_cast<ObjectId>(rng.below(n)), far = static_cast<ObjectId>(rng.below(n));
    if (anchor == near || anchor == far || near == far) continue;
    if (squared(anchor, near) > squared(anchor, far)) std::swap(near, far);
    if (flip_rate > 0 && rng.uniform01() < flip_rate) std::swap(near, far);
    out.add({anchor, near, far});
  }
  return out;
}

TripletList weighted(const TripletList& triplets, Rng& rng) {
  TripletList out(triplets.object_count());
  double weight = 1;
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    // In pairs of sum 2; exact in binary.
    const bool second = i % 2 == 1, last = i + 1 == triplets.size();
    weight = second ? 2 - weight : last ? 1 : static_cast<double>(1 + rng.below(2047)) / 1024;
    Triplet t = triplets.at(i);
    t.weight = weight;
    out.add(t);
  }
  return out;
}

Observations observations_of(std::shared_ptr<const TripletSource> triplets) {
  Observations out;
  out.name = "test";
  for (Index i = 0; i < triplets->object_count(); ++i) out.objects.push_back("o" + std::to_string(i));
  out.triplets = std::move(triplets);
  return out;
}

Observations gaussian_observations(Index n, Index d, Rng& rng) {
  const Matrix points = gaussian_points(n, d, rng);
  const auto count = static_cast<std::uint64_t>(2 * static_cast<double>(d * n) * std::log(static_cast<double>(n)));
  Observations out = observations_of(std::make_shared<TripletList>(triplets_of(points, count, 0, rng)));
  out.truth = points;
  return out;
}

std::shared_ptr<const AttributeTable> random_table(Index n, int aspects, Rng& rng) {
  std::vector<AttributeTable::Aspect> columns;
  for (int t = 0; t < aspects; ++t) {
    AttributeTable::Aspect column;
    const auto classes = static_cast<std::int32_t>(1 + rng.below(6));
    for (std::int32_t v = 0; v < classes; ++v) column.values.push_back(std::to_string(v));
    for (Index i = 0; i < n; ++i)
      column.codes.push_back(rng.below(8) == 0
                                 ? AttributeTable::kMissing
                                 : static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(classes))));
    columns.push_back(std::move(column));
  }
  return std::make_shared<AttributeTable>(n, std::move(columns));
}

Observations attribute_observations(Index n, Index aspects, Rng& rng) {
  std::vector<AttributeTable::Aspect> columns;
  for (Index a = 0; a < aspects; ++a) {
    AttributeTable::Aspect column{"a" + std::to_string(a), {}, {}};
    const std::uint64_t classes = 2 + rng.below(3);
    for (std::uint64_t c = 0; c < classes; ++c) column.values.push_back("v" + std::to_string(c));
    for (Index i = 0; i < n; ++i)
      column.codes.push_back(rng.uniform01() < 0.1 ? AttributeTable::kMissing
                                                   : static_cast<std::int32_t>(rng.below(classes)));
    columns.push_back(std::move(column));
  }
  const auto table = std::make_shared<const AttributeTable>(n, std::move(columns));
  Observations out = observations_of(table);
  out.attributes = table;
  return out;
}

double triplet_error(const Matrix& map, const TripletSource& triplets) {
  if (triplets.size() == 0) return 0;
  std::uint64_t errors = 0;
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const Triplet t = triplets.at(i);
    const double near = (map.row(t.anchor) - map.row(t.near)).squaredNorm();
    const double far = (map.row(t.anchor) - map.row(t.far)).squaredNorm();
    if (!(near < far)) ++errors;
  }
  return static_cast<double>(errors) / static_cast<double>(triplets.size());
}

std::shared_ptr<const PairSigns> ring_signs(Index n) {
  std::vector<ObjectPair> similar;
  for (Index i = 0; i < n; ++i) {
    const auto a = static_cast<ObjectId>(i), b = static_cast<ObjectId>((i + 1) % n);
    similar.push_back({a, b});
    similar.push_back({b, a});
  }
  return std::make_shared<const PairSigns>(n, std::move(similar), std::vector<ObjectPair>{},
                                           PairSigns::Others::dissimilar);
}

}  // namespace alidade::testing
