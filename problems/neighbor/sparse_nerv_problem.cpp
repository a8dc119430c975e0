// NeRV of many objects: the cost of [VPNAK10] Eq. 9 over the pairs that are near on the map or in the data.
// sparse_nerv.md bounds and estimates the error of leaving out the rest. Sums in sparse_nerv_kernel.hpp.
// Internally the mean distance in the data is 1; maps are returned in units of the data. Memory O(n (K + near pairs)).
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/inner_minimizers.hpp"
#include "problems/core/text.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/feature_start.hpp"
#include "problems/distances/principal_components.hpp"
#include "problems/evidence/feature_digits.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/map_starts.hpp"
#include "problems/neighbor/nerv_tradeoff.hpp"
#include "problems/neighbor/space_tree.hpp"
#include "problems/neighbor/sparse_nerv_kernel.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::neighbor {
namespace {

constexpr auto kGeodesic = "geodesic_mds";

struct SparseNervOptions : NervTradeoff {
  Index n_components = 2;
  double cutoff = 12;
  Index n_neighbors = 0;
  Index n_drawn = 8;
  std::string calibration = "auto";
  Index most_pairs = 40'000'000;
  std::string path = "tsne";
  std::string start = "pca";
  Index graph_neighbors = 8;
  Index seed = 0;
  [[nodiscard]] static const OptionList<SparseNervOptions>& list() {
    using O = SparseNervOptions;
    static const OptionList<O> kList =
        dimension_option<O>("dimension of the map", 100)
            .include(NervTradeoff::list())
            .real("cutoff", &O::cutoff, between(1, 700),
                  "objects on the map are ignored if their q is below exp(-cutoff) times that of "
                  "the nearest")
            .integer("n_neighbors", &O::n_neighbors, between(0, 1e6),
                     "K, the number of nearest neighbours in the data whose p is stored; 0: three "
                     "times the perplexity")
            .integer("n_drawn", &O::n_drawn, between(0, 1000),
                     "number of other objects drawn in proportion to p; they share the rest of it")
            .text("calibration", &O::calibration, {"auto", "all", "nearest"},
                  "how widths are found: all: from all other objects; nearest: from the K nearest, "
                  "with p = 0 beyond them; auto: all if that takes up to about two minutes on one "
                  "core")
            .integer("most_pairs", &O::most_pairs, between(1, 1e10),
                     "largest number of pairs near on the map; a map with more is too dense and has "
                     "infinite cost")
            .text("path", &O::path, {"tsne", "weighted_ete", "none"},
                  "problem that the solver 'continuation' solves before this one; tsne works up to "
                  "3 dimensions or 2000 objects")
            .text("start", &O::start, {"pca", kGeodesic, "random"},
                  "pca: principal components; geodesic_mds: classical MDS of distances along the "
                  "neighbour graph; random: normal noise")
            .integer("graph_neighbors", &O::graph_neighbors, between(1, 1000),
                     "for start geodesic_mds: number of neighbours in the graph")
            .seed(&O::seed, "all random draws");
    return kList;
  }
};

/// With a path of stages. First those of t-SNE, or weighted ETE, whose map puts every point at about its place. Then
/// that map at the scale of the lowest cost, or at the least larger scale that has few enough near pairs. Last the
/// problem itself.
class SparseNervProblem {
 public:
  /// `lookup` finds the problem of the path. @throws DataError without features, and as sparse_affinities; ConfigError
  /// on a perplexity that n does not allow.
  SparseNervProblem(const Observations& observations, const SparseNervOptions& requested, ProblemLookup lookup,
                    Executor& executor);

  [[nodiscard]] const Domain& domain() const;
  /// The start that the options name.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// "pca", "geodesic_mds", "random", all at the scale of the last stage but one. Above 20,000 objects, geodesics only
  /// if the options request them.
  [[nodiscard]] std::vector<std::string> start_names() const;
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  /// The map in units of the data. Estimates: both parts of the cost, and from SparseNervError `cutoff_error`,
  /// `dense_difference` and its `dense_difference_error`.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.map = 1}; }

  /// J in nats per object.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  [[nodiscard]] Index stage_count() const;
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  struct Data;
  double sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const;
  std::shared_ptr<const Data> data_;
};

/// Number of operations above which `auto` calibrates on the nearest: about two minutes of one core.
constexpr double kAllRowsCost = 2e12;
constexpr double kRowOverhead = 200;         // exponentials of a pair's calibration, in features
constexpr Index kMostForGeodesics = 20'000;  // unless requested: a thousand shortest paths to all
constexpr double kNearAtStart = 400;         // near objects per object
constexpr double kShareAtStart = 0.5;        // of the pairs allowed
constexpr double kStageSpread = 0.01;        // of the start of the path, in its own units

struct SparseScratch {
  SparseNervWorkspace workspace;
};

/// The best scale, or the least larger one with short lists; the descent then finds the size by itself.
double scale_of_start(const SparseNerv& model, std::span<const double> y, Executor& executor) {
  const double near_count =
      std::min(kNearAtStart, kShareAtStart * static_cast<double>(model.most_pairs) / static_cast<double>(model.size()));
  return roomy_scale(model, y, best_scale(model, y, executor), near_count, executor);
}

/// Another problem at a multiple of x, with its value scaled so that steps of a fixed rate lead to the same maps.
class ScaledMap {
 public:
  ScaledMap(Problem inner, double factor) : inner_(std::move(inner)), factor_(factor) {}
  [[nodiscard]] const Domain& domain() const { return *inner_.domain(); }
  [[nodiscard]] Solution start(Rng& rng) const {
    Point x = std::get<Point>(inner_.start(rng));
    x.vector() /= factor_;
    return x;
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return inner_.decode(scaled(std::get<Point>(x))); }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return inner_.face<SmoothFace>().value(scaled(x), evaluation) / (factor_ * factor_);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    const double value = inner_.face<SmoothFace>().value_and_gradient(scaled(x), gradient, evaluation);
    gradient.vector() /= factor_;
    return value / (factor_ * factor_);
  }

 private:
  [[nodiscard]] Point scaled(const Point& x) const {
    Point out = x;
    out.vector() *= factor_;
    return out;
  }
  Problem inner_;
  double factor_;
};

/// A stage that leads to a given map: a paraboloid about it with minimum 1, as wide as suits gradient descent's usual
/// rate.
class WayToMap {
 public:
  WayToMap(std::shared_ptr<const Domain> domain, Point target)
      : domain_(std::move(domain)), target_(std::move(target)), curvature_(1 / default_rate(target_.block(0).rows())) {}
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return domain_->random(rng); }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    return 1 + 0.5 * curvature_ * (x.vector() - target_.vector()).squaredNorm();
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    gradient.vector() = curvature_ * (x.vector() - target_.vector());
    return value(x, evaluation);
  }

 private:
  std::shared_ptr<const Domain> domain_;
  Point target_;
  double curvature_;
};

/// The problem whose map comes before J.
Problem make_path(const Observations& observations, const SparseNervOptions& options, ProblemLookup lookup,
                  Executor& executor) {
  const bool tsne = options.path == "tsne";
  const Index n = observations.features->rows();
  require<ConfigError>(!tsne || options.n_components <= SpaceTree<float>::kMostDimensions || n <= kLargestWithoutTree,
                       "nerv_sparse: path = 'tsne' maps {} objects to at most {} dimensions, not to {}. Set path = "
                       "'weighted_ete' and solver = {{ name = 'continuation', solver = 'ceres' }}.",
                       n, SpaceTree<float>::kMostDimensions, options.n_components);
  if (tsne) return coarse_tsne(observations, options.n_components, options.perplexity, options.seed, false, executor);
  ValueTable path_options;
  path_options.set("n_components", static_cast<std::int64_t>(options.n_components));
  path_options.set("seed", static_cast<std::int64_t>(options.seed));
  return lookup(options.path, "").make(observations, path_options, executor);
}

/// Root mean square of the widest column.
double spread_of(const Matrix& map) {
  return std::sqrt((map.rowwise() - map.colwise().mean()).colwise().squaredNorm().maxCoeff() /
                   static_cast<double>(map.rows()));
}

struct SparseNervProblem::Data {
  SparseNervOptions options;
  std::shared_ptr<const Domain> domain;
  std::shared_ptr<const SparseNerv> model;
  std::optional<DissimilarityRows> rows;
  Matrix components;  // scores of the start, n x d, at its scale
  std::optional<Problem> path;
  double path_factor = 1;  // from units of this problem to those of the path
  std::vector<std::string> notes;
};

SparseNervProblem::SparseNervProblem(const Observations& observations, const SparseNervOptions& requested,
                                     ProblemLookup lookup, Executor& executor) {
  require_offered(observations.features != nullptr, observations, "nerv_sparse", "features");
  require_float_features(observations, "nerv_sparse", "Take nerv, or leave far objects out.");
  const DissimilarityRows rows(observations, "nerv_sparse");
  const Index n = rows.size();
  auto data = std::make_shared<Data>();
  data->options = requested;
  adapt_default_perplexity(data->options, n, data->notes);
  const SparseNervOptions& options = data->options;
  require_perplexity(options.perplexity, n);
  data->rows = rows;
  data->domain =
      std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, options.n_components, Euclidean{}}});

  SparseAffinityOptions choice;
  choice.perplexity = options.perplexity;
  choice.nearest =
      options.n_neighbors > 0 ? options.n_neighbors : static_cast<Index>(std::ceil(3 * options.perplexity));
  choice.drawn = options.n_drawn;
  const auto count = static_cast<double>(n);
  choice.all_rows = options.calibration == "all" ||
                    (options.calibration == "auto" &&
                     count * count * (static_cast<double>(rows.features()->cols()) + kRowOverhead) <= kAllRowsCost);
  choice.seed = static_cast<std::uint64_t>(options.seed);
  auto model = std::make_shared<SparseNerv>();
  model->features = rows.features();
  model->p = sparse_affinities(rows, choice, executor);
  model->lambda = options.lambda;
  model->cutoff = options.cutoff;
  model->components = options.n_components;
  model->most_pairs = static_cast<std::size_t>(options.most_pairs);

  const Index listed = std::min(choice.nearest, n - 1);
  data->notes.push_back(choice.all_rows
                            ? fmt::format("Neighbour probabilities come from all pairs: the {} nearest hold {:.1f} "
                                          "% of them, and {} drawn objects stand for the rest.",
                                          listed, 100 * (1 - model->p.rest.mean()), model->p.ids.cols() - listed)
                            : fmt::format("Neighbour probabilities come from the {} nearest only.", listed));
  if (model->p.capped > 0) data->notes.push_back(capped_note(model->p.capped, n, options.perplexity));
  data->model = model;

  Rng rng = Rng::stream(choice.seed, "start");
  Point noise = data->domain->random(rng);
  noise.vector() *= kNoiseWithoutVariance;
  place_columns(noise, principal_components(*model->features, options.n_components, executor).scores, model->p.unit);
  data->components = scale_of_start(*model, noise.flat(), executor) * noise.block(0);

  if (options.path != "none") {
    data->path.emplace(make_path(observations, options, lookup, executor));
    const double spread = spread_of(data->components);
    data->path_factor = spread > 0 ? kStageSpread / spread : 1;
  }
  data_ = std::move(data);
}

const Domain& SparseNervProblem::domain() const { return *data_->domain; }

std::vector<std::string> SparseNervProblem::start_names() const {
  if (data_->model->size() > kMostForGeodesics && data_->options.start != kGeodesic) return {"pca", "random"};
  return {"pca", kGeodesic, "random"};
}

Solution SparseNervProblem::start(Rng& rng) const { return start_named(data_->options.start, rng); }

Solution SparseNervProblem::start_named(std::string_view kind, Rng& rng) const {
  Point x = data_->domain->random(rng);
  if (kind == "pca") {
    x.block(0) = data_->components;
    return x;
  }
  Executor alone;
  if (kind == kGeodesic) {
    x.vector() *= kNoiseWithoutVariance;
    place_columns(x, geodesic_places(*data_->rows, data_->options.graph_neighbors, data_->options.n_components, alone),
                  data_->model->p.unit);
  }
  x.vector() *= scale_of_start(*data_->model, x.flat(), alone);
  return x;
}

double SparseNervProblem::sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<SparseScratch>([] { return SparseScratch{}; });
  const SparseNervCost cost = scratch.workspace(data_->model, x.flat(), gradient, evaluation.executor);
  // Infinite, so that a line search turns back; the cost of the sampled rows would be a different function.
  if (cost.too_dense) return std::numeric_limits<double>::infinity();
  return cost.at(data_->options.lambda);
}

double SparseNervProblem::value(const Point& x, Evaluation& evaluation) const { return sum(x, {}, evaluation); }

double SparseNervProblem::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  return sum(x, gradient.flat(), evaluation);
}

Embedding SparseNervProblem::decode(const Solution& x) const {
  const Point& point = std::get<Point>(x);
  Embedding out{{{"", data_->model->p.unit * point.block(0)}}};
  Executor alone;
  SparseNervWorkspace workspace;
  SparseNervCost cost = workspace(data_->model, point.flat(), {}, alone);
  const bool too_dense = cost.too_dense;
  if (too_dense) cost = sampled_cost(*data_->model, point.flat(), alone);
  out.estimates = {{"misses", cost.misses}, {"false_neighbours", cost.false_neighbours}};
  if (too_dense || !std::isfinite(cost.at(data_->options.lambda))) return out;
  const SparseNervError error = sparse_nerv_error(*data_->model, point.flat(), cost, alone);
  out.estimates.emplace_back("near_pairs", static_cast<double>(cost.pairs));
  out.estimates.emplace_back("cutoff_error", error.cutoff);
  out.estimates.emplace_back("dense_difference", error.dense_difference);
  out.estimates.emplace_back("dense_difference_error", error.standard_error);
  return out;
}

std::vector<std::string> SparseNervProblem::notes() const { return data_->notes; }

Index SparseNervProblem::stage_count() const {
  if (!data_->path) return 1;
  return 2 + (data_->path->offers().has<StagesFace>() ? data_->path->face<StagesFace>().stage_count() : 1);
}

Problem SparseNervProblem::stage(Index k, const Solution& x) const {
  if (k + 1 == stage_count()) return {"nerv_sparse", *this};
  const Point& from = std::get<Point>(x);
  const Problem& path = *data_->path;
  if (k + 2 < stage_count()) {
    const ScaledMap scaled(path.offers().has<StagesFace>() ? path.face<StagesFace>().stage(k, x) : path,
                           data_->path_factor);
    return {path.name(), scaled};
  }
  Executor alone;
  Point target = from;
  target.vector() *= scale_of_start(*data_->model, from.flat(), alone);
  return {"scale", WayToMap(data_->domain, std::move(target))};
}

static_assert(AnyProblem<SparseNervProblem> && StartsByName<SparseNervProblem>);
static_assert(SmoothProblem<SparseNervProblem> && StagedProblem<SparseNervProblem>);

}  // namespace

/// `lookup` finds the problem of the path.
ProblemEntry sparse_nerv_entry(ProblemLookup lookup) {
  return {
      .name = "nerv_sparse",
      .summary = "NeRV for many objects: uses only pairs that are near on the map or in the data",
      .reference = "[VPNAK10] Venna et al. 2010, Eq. 9",
      .equation =
          "J of nerv, with sums over q taken over pairs near on the map, and sums over p "
          "over pairs near in the data and a few drawn from the rest",
      .needs = {ObservationKind::features},
      .offers = borderless_offer<SparseNervProblem>(),
      .options = SparseNervOptions::list().infos(),
      .make =
          [lookup](const Observations& observations, const ValueTable& options, Executor& executor) {
            const auto parsed = SparseNervOptions::list().parse(options, "problem 'nerv_sparse'");
            return Problem("nerv_sparse", SparseNervProblem(observations, parsed, lookup, executor));
          },
      // The geodesic start unrolls a sheet. The path is that of t-SNE; from its tiny start, line searches fail.
      .solver = R"({ name = "race", entrants = [
          { start = "geodesic_mds", solver = { name = "ceres", max_iter = 40 } },
          { solver = { name = "continuation", solver = { name = "gradient_descent", max_iter = 250 },
          last_solver = { name = "ceres", max_iter = 150 } } } ],
          finish = { name = "ceres", max_iter = 50 } })",
  };
}

}  // namespace alidade::neighbor
