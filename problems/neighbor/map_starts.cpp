#include "problems/neighbor/map_starts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "problems/core/inner_minimizers.hpp"
#include "problems/distances/classical_scaling.hpp"
#include "problems/distances/geodesics.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/stages.hpp"
#include "problems/neighbor/space_tree.hpp"
#include "problems/neighbor/tsne_problem.hpp"

namespace alidade::neighbor {

namespace {

constexpr double kThetaOnTheWay = 0.5;
constexpr int kIterations = 250;  // of a stage

}  // namespace

Problem coarse_tsne(const Observations& observations, Index n_components, double perplexity, std::int64_t seed,
                    bool by_tree, Executor& executor) {
  ValueTable options;
  options.set("n_components", static_cast<std::int64_t>(n_components));
  options.set("seed", seed);
  options.set("perplexity", perplexity);
  options.set("theta", kThetaOnTheWay);
  options.set("placement", false);
  if (by_tree && n_components <= SpaceTree<float>::kMostDimensions) options.set("method", "fft");
  return tsne_entry().make(observations, options, executor);
}

Matrix tsne_start(const Problem& tsne, Rng& rng, Executor& executor) {
  Solution solution = tsne.start(rng);
  Point& x = std::get<Point>(solution);
  Point gradient = x;
  const StagesFace& path = tsne.face<StagesFace>();
  for (Index k = 0; k < path.stage_count(); ++k) {
    const Problem stage = path.stage(k, solution);
    Evaluation evaluation(executor);
    const auto objective = [&](const Vector& y, Vector& slopes) {
      x.vector() = y;
      const double value = stage.face<SmoothFace>().value_and_gradient(x, gradient, evaluation);
      slopes = gradient.vector();
      return value;
    };
    x.vector() = lowest_by_momentum(objective, x.vector(), default_rate(x.block(0).rows()), kIterations);
  }
  return x.block(0);
}

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

namespace {

constexpr int kRays = 16;

Vector unit_vector(Index dimension, Rng& rng) {
  Vector out(dimension);
  do {
    for (double& entry : out) entry = rng.normal();
  } while (!(out.norm() > 0));
  return out.normalized();
}

/// Sum of the distances from a ray to the `around` nearest of `directions`, all of them as unit vectors.
double emptiness(const Matrix& directions, const Vector& ray, Index around) {
  const Vector cosines = directions * ray;
  std::vector<double> descending(cosines.begin(), cosines.end());
  const auto last = descending.begin() + std::min<Index>(around, cosines.size());
  std::partial_sort(descending.begin(), last, descending.end(), std::greater<>());
  double sum = 0;
  for (auto cosine = descending.begin(); cosine != last; ++cosine) sum += std::sqrt(std::max(0.0, 2 - 2 * *cosine));
  return sum;
}

Vector emptiest_ray(const Matrix& solid, Index around, Rng& rng) {
  const Matrix directions = solid.rowwise().normalized();
  Vector out;
  double widest = -1;
  for (int k = 0; k < kRays; ++k) {
    const Vector ray = unit_vector(solid.cols(), rng);
    const double width = emptiness(directions, ray, around);
    if (!(width > widest)) continue;
    widest = width;
    out = ray;
  }
  return out;
}

}  // namespace

Matrix opened_places(const Matrix& solid, Index around, Rng& rng) {
  const Index d = solid.cols() - 1;
  Vector mirror = emptiest_ray(solid, around, rng);
  mirror[d] -= 1;
  Matrix turned = solid;  // the tear along the last axis
  if (const double size = mirror.squaredNorm(); size > 0)
    turned -= (solid * mirror) * (2 / size * mirror.transpose());  // takes the ray to that axis
  Matrix out = Matrix::Zero(solid.rows(), d);
  for (Index i = 0; i < solid.rows(); ++i) {
    const double aside = turned.row(i).head(d).norm();
    const double distance = turned.row(i).norm();
    const double place = distance * std::atan2(aside, -turned(i, d));
    if (aside > 0)
      out.row(i) = turned.row(i).head(d) * (place / aside);
    else if (distance > 0)
      out(i, 0) = place;  // on the axis itself: 0, or at the tear any direction
  }
  return out;
}

}  // namespace alidade::neighbor
