#include "problems/neighbor/tsne_start.hpp"

#include "problems/core/inner_minimizers.hpp"
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

}  // namespace alidade::neighbor
