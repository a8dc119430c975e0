#include "problems/distances/row_projector.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/distances/distance_blocks.hpp"

namespace alidade {
namespace {

constexpr std::size_t kNearestStarts = 5;

}  // namespace

MapObjects MapObjects::of(const ValueTable& description) {
  MapObjects out{nullptr, matrix_from_table(description.find("map"), "map")};
  if (!description.find("dissimilarities"))
    out.features = std::make_shared<const FeatureMatrix>(features_from_table(description.find("features"), "features"));
  const Index featured = out.features ? out.features->rows() : out.places.rows();
  require<DataError>(
      featured == out.places.rows() && out.places.rows() >= 3 && out.places.cols() >= 1 && out.feature_count() >= 1,
      "'features' and 'map' have {} and {} objects.", featured, out.places.rows());
  return out;
}

void MapObjects::describe(ValueTable& description) const {
  if (features)
    description.set("features", matrix_to_table(Eigen::Ref<const FeatureMatrix>(*features)));
  else
    description.set("dissimilarities", true);
  description.set("map", matrix_to_table(Eigen::Ref<const Matrix>(places)));
}

ValueTable RowProjector::description() const {
  ValueTable out;
  out.set("kind", kind_);
  objects_.describe(out);
  return out;
}

std::vector<Index> RowProjector::nearest(const std::vector<double>& squared, Index count) {
  std::vector<Index> out(squared.size());
  std::iota(out.begin(), out.end(), Index{0});
  std::ranges::partial_sort(out, out.begin() + std::min(count, std::ssize(out)), [&](Index a, Index b) {
    const double da = squared[static_cast<std::size_t>(a)], db = squared[static_cast<std::size_t>(b)];
    return da < db || (da == db && a < b);
  });
  out.resize(std::min(static_cast<std::size_t>(count), out.size()));
  return out;
}

Matrix RowProjector::places_of(const Eigen::Ref<const FeatureMatrix>& X) const {
  const FeatureMatrix* const known = objects_.features.get();
  const Matrix& map = objects_.places;
  Matrix out(X.rows(), map.cols());
  std::vector<double> squared(static_cast<std::size_t>(map.rows()));
  for (Index i = 0; i < X.rows(); ++i) {
    const FeatureMatrix x = X.row(i);  // its numbers side by side
    Index same = -1;
    for (Index j = 0; j < map.rows() && same < 0; ++j) {
      double& distance = squared[static_cast<std::size_t>(j)];
      distance = known ? static_cast<double>(squared_row_distance(x.data(), known->row(j).data(), x.cols()))
                       : std::pow(static_cast<double>(x(0, j)), 2);
      if (distance == 0 && (!known || known->row(j) == x.row(0))) same = j;
    }
    if (same >= 0) {
      out.row(i) = map.row(same);
      continue;
    }
    require<DataError>(std::isfinite(std::accumulate(squared.begin(), squared.end(), 0.0)),
                       "The distance of a new object to the objects of the map overflows. Give its features in the "
                       "units of the map's.");
    const Row row = row_of(squared);
    std::vector<Vector> starts = {Vector::Zero(map.cols())};
    for (std::size_t k = 0; k < row.near.size(); ++k) starts[0] += row.weights[k] * map.row(row.near[k]).transpose();
    starts[0] /= std::accumulate(row.weights.begin(), row.weights.end(), 0.0);
    for (std::size_t k = 0; k < std::min(kNearestStarts, row.near.size()); ++k)
      starts.emplace_back(map.row(row.near[k]));
    double spread = 0;
    for (std::size_t k = 1; k < starts.size(); ++k) spread = std::max(spread, (starts[k] - starts[0]).norm());
    const double length = spread > 0 ? 0.1 * spread : 1e-3 * (1 + map.cwiseAbs().maxCoeff());
    out.row(i) = lowest_place(row.objective, starts, length).transpose();
  }
  return out;
}

double described_number(const ValueTable& description, std::string_view key) {
  const Value* value = description.find(key);
  const double out = value ? value->number().value_or(-1) : -1;
  require<DataError>(out >= 0 && out <= 1e15, "'{}' is not a number.", key);
  return out;
}

Vector described_column(const ValueTable& description, std::string_view key, Index n) {
  const Matrix out = matrix_from_table(description.find(key), key);
  require<DataError>(out.cols() == 1 && out.rows() == n, "'map' and '{}' have {} and {} objects.", key, n, out.rows());
  require<DataError>(out.minCoeff() >= 0, "'{}' holds a number below 0.", key);
  return out.col(0);
}

}  // namespace alidade
