#include "problems/neighbor/nerv_problem.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/memory.hpp"
#include "problems/core/text.hpp"
#include "problems/core/upper_median.hpp"
#include "problems/distances/classical_scaling.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/feature_start.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/map_starts.hpp"
#include "problems/neighbor/nerv_tradeoff.hpp"
#include "problems/neighbor/out_of_sample.hpp"

namespace alidade::neighbor {
namespace {

constexpr std::int64_t kSearchSeed = 1;  // of t-SNE's approximate search
constexpr double kRandomScale = 0.5;     // two such points are about one mean dissimilarity apart
constexpr double kApart = 4;             // times the best scale, for start tsne_apart

using AnyDistances = std::variant<NervDistances<float>, NervDistances<double>>;

/// Calls `use(i, row)` with rows of squared dissimilarities in mean dissimilarities, n of them, entry i meaningless.
template <class Use>
void for_each_row_of(const AnyDistances& distances, Executor& executor, const Use& use) {
  std::visit(
      [&](const auto& d) {
        constexpr Index kRowsAtOnce = 32;
        executor.run_chunks(d.size(), kRowsAtOnce, [&](const Chunk& chunk) {
          std::vector<double> row(static_cast<std::size_t>(d.size()));
          for (Index i = chunk.first; i < chunk.last; ++i) {
            std::copy_n(d.row(i), d.size(), row.begin());
            use(i, std::span<const double>(row));
          }
        });
      },
      distances);
}

/// Of two places of the map. O(n^2 d)
double mean_distance(const Eigen::Ref<const Matrix>& map) {
  double sum = 0;
  for (Index i = 1; i < map.rows(); ++i) sum += (map.topRows(i).rowwise() - map.row(i)).rowwise().norm().sum();
  return 2 * sum / (static_cast<double>(map.rows()) * static_cast<double>(map.rows() - 1));
}

/// Observations with only what the rows were read from.
Observations observations_of(const DissimilarityRows& rows) {
  Observations out;
  out.objects.resize(static_cast<std::size_t>(rows.size()));
  out.features = rows.features();
  if (!out.features) out.dissimilarities = {{"", rows.squared().cwiseSqrt(), {}}};
  return out;
}

struct Scratch {
  std::shared_ptr<NervWorkspace> workspace = nerv_workspace();
};

}  // namespace

struct NervMap::Data {
  NervOptions options;
  NervSplit split = NervSplit::orthant;
  std::shared_ptr<const Domain> domain;
  std::optional<AnyDistances> distances;
  double unit = 1;     // the mean dissimilarity
  Vector beta;         // of the problem itself
  double widest = 0;   // half the largest dissimilarity
  double typical = 0;  // the median width
  std::optional<DissimilarityRows> rows;
  std::vector<std::string> notes;
  mutable std::once_flag solid_is_known;
  mutable Matrix solid;  // of start opened, n x (n_components + 1): made when first needed
};

const OptionList<NervOptions>& NervOptions::list() {
  using O = NervOptions;
  static const OptionList<O> kList =
      dimension_option<O>("dimension of the map", 1000)
          .include(NervTradeoff::list())
          .text("split", &O::split, {"T", "P", "O", "OP"},
                "split of the gradient into two halves, for multiplicative updates: T: terms by "
                "sign; P: netted pairs by sign; O: orthant; OP: netted orthant")
          .real("offset", &O::offset, above(0),
                "for splits O and OP: smallest coordinate of the shifted map, in mean "
                "dissimilarities; larger values are slower")
          .text("schedule", &O::schedule, {"geometric", "linear", "per_point", "none"},
                "how neighbourhoods are widened in the first stages of the solver 'continuation'")
          .integer("n_stages", &O::n_stages, between(1, 1000), "number of stages before the problem itself")
          .real("factor", &O::factor, at_least(1),
                "for schedule per_point: factor by which the first widths are too large")
          .text("start", &O::start, {"pca", "geodesic_mds", "tsne", "tsne_apart", "opened", "random"},
                "pca: principal components; geodesic_mds: classical MDS of distances along the "
                "neighbour graph; tsne: t-SNE's map at its best scale; tsne_apart: four times as large; "
                "opened: a surface in one more dimension, torn open at an empty place; random: normal noise")
          .integer("n_neighbors", &O::n_neighbors, between(1, 1000),
                   "for start geodesic_mds: number of neighbours in the graph")
          .text("precision", &O::precision, {"float", "double"},
                "precision within rows and in storage; float gives J within 1e-5")
          .flag("placement", &O::placement, kPlacementText);
  return kList;
}

const Domain& NervMap::domain() const { return *data_->domain; }

std::vector<std::string> NervMap::start_names() const {
  if (!data_->rows->features() && !data_->rows->precise_features())
    return {"geodesic_mds", "tsne", "tsne_apart", "opened", "random"};
  return {"pca", "geodesic_mds", "tsne", "tsne_apart", "opened", "random"};
}

Solution NervMap::start(Rng& rng) const {
  const std::vector<std::string> names = start_names();
  const bool has = std::ranges::find(names, data_->options.start) != names.end();
  return start_named(has ? data_->options.start : names.front(), rng);
}

Solution NervMap::start_named(std::string_view kind, Rng& rng) const {
  Point x = data_->domain->random(rng);
  x.vector() *= kind == "random" ? kRandomScale : kNoiseWithoutVariance;
  if (kind == "random") return x;
  Executor alone;
  const Index d = data_->options.n_components;
  if (kind == "tsne" || kind == "tsne_apart") {
    const Observations read = observations_of(*data_->rows);
    x.block(0) = tsne_start(coarse_tsne(read, d, data_->options.perplexity, kSearchSeed, true, alone), rng, alone);
    scale_to_least_cost(x, alone);
    if (kind == "tsne_apart") x.vector() *= kApart;
    return x;
  }
  const Matrix places = kind == "pca" ? principal_components(*data_->rows, d, alone).scores
                        : kind == "opened"
                            ? opened_places(solid(alone), static_cast<Index>(2 * data_->options.perplexity), rng)
                            : geodesic_places(*data_->rows, data_->options.n_neighbors, d, alone);
  place_columns(x, places, data_->unit);
  return x;
}

const Matrix& NervMap::solid(Executor& executor) const {
  std::call_once(data_->solid_is_known, [&] {
    const Index dimensions = data_->options.n_components + 1;
    const DissimilarityRows& rows = *data_->rows;
    data_->solid = rows.features() || rows.precise_features()
                       ? principal_components(rows, dimensions, executor).scores
                       : classical_scaling(rows.squared(), dimensions, executor).coordinates;
  });
  return data_->solid;
}

void NervMap::scale_to_least_cost(Point& x, Executor& executor) const {
  const double mean = mean_distance(x.block(0));
  if (!(mean > 0)) return;
  Evaluation evaluation(executor);
  const double best = least_cost_scale(mean, [&](std::span<const double> scales) {
    std::vector<double> costs;
    Point scaled = x;
    for (const double scale : scales) {
      scaled.vector() = scale * x.vector();
      costs.push_back(value(scaled, evaluation));
    }
    return costs;
  });
  x.vector() *= best;
}

NervCost NervMap::sums(const Point& x, std::span<double> gradient, const NervSplitTarget* split,
                       Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  return std::visit(
      [&](const auto& distances) {
        return nerv_sums(distances, *widths_, data_->options.lambda, x.flat(), data_->options.n_components, gradient,
                         split, *scratch.workspace, evaluation.executor);
      },
      *data_->distances);
}

NervCost NervMap::cost(const Point& x, Evaluation& evaluation) const { return sums(x, {}, nullptr, evaluation); }

double NervMap::value(const Point& x, Evaluation& evaluation) const {
  return cost(x, evaluation).at(data_->options.lambda);
}

double NervMap::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  return sums(x, gradient.flat(), nullptr, evaluation).at(data_->options.lambda);
}

double NervMap::value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& evaluation) const {
  const NervSplitTarget target{data_->split, data_->options.offset, out.plus.flat(), out.minus.flat(), out.unit.flat()};
  return sums(x, {}, &target, evaluation).at(data_->options.lambda);
}

Embedding NervMap::decode(const Solution& x) const {
  const Point& point = std::get<Point>(x);
  Executor alone;
  Evaluation evaluation(alone);
  const NervCost parts = cost(point, evaluation);
  Embedding out{{{"", data_->unit * point.block(0)}}};
  if (data_->options.placement && !data_->rows->precise_features() && out.only().allFinite())
    out.projector =
        nerv_projector(data_->rows->features(), out.only(), data_->options.perplexity, data_->options.lambda);
  out.estimates = {{"misses", parts.misses}, {"false_neighbours", parts.false_neighbours}};
  return out;
}

std::vector<std::string> NervMap::notes() const { return data_->notes; }

namespace {

/// ln sum exp(-beta D) of every row.
Vector log_normalizers(const AnyDistances& distances, const Vector& beta, Executor& executor) {
  Vector out(beta.size());
  for_each_row_of(distances, executor,
                  [&](Index i, std::span<const double> row) { out[i] = affinity_at(row, i, beta[i]).log_normalizer; });
  return out;
}

}  // namespace

NervProblem::NervProblem(const Observations& observations, const NervOptions& requested, Executor& executor)
    : NervMap(nullptr, nullptr) {
  const DissimilarityRows rows(observations, "nerv");
  const Index n = rows.size();
  auto data = std::make_shared<Data>();
  data->options = requested;
  adapt_default_perplexity(data->options, n, data->notes);
  const NervOptions& options = data->options;
  require_perplexity(options.perplexity, n);
  data->split = nerv_split(options.split);
  data->domain =
      std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, options.n_components, Euclidean{}}});
  data->rows = rows.precise_features() ? rows.kept(executor) : rows;
  const auto take = [&]<class Real>(Real) {
    require_room_for_pairs("nerv", n, sizeof(Real), "'nerv_sparse', which keeps those of near pairs");
    auto all = squared_dissimilarities<Real>(rows, executor, NervDistances<Real>::stride_of(n));
    data->unit = all.mean;
    data->distances.emplace(NervDistances<Real>(std::move(all.values), all.mean));
  };
  if (options.precision == "float")
    take(float{});
  else
    take(double{});

  auto widths = std::make_shared<NervWidths>(NervWidths{Vector(n), Vector(n)});
  std::vector<char> capped(static_cast<std::size_t>(n), 0);
  for_each_row_of(*data->distances, executor, [&](Index i, std::span<const double> row) {
    RowAffinity affinity = calibrate(row, i, options.perplexity);
    if (affinity.beta == 0) affinity = affinity_at(row, i, 1);  // all others coincide with it
    widths->beta[i] = affinity.beta;
    widths->log_normalizer[i] = affinity.log_normalizer;
    capped[static_cast<std::size_t>(i)] = affinity.capped ? 1 : 0;
  });
  data->beta = widths->beta;
  if (const auto count = std::ranges::count(capped, 1); count > 0)
    data->notes.push_back(capped_note(count, n, options.perplexity));

  data->widest = std::visit([](const auto& d) { return d.largest(); }, *data->distances) / 2;
  data->typical = std::sqrt(0.5 / upper_median(data->beta));
  data_ = std::move(data);
  widths_ = std::move(widths);
  set_radii(options.n_stages);
}

void NervProblem::set_radii(Index n_stages) {
  const NervOptions& options = data_->options;
  const double widest = data_->widest;
  const Index stages = options.schedule == "none" ? 0 : n_stages;
  radii_.resize(stages);
  for (Index k = 0; k < stages; ++k) {
    const double part = stages > 1 ? static_cast<double>(k) / static_cast<double>(stages - 1) : 0;
    if (options.schedule == "linear")
      radii_[k] = widest * (1 - static_cast<double>(k) / static_cast<double>(stages));
    else if (options.schedule == "per_point")
      radii_[k] = std::pow(options.factor, 1 - part);
    else
      radii_[k] = widest * std::pow(std::min(data_->typical / widest, 1.0), part);
  }
}

Problem NervProblem::with_n_stages(Index n) const {
  NervProblem out(*this);
  out.set_radii(n);
  return {"nerv", out};
}

Problem NervProblem::stage(Index k, const Solution&) const {
  struct Stage : NervMap {
    explicit Stage(const NervMap& map) : NervMap(map) {}
    void widen(double radius) {
      auto widths = std::make_shared<NervWidths>(*widths_);
      for (double& beta : widths->beta)
        beta =
            data_->options.schedule == "per_point" ? beta / (radius * radius) : std::min(beta, 0.5 / (radius * radius));
      Executor alone;
      widths->log_normalizer = log_normalizers(*data_->distances, widths->beta, alone);
      widths_ = std::move(widths);
    }
  };
  Stage out(*this);
  if (k < radii_.size()) out.widen(radii_[k]);
  return {"nerv", out};
}

static_assert(AnyProblem<NervProblem> && StartsByName<NervProblem>);
static_assert(SmoothProblem<NervProblem> && SplitGradientProblem<NervProblem> && StageNumberProblem<NervProblem>);

ProblemEntry nerv_entry() {
  return {
      .name = "nerv",
      .summary =
          "NeRV, neighbour retrieval: weighs missed neighbours against false neighbours; "
          "for maps that are read by neighbours",
      .reference = "[VPNAK10] Venna et al. 2010, Eq. 9; multiplicative rules of [PL13] Peltonen & Lin 2013",
      .equation =
          "min over Y: 1/n sum over i of lambda KL(p_i || q_i) + (1 - lambda) KL(q_i || p_i), with "
          "p_ij ~ exp(-beta_i D_ij), q_ij ~ exp(-beta_i |y_i - y_j|^2), D squared dissimilarities, "
          "and beta_i such that p_i has the perplexity",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<NervProblem>(),
      .options = NervOptions::list().infos(),
      .make = maker_of<NervProblem, NervOptions>("nerv"),
      // Which start is best depends on the data. A sheet has to be unrolled, a closed surface torn open, and clusters
      // separated before their neighbours count. The place of the tear decides where a closed surface ends. So it is
      // torn at 25 places, in five groups. The best of five is told after 50 iterations, but where misses weigh little
      // it settles slowly, so it goes on for 150 before groups are compared. Widening ends elsewhere from start to
      // start, now and then lowest. At the best scale of t-SNE's map some clusters lie in each other's way; the same
      // map four times as large needs more iterations and then ends higher or lower.
      .solver = fmt::format(
          R"({{ name = "race", entrants = [
              {{ start = "geodesic_mds", solver = {{ name = "ceres", max_iter = 60 }} }},
              {{ start = "pca", {0} }}, {{ start = "random", {0} }},
              {{ start = "tsne", solver = {{ name = "ceres", max_iter = 80 }} }},
              {{ start = "random", {0} }},
              {1}, {1}, {1}, {1}, {1},
              {{ start = "tsne_apart", solver = {{ name = "ceres", max_iter = 120 }} }} ],
              finish = {{ name = "ceres", max_iter = 500 }} }})",
          R"(solver = { name = "continuation", solver = { name = "ceres", max_iter = 30, tolerance = 1e-3 },
                        last_solver = { name = "ceres", max_iter = 30 } })",
          fmt::format(R"({{ solver = {{ name = "race", entrants = [{0}, {0}, {0}, {0}, {0}],
                             finish = {{ name = "ceres", max_iter = 150 }} }} }})",
                      R"({ start = "opened", solver = { name = "ceres", max_iter = 50 } })")),
      .places_objects = true,
  };
}

}  // namespace alidade::neighbor
