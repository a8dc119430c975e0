#include "problems/neighbor/pacmap_problem.hpp"

#include <algorithm>
#include <cmath>

#include "problems/contract/problem_model.hpp"
#include "problems/core/drawn_numbers.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/nearest_neighbors.hpp"

namespace alidade::neighbor {
namespace {

constexpr double kNearScale = 10, kMidScale = 10'000;
constexpr double kFirstMid = 1000, kLastMid = 3;  // weights of mid-near pairs in the first phase
constexpr Index kMoreNeighbors = 50;              // among which the scaled distance chooses
constexpr Index kFirstOfUnit = 3, kInUnit = 3;    // the unit of distance: the mean to the 4th to 6th neighbour
constexpr double kLeastUnit = 1e-10;
constexpr std::size_t kMidDrawn = 6;  // of which the second nearest is a mid-near one

/// Squared dissimilarity of two objects.
double squared_between(const DissimilarityRows& rows, Index i, Index j) {
  if (rows.features())
    return (rows.features()->row(i).cast<double>() - rows.features()->row(j).cast<double>()).squaredNorm();
  if (rows.precise_features()) return (rows.precise_features()->row(i) - rows.precise_features()->row(j)).squaredNorm();
  return rows.squared()(i, j);
}

/// The k of the listed neighbours of i at the smallest distances in units of both objects.
std::vector<ObjectId> nearest_scaled(const NearestNeighbors& neighbors, const Vector& unit, Index i, Index k) {
  std::vector<std::pair<double, ObjectId>> all;
  for (Index c = 0; c < neighbors.ids.cols(); ++c) {
    const ObjectId j = neighbors.ids(i, c);
    all.emplace_back(neighbors.squared_distances(i, c) / (unit[i] * unit[j]), j);
  }
  std::ranges::partial_sort(all, all.begin() + k);
  std::vector<ObjectId> out;
  for (Index c = 0; c < k; ++c) out.push_back(all[static_cast<std::size_t>(c)].second);
  return out;
}

/// The second nearest of a few others, as many times as there are room for; distinct.
void add_mid_near(const DissimilarityRows& rows, Index i, std::size_t count, Rng rng, std::vector<ObjectId>& out) {
  const auto n = static_cast<std::size_t>(rows.size());
  std::vector<ObjectId> taken{static_cast<ObjectId>(i)}, drawn;
  std::vector<std::pair<double, ObjectId>> sorted;
  for (std::size_t m = 0; m < count; ++m) {
    draw_others(std::min(kMidDrawn, n - taken.size()), n, taken, rng, drawn);
    sorted.clear();
    for (const ObjectId j : drawn) sorted.emplace_back(squared_between(rows, i, j), j);
    std::ranges::sort(sorted);
    const ObjectId picked = sorted[std::min<std::size_t>(1, sorted.size() - 1)].second;
    out.push_back(picked);
    taken.insert(std::ranges::lower_bound(taken, picked), picked);
  }
}

}  // namespace

const OptionList<PacmapOptions>& PacmapOptions::list() {
  using O = PacmapOptions;
  static const OptionList<O> kList =
      dimension_option<O>()
          .integer("n_neighbors", &O::n_neighbors, between(1, 1000), "number of near pairs of each object")
          .real("mn_ratio", &O::mn_ratio, between(0, 100), "mid-near pairs for each near one")
          .real("fp_ratio", &O::fp_ratio, between(0, 100), "further pairs for each near one")
          .integer("n_stages", &O::n_stages, between(1, 1000),
                   "number of steps that each of the first two phases is cut into")
          .text("neighbors", &O::neighbors, {"auto", "exact", "approximate"},
                "neighbour search; auto: exact if that takes up to about a minute on one core")
          .integer("seed", &O::seed, between(0, 1e15), "seed of the drawn pairs and of the approximate search")
          .text("start", &O::start, {"pca", "random"},
                "pca: principal components; random: normal noise. For dissimilarities, always random")
          .real("init_scale", &O::init_scale, above(0), "standard deviation of the start (pca: along its first axis)");
  return kList;
}

PacmapProblem::PacmapProblem(const Observations& observations, const PacmapOptions& options, Executor& executor)
    : cols_(options.n_components), n_stages_(options.n_stages), starts_("pacmap", options.init_scale) {
  const DissimilarityRows rows(observations, "pacmap");
  require_spread(rows);
  const Index n = rows.size(), k = std::min(options.n_neighbors, n - 1);
  if (options.n_neighbors > k)
    notes_.push_back(
        fmt::format("n_neighbors lowered from {} to {}, the number of other objects.", options.n_neighbors, k));
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, cols_, Euclidean{}}});
  const NearestNeighbors neighbors =
      nearest_neighbors(rows, std::min(k + kMoreNeighbors, n - 1), search_method(options.neighbors),
                        static_cast<std::uint64_t>(options.seed), executor);
  const Index first_of_unit = std::min(kFirstOfUnit, neighbors.ids.cols() - 1);
  const Vector unit =
      neighbors.squared_distances.middleCols(first_of_unit, std::min(kInUnit, neighbors.ids.cols() - first_of_unit))
          .cwiseSqrt()
          .rowwise()
          .mean()
          .cwiseMax(kLeastUnit);
  const auto as_count = [&](double ratio, Index most) {
    return static_cast<std::size_t>(std::min(most, static_cast<Index>(std::lround(ratio * static_cast<double>(k)))));
  };
  const std::size_t mid = as_count(options.mn_ratio, n - 1), far = as_count(options.fp_ratio, n - 1 - k);
  const auto seed = static_cast<std::uint64_t>(options.seed);
  auto pairs = std::make_shared<PacmapPairs>();
  std::vector<ObjectId> far_pairs, mid_pairs, drawn;
  for (Index i = 0; i < n; ++i) {
    std::vector<ObjectId> near = nearest_scaled(neighbors, unit, i, k);
    pairs->second.insert(pairs->second.end(), near.begin(), near.end());
    near.push_back(static_cast<ObjectId>(i));
    std::ranges::sort(near);
    Rng rng = Rng::stream(seed, "further", i);
    draw_others(far, static_cast<std::size_t>(n), near, rng, drawn);
    far_pairs.insert(far_pairs.end(), drawn.begin(), drawn.end());
    add_mid_near(rows, i, mid, Rng::stream(seed, "mid-near", i), mid_pairs);
  }
  pairs->near = pairs->second.size();
  pairs->far = far_pairs.size();
  pairs->second.insert(pairs->second.end(), far_pairs.begin(), far_pairs.end());
  pairs->second.insert(pairs->second.end(), mid_pairs.begin(), mid_pairs.end());
  for (const std::size_t each : {static_cast<std::size_t>(k), far, mid})
    for (Index i = 0; i < n; ++i) pairs->first.insert(pairs->first.end(), each, static_cast<ObjectId>(i));
  pairs_ = std::move(pairs);
  notes_.push_back(
      fmt::format("Pairs of each object: {} near ({}), {} mid-near, {} further.", k, neighbors.search, mid, far));
  if (options.start == "pca") starts_ = {"pacmap", options.init_scale, rows, cols_, executor};
}

double PacmapProblem::term(const Point& x, TermIndex pair, TermGradient& out) const {
  const auto d = static_cast<std::size_t>(cols_);
  const ObjectId i = pairs_->first[pair], j = pairs_->second[pair];
  const double *yi = x.flat().data() + i * d, *yj = x.flat().data() + j * d;
  double s = 1;
  for (std::size_t c = 0; c < d; ++c) s += (yi[c] - yj[c]) * (yi[c] - yj[c]);
  double value, slope;
  if (pair >= pairs_->near && pair < pairs_->near + pairs_->far) {
    value = weights_.far / (1 + s);
    slope = -value / (1 + s);
  } else {
    const bool near = pair < pairs_->near;
    const double scale = near ? kNearScale : kMidScale, weight = near ? weights_.near : weights_.mid;
    value = weight * s / (scale + s);
    slope = weight * (scale / (scale + s)) / (scale + s);
  }
  double *gi = out.add(0, static_cast<Index>(i), cols_), *gj = out.add(0, static_cast<Index>(j), cols_);
  for (std::size_t c = 0; c < d; ++c) {
    gi[c] = 2 * slope * (yi[c] - yj[c]);
    gj[c] = -gi[c];
  }
  return value;
}

Problem PacmapProblem::stage(Index k, const Solution& /*x*/) const {
  PacmapProblem out = *this;
  if (k < n_stages_) {
    const double done = (static_cast<double>(k) + 0.5) / static_cast<double>(n_stages_);
    out.weights_ = {2, (1 - done) * kFirstMid + done * kLastMid, 1};
  } else if (k < 2 * n_stages_) {
    out.weights_ = {3, kLastMid, 1};
  }
  return {"pacmap", std::move(out)};
}

Problem PacmapProblem::with_n_stages(Index n) const {
  PacmapProblem out = *this;
  out.n_stages_ = n;
  return {"pacmap", std::move(out)};
}

static_assert(AnyProblem<PacmapProblem> && FiniteSumProblem<PacmapProblem> && StageNumberProblem<PacmapProblem> &&
              StartsByName<PacmapProblem>);

namespace {

Problem make_pacmap(const Observations& observations, const ValueTable& options, Executor& executor) {
  return {"pacmap", PacmapProblem(observations, PacmapOptions::list().parse(options, "problem 'pacmap'"), executor)};
}

}  // namespace

ProblemEntry pacmap_entry() {
  return {
      .name = "pacmap",
      .summary =
          "PaCMAP: keeps near and mid-near pairs near and further pairs apart, in three phases that place the "
          "whole first",
      .reference = "[WHRS21] Wang, Huang, Rudin & Shaposhnik 2021, Algorithm 1",
      .equation =
          "min over Y: sum over near pairs of s / (10 + s) + sum over further pairs of 1 / (1 + s), s = 1 + |y_i - "
          "y_j|^2; before, near pairs weigh 2 and then 3, and w s / (10,000 + s) over mid-near pairs is added",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<PacmapProblem>(),
      .options = PacmapOptions::list().infos(),
      .make = make_pacmap,
      // The published 100 + 100 + 250 iterations of Adam at rate 1.
      .solver = R"({ name = "continuation",
          solver = { name = "riemannian_sgd", update = "adam", batch_size = 1000000000000, learning_rate = 1.0,
                     schedule = "constant", second_moment = 0.999, epsilon = 1e-7, max_iter = 10 },
          last_solver = { name = "riemannian_sgd", update = "adam", batch_size = 1000000000000, learning_rate = 1.0,
                     schedule = "constant", second_moment = 0.999, epsilon = 1e-7, max_iter = 250 } })",
  };
}

}  // namespace alidade::neighbor
