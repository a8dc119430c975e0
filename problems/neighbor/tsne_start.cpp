#include "problems/neighbor/tsne_start.hpp"

#include <utility>

#include "problems/core/step_gains.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/stages.hpp"
#include "problems/neighbor/space_tree.hpp"
#include "problems/neighbor/tsne_problem.hpp"

namespace alidade::neighbor {
namespace {

constexpr double kThetaOnTheWay = 0.5;
constexpr int kIterations = 250;  // of a stage
constexpr double kMomentum = 0.8;
constexpr double kRateCut = 0.1;
constexpr int kMostCuts = 30;

/// Leaves the lowest point met in x. If a step ends above the start, restarts at rest from that point with a tenth of
/// the rate.
void descend(const SmoothFace& objective, Point& x, Executor& executor) {
  Evaluation evaluation(executor);
  Point gradient = x, lowest = x;
  Vector velocity = Vector::Zero(x.size()), gains = Vector::Ones(x.size());
  const double first = objective.value_and_gradient(x, gradient, evaluation);
  double least = first, rate = default_rate(x.block(0).rows());
  for (int iteration = 0, cuts = 0; iteration < kIterations && cuts < kMostCuts; ++iteration) {
    adapt_gains(gradient.vector(), velocity, gains);
    velocity = kMomentum * velocity - rate * gains.cwiseProduct(gradient.vector());
    x.vector() += velocity;
    const double value = objective.value_and_gradient(x, gradient, evaluation);
    if (value < least) {
      least = value;
      lowest = x;
    }
    if (value <= first) continue;
    rate *= kRateCut;
    ++cuts;
    x = lowest;
    velocity.setZero();
    gains.setOnes();
    objective.value_and_gradient(x, gradient, evaluation);
  }
  x = lowest;
}

}  // namespace

Problem coarse_tsne(const Observations& observations, Index n_components, double perplexity, std::int64_t seed,
                    bool by_tree, Executor& executor) {
  ValueTable given;
  given.set("n_components", static_cast<std::int64_t>(n_components));
  given.set("seed", seed);
  given.set("perplexity", perplexity);
  given.set("theta", kThetaOnTheWay);
  given.set("placement", false);
  if (by_tree && n_components <= SpaceTree<float>::kMostDimensions) given.set("method", "barnes_hut");
  return tsne_entry().make(observations, given, executor);
}

Matrix tsne_start(const Problem& tsne, Rng& rng, Executor& executor) {
  Solution x = tsne.start(rng);
  const StagesFace& path = tsne.face<StagesFace>();
  for (Index k = 0; k < path.stage_count(); ++k)
    descend(path.stage(k, x).face<SmoothFace>(), std::get<Point>(x), executor);
  return std::get<Point>(x).block(0);
}

}  // namespace alidade::neighbor
