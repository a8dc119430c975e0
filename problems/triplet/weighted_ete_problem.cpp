// Dimensionality reduction by weighted t-exponential triplet embedding: from features to a map.
// [AVW16] Eq. 12 and 13; reduction_triplets.hpp gives neighbours and outliers, product_block_kernel.hpp the sums.
// A term of the finite sum is one object with its whole block, about 320 triplets (or one triplet if they are drawn).
// The sum over blocks is fast enough to make quasi-Newton solvers the better choice.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/distances/feature_start.hpp"
#include "problems/distances/nearest_neighbors.hpp"
#include "problems/distances/principal_components.hpp"
#include "problems/evidence/feature_digits.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/triplet/product_block_kernel.hpp"
#include "problems/triplet/reduction_triplets.hpp"
#include "problems/triplet/triplet_term.hpp"
#include "problems/triplet/weighted_ete_projector.hpp"
#include "problems/triplet_sums/chunk_sums.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::triplet {
namespace {

struct WeightedEteOptions {
  Index n_components = 2;
  double t = 2;
  double t_prime = 2;
  double lambda0 = 1e-6;
  Index n_inliers = 10;
  Index n_outliers = 32;
  Index sigma_neighbor = 10;
  std::string weights = "tempered_log";
  double gamma = 0.01;
  std::string triplets = "blocks";  // drawn; or trimap, an entry of its own
  std::string neighbors = "auto";
  Index seed = 0;
  std::string start = "pca";
  double init_scale = 0.01;
  std::string precision = "float";
  bool placement = false;
  [[nodiscard]] static const OptionList<WeightedEteOptions>& list();
  [[nodiscard]] ReductionTriplets choice() const;
};

class WeightedEteProblem {
 public:
  /// Finds the neighbours on the executor's threads; nearest_neighbors.hpp states the cost. @throws DataError
  /// without features, with fewer than 3 objects, or with features that are not finite; ConfigError on bad parameters.
  /// `name` is the entry's, in messages; `choice` says which triplets.
  WeightedEteProblem(const Observations& observations, std::string_view name, const WeightedEteOptions& options,
                     const ReductionTriplets& choice, Executor& executor);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// The first principal components, scaled to init_scale along the first; draws no random number, except that a
  /// component without variance gets noise of a hundredth of init_scale.
  [[nodiscard]] Solution start(Rng& rng) const { return start_named(start_names().front(), rng); }
  [[nodiscard]] std::vector<std::string> start_names() const { return starts_.names(); }
  /// "pca": principal components at the scale of the start, with noise on axes without variance; "random": normal.
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const {
    return starts_.named(kind, *domain_, rng);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  [[nodiscard]] TermIndex term_count() const;
  [[nodiscard]] std::size_t rows_per_term() const;
  double term(const Point& x, TermIndex index, TermGradient& out) const;

 private:
  struct Scratch;
  double sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const;
  template <class Real>
  double sum_of_blocks(std::span<const Real> y, std::span<double> gradient, Scratch& scratch, Executor& executor) const;
  template <class Real>
  double block_term(const double* y, std::size_t anchor, SumBlock<Real> sum_block, TermGradient& out) const;

  EteLoss loss_;
  Index cols_;
  double lambda_ = 0;  // of blocks
  FeatureStart starts_;
  bool single_precision_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const ProductBlocks> blocks_;  // or else
  std::shared_ptr<const TripletSum> drawn_;
  struct Placing;
  std::shared_ptr<const Placing> placing_;  // what places new objects; null: nothing is stored
  SumBlock<float> sum_block_float_;
  SumBlock<double> sum_block_double_;
  std::vector<std::string> notes_;
};

/// What weighted_ete and trimap have in common.
template <class O>
OptionList<O> with_common_options(OptionList<O> list) {
  return list
      .text("neighbors", &O::neighbors, {"auto", "exact", "approximate"},
            "neighbour search; auto: exact if that takes up to about a minute on one core")
      .seed(&O::seed, "the outliers and of the approximate search")
      .text("start", &O::start, {"pca", "random"}, "pca: principal components; random: normal noise")
      .real("init_scale", &O::init_scale, above(0), "standard deviation of the start (pca: along its first axis)")
      .text("precision", &O::precision, {"float", "double"},
            "precision of sums over triplets; float gives gradients within 1e-5")
      .flag("placement", &O::placement,
            "store, with the map, the function that places new objects (it holds the features); `alidade embed` "
            "does");
}

const OptionList<WeightedEteOptions>& WeightedEteOptions::list() {
  using O = WeightedEteOptions;
  static const OptionList<O> kList = with_common_options(
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
                "objects for each inlier"));
  return kList;
}

struct WeightedEteProblem::Placing {
  std::shared_ptr<const FeatureMatrix> features;
  Vector sigma;
  WeightedEtePlacement how;
};

struct WeightedEteProblem::Scratch : ChunkScratch<ProductBlockWorkspace> {};

ReductionTriplets WeightedEteOptions::choice() const {
  return {.inliers = n_inliers,
          .outliers = n_outliers,
          .sigma_neighbor = sigma_neighbor,
          .weights = triplet_weights(weights),
          .gamma = gamma,
          .seed = static_cast<std::uint64_t>(seed)};
}

WeightedEteProblem::WeightedEteProblem(const Observations& observations, std::string_view name,
                                       const WeightedEteOptions& options, const ReductionTriplets& choice,
                                       Executor& executor)
    : loss_{options.t, options.t_prime},
      cols_(options.n_components),
      starts_(options.init_scale),
      single_precision_(options.precision == "float"),
      sum_block_float_(sum_block_of<float>(loss_)),
      sum_block_double_(sum_block_of<double>(loss_)) {
  const Index n = observations.object_count();
  require_offered(observations.features != nullptr, observations, name, "features");
  require_float_features(observations, name, "Take tsne or nerv, or leave far objects out.");
  const FeatureMatrix& X = *observations.features;
  require<DataError>(X.rows() == n && X.cols() >= 1, "'{}' has {} objects, but its features are {} x {}.",
                     observations.name, n, X.rows(), X.cols());
  require<DataError>(n >= 3, "A map from triplets needs at least 3 objects, but '{}' has {}. Add objects.",
                     observations.name, n);
  require_valid(TripletLoss(loss_));
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, cols_, Euclidean{}}});

  const NearestNeighbors neighbors =
      nearest_neighbors(X, choice.neighbors_needed(n), search_method(options.neighbors), choice.seed, executor);
  if (options.triplets == "blocks") {
    blocks_ = std::make_shared<const ProductBlocks>(product_blocks(X, neighbors, choice, executor));
    lambda_ = options.lambda0 * static_cast<double>(blocks_->triplet_count()) / static_cast<double>(n);
    notes_.push_back(fmt::format("{} triplets: {} nearest neighbours of each object ({}) x {} others.",
                                 blocks_->triplet_count(), blocks_->inliers, neighbors.search, blocks_->outliers));
  } else {
    const bool as_trimap = options.triplets == "trimap";
    drawn_ = std::make_shared<const TripletSum>(
        std::make_shared<const TripletList>(as_trimap ? trimap_triplets(X, neighbors, choice)
                                                      : drawn_triplets(X, neighbors, choice)),
        loss_, Regulariser{options.lambda0}, single_precision_);
    notes_.push_back(
        fmt::format("{} triplets: for each of {} nearest neighbours of each object ({}), {}.", drawn_->terms().size(),
                    std::min(choice.inliers, n - 2), neighbors.search,
                    as_trimap ? fmt::format("{} others; and {} of random objects", choice.outliers, choice.random)
                              : "the same number of farther objects"));
  }
  if (options.placement)
    placing_ = std::make_shared<const Placing>(Placing{observations.features,
                                                       sigmas(neighbors, choice.sigma_neighbor, choice.sigma_count),
                                                       {loss_, choice, options.lambda0}});
  if (options.start == "pca") starts_ = {options.init_scale, principal_components(X, cols_, executor)};
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

struct TrimapOptions : WeightedEteOptions {
  Index n_random = 3;
  double weight_temperature = 0.5;
  TrimapOptions() {
    lambda0 = 0;
    n_inliers = 12;
    n_outliers = 4;
    triplets = "trimap";
  }
  [[nodiscard]] static const OptionList<TrimapOptions>& list() {
    using O = TrimapOptions;
    static const OptionList<O> kList = with_common_options(
        dimension_option<O>()
            .integer("n_inliers", &O::n_inliers, between(1, 1000),
                     "number of neighbours (inliers) of each object: those at the smallest scaled distances")
            .integer("n_outliers", &O::n_outliers, between(1, 10'000), "number of farther objects for each inlier")
            .integer("n_random", &O::n_random, between(0, 10'000),
                     "number of triplets of random objects for each object")
            .real("weight_temperature", &O::weight_temperature, between(0, 1),
                  "temperature T of the weights log_T(1 + difference of scaled distances); 1: the logarithm; 0: the "
                  "difference itself"));
    return kList;
  }
  [[nodiscard]] ReductionTriplets choice() const {
    return {.inliers = n_inliers,
            .candidates = 50,
            .outliers = n_outliers,
            .sigma_neighbor = 6,  // sigma: the mean distance to the 4th to 6th
            .sigma_count = 3,
            .temperature = weight_temperature,
            .random = n_random,
            .seed = static_cast<std::uint64_t>(seed)};
  }
};

template <class Options>
Problem make_map(std::string_view name, const Observations& observations, const ValueTable& options,
                 Executor& executor) {
  const auto parsed = Options::list().parse(options, fmt::format("problem '{}'", name));
  return {std::string(name), WeightedEteProblem(observations, name, parsed, parsed.choice(), executor)};
}

Problem make_weighted_ete(const Observations& observations, const ValueTable& options, Executor& executor) {
  return make_map<WeightedEteOptions>("weighted_ete", observations, options, executor);
}
Problem make_trimap(const Observations& observations, const ValueTable& options, Executor& executor) {
  return make_map<TrimapOptions>("trimap", observations, options, executor);
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
      .places_objects = true,
  };
}

ProblemEntry trimap_entry() {
  return {
      .name = "trimap",
      .summary =
          "TriMap: dimensionality reduction that keeps the order of distances, by triplets of neighbours, outliers "
          "and random objects",
      .reference = "[AW19] Amid & Warmuth 2019",
      .equation =
          "min over Y: sum over triplets (i; j, k) of features of w (1 + |y_i - y_j|^2) / (2 + |y_i - y_j|^2 + |y_i - "
          "y_k|^2), w = log_T(1 + zeta - min zeta), zeta the difference of the scaled distances",
      .needs = {ObservationKind::features},
      .offers = borderless_offer<WeightedEteProblem>(),
      .options = TrimapOptions::list().infos(),
      .make = make_trimap,
      // The published descent: 400 iterations, with a larger momentum from the 250th.
      .solver = R"({ name = "sequence", solvers = [
          { name = "gradient_descent", per_term = true, learning_rate = 1.0, momentum = 0.5, max_iter = 250 },
          { name = "gradient_descent", per_term = true, learning_rate = 1.0, momentum = 0.8, max_iter = 150 }] })",
      .places_objects = true,
  };
}

}  // namespace alidade::triplet
