#include "problems/multiview/mvmds_problem.hpp"

#include <cmath>
#include <limits>

#include "problems/contract/data_units.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/distances/weight_laplacian.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade::multiview {
namespace {

/// n x n, zero diagonal.
Matrix distances_of(const Eigen::Ref<const Matrix>& x) {
  const Index n = x.rows();
  Matrix out(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) out(i, j) = out(j, i) = (x.row(i) - x.row(j)).norm();
  return out;
}

/// The laplacian times x, row by row through differences: sum over j of a_ij (x_i - x_j).
Matrix laplacian_times(const Matrix& a, const Eigen::Ref<const Matrix>& x) {
  Matrix out(x.rows(), x.cols());
  out.noalias() = -(a * x);
  out += a.rowwise().sum().asDiagonal() * x;
  return out;
}

void require_matrix(const Matrix& values, Index n, const std::string& what, const std::string& name) {
  require<DataError>(values.rows() == n && values.cols() == n, "{} of aspect '{}' are {} x {}. They must be {} x {}.",
                     what, name, values.rows(), values.cols(), n, n);
}

}  // namespace

const OptionList<MvmdsOptions>& MvmdsOptions::list() {
  using O = MvmdsOptions;
  static const OptionList<O> kList =
      dimension_option<O>()
          .real("gamma", &O::gamma, {.lower = 1.1, .upper = 1000},
                "exponent in sum alpha^gamma J: near 1 only the best aspect counts; above 10 all "
                "count nearly equally")
          .text("weights", &O::weights, {"observed", "all"},
                "weights of pairs: those given with the dissimilarities (0 where an aspect did "
                "not observe both objects), or 1 for all")
          .real("init_scale", &O::init_scale, above(0),
                "scale of the random start; with 1, distances are as large as the dissimilarities");
  return kList;
}

MvmdsProblem::MvmdsProblem(const Observations& observations, const MvmdsOptions& options, double unit,
                           double weight_unit)
    : gamma_(options.gamma) {
  constexpr double kOtherUnit = 3;
  const Index n = observations.object_count();
  require_offered(!observations.dissimilarities.empty(), observations, "mvmds", "dissimilarities",
                  "Name a method whose maps give them: input = { problem = \"disjoint\" }.");
  require<DataError>(n >= 2, "A map needs at least 2 objects, but '{}' has {}. Add objects.", observations.name, n);
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, options.n_components, Euclidean{}}});
  std::vector<View> views;
  std::vector<std::string> unknown;
  double squares = 0, weight_sum = 0, least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Dissimilarities& aspect : observations.dissimilarities) {
    require_matrix(aspect.values, n, "Dissimilarities", aspect.name);
    if (aspect.weights.size() > 0) require_matrix(aspect.weights, n, "Weights", aspect.name);
    View view{aspect.name, Matrix::Zero(n, n), {}, false};
    const double squares_before = squares, weights_before = weight_sum;
    const bool weighted = options.weights == "observed" && aspect.weights.size() > 0;
    if (weighted) {
      view.weights = Matrix::Zero(n, n);
      unit_weights_ = false;
    }
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) {
        const double given = weighted ? aspect.weights(i, j) : 1;
        const double weight = weight_unit > 0 ? in_weight_unit(given, weight_unit) : given;
        require<DataError>(
            std::isfinite(weight) && weight >= 0 && (!weighted || aspect.weights(i, j) == aspect.weights(j, i)),
            "The weight of objects {} and {} in aspect '{}' must be a number >= 0, the same in "
            "both directions.",
            j, i, aspect.name);
        if (weight == 0) continue;
        const double delta = aspect.values(i, j);
        require<DataError>(std::isfinite(delta) && delta >= 0 && delta == aspect.values(j, i),
                           "The dissimilarity of objects {} and {} in aspect '{}' must be a "
                           "number >= 0, the same in both directions, not {}.",
                           j, i, aspect.name, delta);
        const double scaled = delta / unit;
        view.dissimilarities(i, j) = view.dissimilarities(j, i) = scaled;
        if (weighted) view.weights(i, j) = view.weights(j, i) = weight;
        view.observed = true;
        squares += weight * scaled * scaled;
        weight_sum += weight;
      }
    if (!view.observed) unknown.push_back("'" + aspect.name + "'");
    if (const double own = std::sqrt((squares - squares_before) / (weight_sum - weights_before)); own > 0)
      least = std::min(least, own), most = std::max(most, own);
    views.push_back(std::move(view));
  }
  require<DataError>(weight_sum > 0,
                     "'{}': No aspect has the dissimilarity of any two objects. "
                     "Add dissimilarities.",
                     observations.name);
  if (!unknown.empty())
    notes_.push_back(fmt::format("{} of {} aspects have no dissimilarity and are ignored: {}.", unknown.size(),
                                 views.size(), join(unknown, ", ")));
  if (most > kOtherUnit * least)
    notes_.push_back(fmt::format(
        "The dissimilarities of one aspect are {:.3g} times as large as those of another (root mean square): "
        "weights compare what is in one unit. If theirs differ, divide each by its mean.",
        most / least));
  // Squared distances of standard normal points are 2 d on average.
  const double spread = std::sqrt(squares / weight_sum / static_cast<double>(2 * options.n_components));
  start_scale_ = options.init_scale * (spread > 0 ? spread : 1);
  views_ = std::make_shared<const std::vector<View>>(std::move(views));
}

Solution MvmdsProblem::start(Rng& rng) const {
  Point x = domain_->random(rng);
  x.vector() *= start_scale_;
  return x;
}

Vector MvmdsProblem::stresses(const Point& x, Evaluation& evaluation) const {
  const Matrix distances = distances_of(x.block(0));
  Vector out(static_cast<Index>(views_->size()));
  evaluation.executor.run(out.size(), [&](Index v) {
    const View& view = (*views_)[static_cast<std::size_t>(v)];
    const auto squared = (view.dissimilarities - distances).array().square();
    if (!view.observed)
      out[v] = 0;
    else
      out[v] = 0.5 * (view.weights.size() > 0 ? (view.weights.array() * squared).sum() : squared.sum());
  });
  return out;
}

Vector MvmdsProblem::best_weights(const Vector& stresses) const {
  Vector out = Vector::Zero(stresses.size());
  double least = std::numeric_limits<double>::infinity();
  for (Index v = 0; v < out.size(); ++v)
    if ((*views_)[static_cast<std::size_t>(v)].observed && !(stresses[v] >= least)) least = stresses[v];
  for (Index v = 0; v < out.size(); ++v) {
    if (!(*views_)[static_cast<std::size_t>(v)].observed) continue;
    out[v] = least > 0 ? std::pow(stresses[v] / least, 1 / (1 - gamma_)) : (stresses[v] == 0 ? 1.0 : 0.0);
  }
  return out / out.sum();
}

double MvmdsProblem::weighted_sum(const Vector& stresses) const {
  return best_weights(stresses).array().pow(gamma_).matrix().dot(stresses);
}

double MvmdsProblem::value(const Point& x, Evaluation& evaluation) const {
  return weighted_sum(stresses(x, evaluation));
}

double MvmdsProblem::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  const Vector stress = stresses(x, evaluation);
  const Vector share = best_weights(stress).array().pow(gamma_);
  const Matrix distances = distances_of(x.block(0));
  const Index n = distances.rows();
  Matrix pull = Matrix::Zero(n, n);  // 2 sum_v alpha_v^gamma w (1 - delta / d)
  for (std::size_t v = 0; v < views_->size(); ++v) {
    const View& view = (*views_)[v];
    const double factor = 2 * share[static_cast<Index>(v)];
    if (factor == 0) continue;
    const auto apart = distances.array() > 0;
    const auto slope = factor * (1 - view.dissimilarities.array() / distances.array());
    if (view.weights.size() > 0)
      pull.array() += apart.select(view.weights.array() * slope, 0.0);
    else
      pull.array() += apart.select(slope, 0.0);
  }
  gradient.block(0) = laplacian_times(pull, x.block(0));
  return share.dot(stress);
}

void MvmdsProblem::smacof_step(const Point& x, const Vector& alpha, Point& next) const {
  const Vector share = alpha.array().pow(gamma_);
  const Matrix distances = distances_of(x.block(0));
  const Index n = distances.rows();
  // V x - B(X) x, half the gradient; solving V s = this gives the step.
  Matrix stiffness = Matrix::Zero(n, n), targets = Matrix::Zero(n, n);
  for (std::size_t v = 0; v < views_->size(); ++v) {
    const View& view = (*views_)[v];
    const double factor = share[static_cast<Index>(v)];
    if (factor == 0) continue;
    if (view.weights.size() > 0) {
      stiffness += factor * view.weights;
      targets.array() += factor * view.weights.array() * view.dissimilarities.array();
    } else {
      stiffness.array() += factor;
      targets += factor * view.dissimilarities;
    }
  }
  stiffness.diagonal().setZero();
  targets.array() = (distances.array() > 0).select(targets.array() / distances.array(), 0.0);
  const Matrix half_gradient = laplacian_times(stiffness - targets, x.block(0));
  if (unit_weights_) {
    next.block(0) = x.block(0) - half_gradient / (static_cast<double>(n) * share.sum());
    return;
  }
  next.block(0) = x.block(0) - WeightLaplacian(stiffness).solve(half_gradient);
}

double MvmdsProblem::minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const {
  const Vector stress = stresses(x, evaluation);
  const Vector alpha = best_weights(stress);
  smacof_step(x, alpha, next);
  return alpha.array().pow(gamma_).matrix().dot(stress);
}

Embedding MvmdsProblem::decode(const Solution& solution) const {
  const Point& x = std::get<Point>(solution);
  Embedding out{{{"", x.block(0)}}};
  Executor executor;
  Evaluation evaluation(executor);
  const Vector alpha = best_weights(stresses(x, evaluation));
  for (std::size_t v = 0; v < views_->size(); ++v) {
    const std::string& name = (*views_)[v].name;
    out.estimates.emplace_back("alpha." + (name.empty() ? fmt::format("{}", v + 1) : name),
                               alpha[static_cast<Index>(v)]);
  }
  return out;
}

static_assert(AnyProblem<MvmdsProblem>);
static_assert(SmoothProblem<MvmdsProblem> && MajorizableProblem<MvmdsProblem>);

namespace {

/// The mean of the dissimilarities above 0 of all aspects, known or not; 1 if there are none.
double mean_dissimilarity(const Observations& observations) {
  double sum = 0, count = 0;
  for (const Dissimilarities& aspect : observations.dissimilarities)
    for (const double delta : aspect.values.reshaped())
      if (std::isfinite(delta) && delta > 0) {
        sum += delta;
        ++count;
      }
  return count > 0 ? sum / count : 1;
}

/// Of all aspects that have weights, which count alike.
double typical_pair_weight(const Observations& observations, const MvmdsOptions& options) {
  std::vector<double> all;
  for (const Dissimilarities& aspect : observations.dissimilarities)
    if (options.weights == "observed")
      for (const double weight : aspect.weights.reshaped()) all.push_back(weight);
  return typical_weight(all);
}

Problem make_mvmds(const Observations& observations, const ValueTable& options) {
  const MvmdsOptions parsed = MvmdsOptions::list().parse(options, "problem 'mvmds'");
  const double unit = mean_dissimilarity(observations), weight_unit = typical_pair_weight(observations, parsed);
  return in_own_units({"mvmds", MvmdsProblem(observations, parsed, unit, weight_unit)}, unit, weight_unit);
}

}  // namespace

/// @throws ConfigError, DataError
ProblemEntry mvmds_entry() {
  return {
      .name = "mvmds",
      .summary =
          "multi-view MDS: one map from the dissimilarities of several aspects; aspects "
          "that the map fits well weigh more",
      .reference = "[Bai17] Bai et al. 2017",
      .equation =
          "min over X and alpha: sum over v of alpha_v^gamma sum over i < j of w^v_ij (delta^v_ij "
          "- |x_i - x_j|)^2, sum alpha_v = 1",
      .needs = {ObservationKind::dissimilarities},
      .offers = borderless_offer<MvmdsProblem>(),
      .options = MvmdsOptions::list().infos(),
      .make = make_mvmds,
  };
}

}  // namespace alidade::multiview
