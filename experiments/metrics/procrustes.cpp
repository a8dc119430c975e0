#include <algorithm>

#include "experiments/metrics/compared_distances.hpp"
#include "experiments/metrics/metric.hpp"

#include "problems/core/decompositions/thin_svd.hpp"

namespace alidade::metrics {
namespace {

/// Centred and scaled to unit Frobenius norm, padded to `cols` columns; zero rows x cols if it has no extent.
Matrix standardised(const Matrix& points, Index cols) {
  Matrix out = Matrix::Zero(points.rows(), cols);
  const Matrix ordinary = in_ordinary_unit(points);
  out.leftCols(points.cols()) = ordinary.rowwise() - ordinary.colwise().mean();
  const double norm = out.norm();
  if (norm > 0) out /= norm;
  return out;
}

}  // namespace

double procrustes_disparity(const Matrix& coordinates, const Matrix& truth) {
  if (coordinates.rows() != truth.rows() || truth.rows() < 2) return kDoesNotApply;
  if (!coordinates.allFinite()) return 1;
  const Index cols = std::max(coordinates.cols(), truth.cols());
  const Matrix x = standardised(coordinates, cols), y = standardised(truth, cols);
  const Eigen::MatrixXd cross = y.transpose() * x;
  const double overlap = ThinSvd(cross).values().sum();
  return std::clamp(1 - overlap * overlap, 0.0, 1.0);
}

Turn best_turn(const Matrix& x, const Matrix& y) {
  const Eigen::MatrixXd cross = x.transpose() * y;
  const ThinSvd svd(cross);
  return {svd.left() * svd.right().transpose(), svd.values().sum()};
}

Matrix turned_to(const Matrix& coordinates, const Matrix& truth) {
  if (coordinates.rows() != truth.rows() || coordinates.cols() != truth.cols() || coordinates.rows() == 0 ||
      !coordinates.allFinite())
    return coordinates;
  const Matrix centred = coordinates.rowwise() - coordinates.colwise().mean();
  const Matrix target = truth.rowwise() - truth.colwise().mean();
  return centred * best_turn(centred, target).rotation;
}

Matrix laid_onto(const Matrix& coordinates, const Matrix& onto) {
  const Matrix x = coordinates.rowwise() - coordinates.colwise().mean();
  const Eigen::RowVectorXd centre = onto.colwise().mean();
  const Turn turn = best_turn(x, onto.rowwise() - centre);
  return (turn.overlap / x.squaredNorm() * x * turn.rotation).rowwise() + centre;
}

std::vector<MetricEntry> procrustes_metrics() {
  return {{"procrustes", "distance to the true map (Procrustes disparity) after the best similarity transform", "",
           "[0, 1]", false, "one map, and the true one", [](const MetricInput& in) {
             const Matrix& truth = in.observations.truth;
             if (truth.size() == 0 || in.embedding.maps.size() != 1) return kDoesNotApply;
             return procrustes_disparity(in.embedding.only(), truth);
           }}};
}

}  // namespace alidade::metrics
