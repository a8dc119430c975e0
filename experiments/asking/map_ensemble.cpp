#include "experiments/asking/map_ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "problems/catalog.hpp"
#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/random.hpp"
#include "problems/distances/principal_components.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/spaces/domain.hpp"
#include "solvers/catalog.hpp"

namespace alidade::asking {
namespace {

constexpr Index kWideComponents = 8;
constexpr Index kWideSteps = 60, kFreshSteps = 150, kFirstSteps = 30, kWarmSteps = 15;
constexpr double kGrowth = 1.5;  // of the answers until the next start from nothing

/// `ste` with these answers in d dimensions. `weight_unit` as in Observations.
Problem problem_of(const std::shared_ptr<const TripletSource>& answers, Index d, double lambda,
                   double weight_unit = 0) {
  Observations observations;
  observations.name = "answers";
  observations.objects.resize(static_cast<std::size_t>(answers->object_count()));
  observations.triplets = answers;
  observations.weight_unit = weight_unit;
  ValueTable options;
  options.set("n_components", static_cast<std::int64_t>(d));
  options.set("lambda", lambda);
  return problem_catalog().at("ste").make(observations, options);
}

struct Fit {
  Matrix map;
  double objective = std::numeric_limits<double>::infinity();
};

/// Descends from a start; null: from a random one.
Fit descended(const Problem& problem, const Matrix* start, Index steps, std::uint64_t key) {
  ValueTable options;
  options.set("max_iter", static_cast<std::int64_t>(steps));
  Executor alone;
  SolveContext context(alone);
  context.rng = Rng::stream(key, "solver");
  Rng init = Rng::stream(key, "init");
  Solution x = problem.start(init);
  if (start) std::get<Point>(x).block(0) = *start;
  const Summary summary = solver_catalog().at("ceres").make(options)->solve(problem, x, context);
  Fit out{problem.decode(x).only(), summary.objective};
  if (!std::isfinite(out.objective)) out.objective = std::numeric_limits<double>::infinity();
  return out;
}

/// From a start of eight dimensions, projected to d.
Fit from_wide_start(const std::shared_ptr<const TripletSource>& answers, const Problem& problem,
                    const EnsembleOptions& options) {
  const Index wide = std::min(kWideComponents, answers->object_count() - 1);
  const std::uint64_t key = Rng::derive(options.seed, "wide start");
  const Fit first = descended(problem_of(answers, wide, options.lambda), nullptr, kWideSteps, key);
  Executor alone;
  const FeatureMatrix places = first.map.cast<float>();
  const Matrix start = principal_components(places, options.n_components, alone).scores;
  return descended(problem, &start, kFreshSteps, key);
}

/// The answers with the weights of map k, and which objects they mention.
struct Resample {
  std::shared_ptr<TripletList> answers;
  std::vector<bool> mentioned;
};
Resample resample(const TripletSource& answers, const TripletTags& unit, std::uint64_t seed, Index k) {
  const auto n = static_cast<std::size_t>(answers.object_count());
  Resample out{std::make_shared<TripletList>(answers.object_count()), std::vector<bool>(n, false)};
  for (std::uint64_t i = 0; i < answers.size(); ++i) {
    const std::uint64_t answer = unit ? (*unit)[static_cast<std::size_t>(answers.origin_index(i))] : i;
    Triplet t = answers.at(i);
    t.weight *= resampled_weight(seed, k, answer);
    if (!(t.weight > 0)) continue;
    out.answers->add(t);
    for (const ObjectId object : {t.anchor, t.near, t.far}) out.mentioned[object] = true;
  }
  return out;
}

/// Draws places for the objects that are not mentioned; those of one seed, map and object come from the same standard
/// normal numbers.
Matrix with_drawn_places(Matrix map, const std::vector<bool>& mentioned, const Matrix& like, std::uint64_t seed,
                         Index k) {
  const Index d = map.cols();
  const Vector mean = like.colwise().mean();
  const Matrix centred = like.rowwise() - mean.transpose();
  const Eigen::MatrixXd covariance = centred.transpose() * centred / static_cast<double>(like.rows());
  const PivotedCholesky factor(covariance);
  for (Index i = 0; i < map.rows(); ++i) {
    if (mentioned[static_cast<std::size_t>(i)]) continue;
    Rng rng = Rng::stream(seed, "place", k, i);
    Vector standard(d);
    for (Index c = 0; c < d; ++c) standard(c) = rng.normal();
    map.row(i) = (mean + factor.root_times(standard)).transpose();
  }
  return map;
}

}  // namespace

double resampled_weight(std::uint64_t seed, Index k, std::uint64_t answer) {
  double left = Rng::stream(seed, "weight", k, answer).uniform01();
  double share = std::exp(-1.0);  // of the count so far, by Poisson's law
  double count = 0;
  while (left >= share && share > 0) {
    left -= share;
    ++count;
    share /= count;
  }
  return count;
}

Matrix fitted_map(const std::shared_ptr<const TripletSource>& answers, const EnsembleOptions& options) {
  const Problem problem = problem_of(answers, options.n_components, options.lambda);
  Fit best = descended(problem, nullptr, kFreshSteps, Rng::derive(options.seed, "start"));
  if (answers->object_count() > options.n_components + 1)
    if (Fit wide = from_wide_start(answers, problem, options); wide.objective < best.objective) best = std::move(wide);
  return std::move(best.map);
}

void MapEnsemble::fit(const std::shared_ptr<const TripletSource>& answers, const TripletTags& unit, bool map_only,
                      Executor& executor) {
  const bool fresh =
      map_.size() == 0 || static_cast<double>(answers->size()) >= kGrowth * static_cast<double>(fresh_size_);
  const Problem problem = problem_of(answers, options_.n_components, options_.lambda);
  Fit best;
  if (map_.size() > 0) best = descended(problem, &map_, kWarmSteps, Rng::derive(options_.seed, "warm"));
  if (fresh) {
    const Matrix map = fitted_map(answers, options_);
    if (Fit other = descended(problem, &map, kWarmSteps, Rng::derive(options_.seed, "warm"));
        other.objective < best.objective) {
      best = std::move(other);
      fitted_.clear();  // another optimum, perhaps: its ensemble starts from it
    }
    fresh_size_ = answers->size();
  }
  map_ = std::move(best.map);
  if (map_only) return;

  const bool first = fitted_.empty();
  fitted_.resize(static_cast<std::size_t>(options_.maps));
  maps_.resize(fitted_.size());
  const double weight_unit = typical_weight(*answers);
  executor.run(options_.maps, [&](Index k) {
    const auto at = static_cast<std::size_t>(k);
    const Resample drawn = resample(*answers, unit, options_.seed, k);
    if (first) fitted_[at] = map_;
    if (drawn.answers->size() > 0) {
      const Problem resampled = problem_of(drawn.answers, options_.n_components, options_.lambda, weight_unit);
      fitted_[at] = descended(resampled, &fitted_[at], first ? kFirstSteps : kWarmSteps,
                              Rng::derive(options_.seed, "ensemble", k))
                        .map;
    }
    maps_[at] = with_drawn_places(fitted_[at], drawn.mentioned, map_, options_.seed, k);
  });
}

}  // namespace alidade::asking
