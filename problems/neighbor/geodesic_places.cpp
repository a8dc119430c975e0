#include "problems/neighbor/geodesic_places.hpp"

#include <cmath>
#include <vector>

#include "problems/distances/classical_scaling.hpp"
#include "problems/distances/geodesics.hpp"

namespace alidade::neighbor {
namespace {

constexpr Index kMostWhole = 2000;
constexpr Index kLandmarks = 1000;

}  // namespace

Matrix geodesic_places(const DissimilarityRows& rows, Index k, Index d, Executor& executor) {
  const Index n = rows.size();
  const KnnGraph graph = knn_graph(rows, k, Disconnected::join, executor);
  if (n <= kMostWhole)
    return classical_scaling(geodesic_distances(graph, executor).cwiseAbs2(), d, executor).coordinates;
  // Evenly by number. Objects are assumed to be in an order unrelated to places, or in one that spreads the landmarks.
  std::vector<Index> landmarks;
  for (Index m = 0; m < kLandmarks; ++m) landmarks.push_back(n * m / kLandmarks);
  const Matrix squared = geodesic_distances(graph, landmarks, executor).cwiseAbs2();
  Matrix among(kLandmarks, kLandmarks);
  for (Index m = 0; m < kLandmarks; ++m) among.col(m) = squared.col(landmarks[static_cast<std::size_t>(m)]);
  among = (0.5 * (among + among.transpose())).eval();
  const ClassicalScaling scaled = classical_scaling(among, d, executor);
  // y = -1/2 Lambda^{-1/2} V^T (squared distances to the landmarks - their means)
  Matrix out = Matrix::Zero(n, d);
  const Vector means = among.rowwise().mean();
  for (Index c = 0; c < d; ++c) {
    if (scaled.coordinates.col(c).isZero(0)) continue;
    const Vector direction = scaled.vectors.col(c) / (-2 * std::sqrt(scaled.eigenvalues[c]));
    out.col(c) = squared.transpose() * direction;
    out.col(c).array() -= means.dot(direction);
  }
  return out;
}

}  // namespace alidade::neighbor
