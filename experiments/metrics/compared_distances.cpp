#include "experiments/metrics/compared_distances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "problems/contract/framed_projector.hpp"

namespace alidade::metrics {
namespace {

/// Of the largest number that is finite.
double unit_of(const Matrix& points) {
  double largest = 0;
  for (const double x : points.reshaped())
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  return ordinary_unit(largest);
}

}  // namespace

std::optional<Embedding> in_ordinary_units(const Embedding& embedding) {
  double unit = 0;
  for (const AspectMap& map : embedding.maps) unit = std::max(unit, unit_of(map.coordinates));
  if (embedding.maps.empty() || unit == 1) return std::nullopt;
  Embedding out = embedding;
  for (AspectMap& map : out.maps) map.coordinates /= unit;
  if (out.projector) out.projector = std::make_shared<const FramedProjector>(out.projector, FeatureFrame(), 1 / unit);
  return out;
}

MetricInput::MetricInput(const Embedding& measured, const Evidence& evidence, Executor* threads)
    : Evidence(evidence),
      rescaled_(in_ordinary_units(measured)),
      embedding(rescaled_ ? *rescaled_ : measured),
      threads_(threads) {}

Matrix in_ordinary_unit(const Matrix& points) { return points / unit_of(points); }

bool has_distances(const Observations& observations) {
  const Index n = observations.object_count();
  if (n < 3) return false;
  if (observations.features) return observations.features->rows() == n && observations.features->cols() > 0;
  if (observations.dissimilarities.size() != 1) return false;
  const Matrix& d = observations.dissimilarities.front().values;
  if (d.rows() != n || d.cols() != n || !d.allFinite() || !(d.array() >= 0).all() ||
      d.diagonal().cwiseAbs().maxCoeff() > 0)
    return false;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      if (std::abs(d(i, j) - d(j, i)) > 1e-9 * std::max(d(i, j), d(j, i))) return false;
  const Matrix& weights = observations.dissimilarities.front().weights;
  if (weights.size() == 0) return true;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (i != j && !(weights(i, j) > 0)) return false;
  return true;
}

bool compares_distances(const MetricInput& in) {
  return in.embedding.maps.size() == 1 && has_distances(in.observations) &&
         in.embedding.only().rows() == in.observations.object_count();
}

void squared_distances_on_map(const Matrix& places, Index i, Eigen::ArrayXd& out) {
  out.setZero(places.cols());
  for (Index c = 0; c < places.rows(); ++c) out += (places.row(c).array() - places(c, i)).square().transpose();
  for (double& squared : out)
    if (!std::isfinite(squared)) squared = std::numeric_limits<double>::infinity();
}

const DissimilarityRows& distances_of(const MetricInput& in) {
  constexpr Index kMostKept = 2000;  // objects: 32 MB
  if (!in.distances) {
    const DissimilarityRows rows(in.observations, "a metric");
    in.distances.emplace(rows.size() <= kMostKept ? rows.kept(in.executor()) : rows);
  }
  return *in.distances;
}

}  // namespace alidade::metrics
