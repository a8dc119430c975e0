#include "problems/triplet/weighted_ete_problem.hpp"

#include <algorithm>
#include <cmath>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/distances/nearest_neighbors.hpp"
#include "problems/distances/principal_components.hpp"
#include "problems/evidence/feature_digits.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/triplet/reduction_triplets.hpp"
#include "problems/triplet/triplet_term.hpp"
#include "problems/triplet/weighted_ete_projector.hpp"
#include "problems/triplet_sums/chunk_sums.hpp"

namespace alidade::triplet {
namespace {

constexpr double kNoiseWithoutVariance = 0.01;  // of init_scale

}  // namespace

const OptionList<WeightedEteOptions>& WeightedEteOptions::list() {
  using O = WeightedEteOptions;
  static const OptionList<O> kList =
      dimension_option<O>()
          .real("t", &O::t, at_least(1), "bound of the loss: f = log_t(1 + ratio) < 1 / (t - 1)")
          .real("t_prime", &O::t_prime, between(1, 2),
                "tail of the kernel exp_t'(-s); 1: Gaussian; 2: Student with one degree of freedom")
          .real("lambda0", &O::lambda0, at_least(0),
                "L2 regulariser: adds lambda * |Y|^2 with lambda = lambda0 * sum of weights / n")
          .integer("n_inliers", &O::n_inliers, between(1, 1000),
                   "number of nearest neighbours (inliers) of each object")
          .integer("n_outliers", &O::n_outliers, between(1, 10'000),
                   "for triplets blocks: number of farther objects (outliers), drawn once for all "
                   "inliers of an object; multiples of 16 are fastest")
          .integer("sigma_neighbor", &O::sigma_neighbor, between(1, 1000),
                   "rank of the neighbour whose distance is the unit of distance at an object")
          .text("weights", &O::weights, {"tempered_log", "exponential", "uniform"},
                "weights of triplets, from scaled distances in the data; with the paper's "
                "exponential weights a few triplets dominate all others")
          .real("gamma", &O::gamma, at_least(0), "for weights exponential: smallest weight before scaling")
          .text("triplets", &O::triplets, {"blocks", "drawn"},
                "blocks: all inliers x outliers; drawn: as in the paper, n_inliers farther "
                "objects for each inlier")
          .text("neighbors", &O::neighbors, {"auto", "exact", "approximate"},
                "neighbour search; auto: exact if that takes up to about a minute on one core")
          .integer("seed", &O::seed, between(0, 1e15), "seed of the outliers and of the approximate search")
          .text("start", &O::start, {"pca", "random"}, "pca: principal components; random: normal noise")
          .real("init_scale", &O::init_scale, above(0), "standard deviation of the start (pca: along its first axis)")
          .text("precision", &O::precision, {"float", "double"},
                "precision within blocks; float gives gradients within 1e-5")
          .flag("placement", &O::placement,
                "store, with the map, the function that places new objects (it holds the features); `alidade embed` "
                "does");
  return kList;
}

struct WeightedEteProblem::Placing {
  std::shared_ptr<const FeatureMatrix> features;
  Vector sigma;
  WeightedEtePlacement how;
};

struct WeightedEteProblem::Scratch : ChunkScratch<ProductBlockWorkspace> {};

WeightedEteProblem::WeightedEteProblem(const Observations& observations, const WeightedEteOptions& options,
                                       Executor& executor)
    : loss_{options.t, options.t_prime},
      cols_(options.n_components),
      init_scale_(options.init_scale),
      single_precision_(options.precision == "float"),
      sum_block_float_(sum_block_of<float>(loss_)),
      sum_block_double_(sum_block_of<double>(loss_)) {
  const Index n = observations.object_count();
  require<DataError>(observations.features != nullptr,
                     "weighted_ete needs features, but '{}' offers {}. Choose another problem or "
                     "data set.",
                     observations.name, observations.kinds().empty() ? "nothing" : join(observations.kinds(), ", "));
  require_float_features(observations, "weighted_ete", "Take tsne or nerv, or leave far objects out.");
  const FeatureMatrix& X = *observations.features;
  require<DataError>(X.rows() == n && X.cols() >= 1, "'{}' has {} objects, but its features are {} x {}.",
                     observations.name, n, X.rows(), X.cols());
  require<DataError>(n >= 3, "A map from triplets needs at least 3 objects, but '{}' has {}. Add objects.",
                     observations.name, n);
  require_valid(TripletLoss(loss_));
  const ReductionTriplets choice{options.n_inliers,      options.n_outliers,
                                 options.sigma_neighbor, triplet_weights(options.weights),
                                 options.gamma,          static_cast<std::uint64_t>(options.seed)};
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, cols_, Euclidean{}}});

  const NearestNeighbors neighbors =
      nearest_neighbors(X, choice.neighbors_needed(n), search_method(options.neighbors), choice.seed, executor);
  if (options.triplets == "blocks") {
    blocks_ = std::make_shared<const ProductBlocks>(product_blocks(X, neighbors, choice, executor));
    lambda_ = options.lambda0 * static_cast<double>(blocks_->triplet_count()) / static_cast<double>(n);
    notes_.push_back(fmt::format("{} triplets: {} nearest neighbours of each object ({}) x {} others.",
                                 blocks_->triplet_count(), blocks_->inliers, neighbors.search, blocks_->outliers));
  } else {
    drawn_ =
        std::make_shared<const TripletSum>(std::make_shared<const TripletList>(drawn_triplets(X, neighbors, choice)),
                                           loss_, Regulariser{options.lambda0}, single_precision_);
    notes_.push_back(
        fmt::format("{} triplets: for each of {} nearest neighbours of each object ({}), the same "
                    "number of farther objects.",
                    drawn_->terms().size(), std::min(choice.inliers, n - 2), neighbors.search));
  }
  if (options.placement)
    placing_ = std::make_shared<const Placing>(
        Placing{observations.features, sigmas(neighbors, choice.sigma_neighbor), {loss_, choice, options.lambda0}});
  if (options.start == "pca") {
    auto components = principal_components(X, cols_, executor);
    const double deviation = std::sqrt(components.variances[0]);
    if (deviation > 0) components.scores *= init_scale_ / deviation;
    scores_ = std::make_shared<const Matrix>(std::move(components.scores));
  }
}

std::vector<std::string> WeightedEteProblem::start_names() const {
  return scores_ ? std::vector<std::string>{"pca", "random"} : std::vector<std::string>{"random"};
}

Solution WeightedEteProblem::start_named(std::string_view kind, Rng& rng) const {
  const bool by_components = kind == "pca" && scores_;
  require<ConfigError>(by_components || kind == "random", "weighted_ete has no start '{}' here. It has {}.", kind,
                       join(start_names(), ", "));
  Point x = domain_->random(rng);
  x.vector() *= by_components ? kNoiseWithoutVariance * init_scale_ : init_scale_;
  if (!by_components) return x;
  for (Index c = 0; c < cols_; ++c)
    if (!scores_->col(c).isZero(0)) x.block(0).col(c) = scores_->col(c);
  return x;
}

Embedding WeightedEteProblem::decode(const Solution& x) const {
  Embedding out{{{"", std::get<Point>(x).block(0)}}};
  if (placing_ && out.only().allFinite())
    out.projector = weighted_ete_projector(placing_->features, out.only(), placing_->sigma, placing_->how);
  return out;
}

template <class Real>
double WeightedEteProblem::sum_of_blocks(std::span<const Real> y, std::span<double> gradient, Scratch& scratch,
                                         Executor& executor) const {
  const Index n = blocks_->object_count;
  constexpr std::size_t kTripletsPerChunk = 1 << 16;
  const auto chunks = std::clamp<std::size_t>(blocks_->triplet_count() / kTripletsPerChunk, 1, 16);
  const auto edge = [&](std::size_t c) { return static_cast<Index>(static_cast<std::size_t>(n) * c / chunks); };
  return scratch.template of<Real>()(
      chunks, gradient, executor, [&](std::size_t c, std::span<Real> part, ProductBlockWorkspace<Real>& work) {
        return add_product_blocks<Real>(loss_, *blocks_, edge(c), edge(c + 1), y, cols_, part, work);
      });
}

double WeightedEteProblem::sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  const std::span<const double> y = x.flat();
  std::ranges::fill(gradient, 0.0);
  double total = 0;
  if (single_precision_) {
    scratch.y.assign(y.begin(), y.end());
    total = sum_of_blocks<float>(scratch.y, gradient, scratch, evaluation.executor);
  } else {
    total = sum_of_blocks<double>(y, gradient, scratch, evaluation.executor);
  }
  if (lambda_ == 0) return total;
  double squared = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    squared += y[i] * y[i];
    if (!gradient.empty()) gradient[i] += 2 * lambda_ * y[i];
  }
  return total + lambda_ * squared;
}

double WeightedEteProblem::value(const Point& x, Evaluation& evaluation) const {
  if (drawn_) return drawn_->value(x.flat(), cols_, evaluation);
  return sum(x, {}, evaluation);
}

double WeightedEteProblem::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  if (drawn_) return drawn_->value_and_gradient(x.flat(), cols_, gradient.flat(), evaluation);
  return sum(x, gradient.flat(), evaluation);
}

TermIndex WeightedEteProblem::term_count() const {
  return drawn_ ? drawn_->terms().size() : static_cast<TermIndex>(blocks_->object_count);
}

std::size_t WeightedEteProblem::rows_per_term() const { return drawn_ ? 3 : 1 + blocks_->inliers + blocks_->outliers; }

double WeightedEteProblem::term(const Point& x, TermIndex index, TermGradient& out) const {
  const double* y = x.flat().data();
  if (drawn_)
    return triplet_term(loss_, drawn_->terms().at(index), y, cols_, drawn_->lambda() > 0 ? drawn_.get() : nullptr, out);
  const auto anchor = static_cast<std::size_t>(index);
  return single_precision_ ? block_term<float>(y, anchor, sum_block_float_, out)
                           : block_term<double>(y, anchor, sum_block_double_, out);
}

template <class Real>
double WeightedEteProblem::block_term(const double* y, std::size_t anchor, SumBlock<Real> sum_block,
                                      TermGradient& out) const {
  const ProductBlocks& blocks = *blocks_;
  const auto d = static_cast<std::size_t>(cols_);
  const std::size_t m = blocks.inliers, m_filled = ProductBlocks::filled(m), o = blocks.outliers,
                    places = blocks.places;
  const ObjectId* near_ids = blocks.inliers_of(anchor);
  const ObjectId* far_ids = blocks.outliers_of(anchor);
  Real* room = out.room<Real>(2 * (m_filled + places) + block_room(m, places));
  Real* const near_distance = room;
  Real* const far_distance = near_distance + m_filled;
  Real* const near_slope = far_distance + places;
  Real* const far_slope = near_slope + m_filled;
  const double* yi = y + anchor * d;
  const auto distance = [&](ObjectId id) {
    const double* other = y + id * d;
    double squared = 0;
    for (std::size_t c = 0; c < d; ++c) squared += (yi[c] - other[c]) * (yi[c] - other[c]);
    return static_cast<Real>(squared);
  };
  for (std::size_t j = 0; j < m; ++j) near_distance[j] = distance(near_ids[j]);
  for (std::size_t k = 0; k < o; ++k) far_distance[k] = distance(far_ids[k]);
  std::fill(near_distance + m, near_distance + m_filled, near_distance[0]);
  std::fill(far_distance + o, far_distance + places, far_distance[0]);
  double value = sum_block(loss_, {m, places, blocks.weights_of(anchor), blocks.weight_stride(), near_distance,
                                   far_distance, near_slope, far_slope, far_slope + places});
  double* own = out.add(0, static_cast<Index>(anchor), cols_);
  for (std::size_t c = 0; c < d; ++c) {
    own[c] = 2 * lambda_ * yi[c];
    value += lambda_ * yi[c] * yi[c];
  }
  const auto pull = [&](ObjectId id, Real slope) {
    const double* other = y + id * d;
    double* row = out.add(0, static_cast<Index>(id), cols_);
    for (std::size_t c = 0; c < d; ++c) {
      const double step = 2 * static_cast<double>(slope) * (yi[c] - other[c]);
      own[c] += step;
      row[c] = -step;
    }
  };
  for (std::size_t j = 0; j < m; ++j) pull(near_ids[j], near_slope[j]);
  for (std::size_t k = 0; k < o; ++k) pull(far_ids[k], far_slope[k]);
  return value;
}

static_assert(AnyProblem<WeightedEteProblem>);
static_assert(SmoothProblem<WeightedEteProblem>);
static_assert(FiniteSumProblem<WeightedEteProblem> && StartsByName<WeightedEteProblem>);

namespace {

Problem make_weighted_ete(const Observations& observations, const ValueTable& options, Executor& executor) {
  return {
      "weighted_ete",
      WeightedEteProblem(observations, WeightedEteOptions::list().parse(options, "problem 'weighted_ete'"), executor)};
}

}  // namespace

ProblemEntry weighted_ete_entry() {
  return {
      .name = "weighted_ete",
      .summary =
          "dimensionality reduction by ETE with weighted triplets of neighbours and "
          "outliers, made from the features",
      .reference = "[AVW16] Amid, Vlassis & Warmuth 2016, Eq. 12 and 13; weights of [AW19]",
      .equation =
          "the sum of ete over triplets (object; neighbour, outlier) of features, weighted by how "
          "much farther the outlier is",
      .needs = {ObservationKind::features},
      .offers = borderless_offer<WeightedEteProblem>(),
      .options = WeightedEteOptions::list().infos(),
      .make = make_weighted_ete,
      // On the digits, 300 change trustworthiness and continuity by less than 0.001, and worsen the order of distances.
      .solver = "{ name = \"ceres\", max_iter = 100 }",
  };
}

}  // namespace alidade::triplet
