#include "problems/neighbor/pacmap_problem.hpp"

#include <cmath>
#include <span>
#include <utility>

#include "problems/contract/problem_model.hpp"
#include "problems/core/drawn_numbers.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/nearest_neighbors.hpp"

namespace alidade::neighbor {
namespace {

constexpr double kMidScale = 10'000;
constexpr double kFirstMid = 1000, kLastMid = 3;  // weights of mid-near pairs in the first phase
constexpr Index kMoreNeighbors = 50;              // among which the scaled distance chooses
constexpr Index kObjectsAtOnce = 256;
constexpr std::size_t kMidDrawn = 6;  // of which the second nearest is a mid-near one

/// Squared dissimilarity of two objects.
double squared_between(const DissimilarityRows& rows, Index i, Index j) {
  if (rows.features())
    return (rows.features()->row(i).cast<double>() - rows.features()->row(j).cast<double>()).squaredNorm();
  if (rows.precise_features()) return (rows.precise_features()->row(i) - rows.precise_features()->row(j)).squaredNorm();
  return rows.squared()(i, j);
}

/// Writes those of the listed neighbours of i that have the smallest distances in units of both objects.
void nearest_scaled(const NearestNeighbors& neighbors, const Vector& unit, Index i, std::span<ObjectId> out) {
  std::vector<std::pair<double, ObjectId>> all;
  for (Index c = 0; c < neighbors.ids.cols(); ++c) {
    const ObjectId j = neighbors.ids(i, c);
    all.emplace_back(neighbors.squared_distances(i, c) / (unit[i] * unit[j]), j);
  }
  std::ranges::partial_sort(all, all.begin() + std::ssize(out));
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = all[c].second;
}

/// Writes distinct objects, each the second nearest of a few others.
void mid_near(const DissimilarityRows& rows, Index i, Rng rng, std::span<ObjectId> out) {
  const auto n = static_cast<std::size_t>(rows.size());
  std::vector<ObjectId> taken{static_cast<ObjectId>(i)}, drawn;
  std::vector<std::pair<double, ObjectId>> sorted;
  for (ObjectId& picked : out) {
    draw_others(std::min(kMidDrawn, n - taken.size()), n, taken, rng, drawn);
    sorted.clear();
    for (const ObjectId j : drawn) sorted.emplace_back(squared_between(rows, i, j), j);
    std::ranges::sort(sorted);
    picked = sorted[std::min<std::size_t>(1, sorted.size() - 1)].second;
    taken.insert(std::ranges::lower_bound(taken, picked), picked);
  }
}

std::span<ObjectId> row_of(RowMajorMatrix<ObjectId>& ids, Index i) {
  return {ids.data() + i * ids.cols(), static_cast<std::size_t>(ids.cols())};
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
          .seed(&O::seed, "the drawn pairs and of the approximate search")
          .text("start", &O::start, {"pca", "random"},
                "pca: principal components; random: normal noise. For dissimilarities, always random")
          .real("init_scale", &O::init_scale, above(0), "standard deviation of the start (pca: along its first axis)")
          .flag("placement", &O::placement, kPlacementText);
  return kList;
}

PacmapProblem::PacmapProblem(const Observations& observations, const PacmapOptions& options, Executor& executor)
    : cols_(options.n_components), n_stages_(options.n_stages), starts_(options.init_scale) {
  const DissimilarityRows rows(observations, "pacmap");
  require_spread(rows);
  const Index n = rows.size();
  Index k = std::min(options.n_neighbors, n - 1);
  if (k == n - 1 && options.fp_ratio > 0)  // or nothing would repel
    k = std::max<Index>(1, std::lround(static_cast<double>(n - 1) / (1 + options.fp_ratio)));
  if (options.n_neighbors > k)
    notes_.push_back(
        fmt::format("n_neighbors lowered from {} to {} of the {} other objects.", options.n_neighbors, k, n - 1));
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, cols_, Euclidean{}}});
  const NearestNeighbors neighbors =
      nearest_neighbors(rows, std::min(k + kMoreNeighbors, n - 1), search_method(options.neighbors),
                        static_cast<std::uint64_t>(options.seed), executor);
  Vector unit(n);
  for (Index i = 0; i < n; ++i) unit[i] = pacmap_unit(neighbors.squared_distances.row(i));
  const auto as_count = [&](double ratio, Index most) {
    return std::min(most, static_cast<Index>(std::lround(ratio * static_cast<double>(k))));
  };
  const auto seed = static_cast<std::uint64_t>(options.seed);
  auto pairs = std::make_shared<PacmapPairs>();
  pairs->near.resize(n, k);
  pairs->far.resize(n, as_count(options.fp_ratio, n - 1 - k));
  pairs->mid.resize(n, as_count(options.mn_ratio, n - 1));
  executor.run_chunks(n, kObjectsAtOnce, [&](const Chunk& chunk) {
    std::vector<ObjectId> taken, drawn;
    for (Index i = chunk.first; i < chunk.last; ++i) {
      const std::span near = row_of(pairs->near, i);
      nearest_scaled(neighbors, unit, i, near);
      taken.assign(near.begin(), near.end());
      taken.push_back(static_cast<ObjectId>(i));
      std::ranges::sort(taken);
      Rng rng = Rng::stream(seed, "further", i);
      draw_others(static_cast<std::size_t>(pairs->far.cols()), static_cast<std::size_t>(n), taken, rng, drawn);
      std::ranges::copy(drawn, row_of(pairs->far, i).begin());
      mid_near(rows, i, Rng::stream(seed, "mid-near", i), row_of(pairs->mid, i));
    }
  });
  notes_.push_back(fmt::format("Pairs of each object: {} near ({}), {} mid-near, {} further.", k, neighbors.search,
                               pairs->mid.cols(), pairs->far.cols()));
  places_ = options.placement && !rows.precise_features();
  if (places_) {
    placed_ = rows.features();
    row_ = {k, k + kMoreNeighbors, pairs->far.cols(), unit};
  }
  pairs_ = std::move(pairs);
  if (options.start == "pca") starts_ = {options.init_scale, rows, cols_, executor};
}

Embedding PacmapProblem::decode(const Solution& x) const {
  Embedding out{{{"", std::get<Point>(x).block(0)}}};
  if (places_ && out.only().allFinite()) out.projector = pacmap_projector(placed_, out.only(), row_);
  return out;
}

double PacmapProblem::term(const Point& x, TermIndex index, TermGradient& out) const {
  const Index n = domain_->blocks().front().rows, object = static_cast<Index>(index);
  const Index i = object < n ? object : object - n;
  const double *y = x.flat().data(), *yi = y + i * cols_;
  double* own = out.add(0, i, cols_);
  std::fill_n(own, cols_, 0.0);
  double total = 0;
  // `loss` returns the value and the slope at s.
  const auto add = [&](const RowMajorMatrix<ObjectId>& partners, const auto& loss) {
    for (Index c = 0; c < partners.cols(); ++c) {
      const auto j = static_cast<Index>(partners(i, c));
      const double* yj = y + j * cols_;
      double s = 1;
      for (Index k = 0; k < cols_; ++k) s += (yi[k] - yj[k]) * (yi[k] - yj[k]);
      const auto [value, slope] = loss(s);
      total += value;
      double* other = out.add(0, j, cols_);
      for (Index k = 0; k < cols_; ++k) {
        const double force = 2 * slope * (yi[k] - yj[k]);
        own[k] += force;
        other[k] = -force;
      }
    }
  };
  const auto attraction = [](double weight, double scale) {
    return [=](double s) {
      const double inverse = 1 / (scale + s);
      return std::pair(weight * s * inverse, weight * (scale * inverse) * inverse);
    };
  };
  if (object >= n) {
    add(pairs_->mid, attraction(weights_.mid, kMidScale));
    return total;
  }
  add(pairs_->near, attraction(weights_.near, kPacmapNearScale));
  add(pairs_->far, [&](double s) {
    const double inverse = 1 / (1 + s);
    return std::pair(weights_.far * inverse, -weights_.far * inverse * inverse);
  });
  return total;
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
      .make = maker_of<PacmapProblem, PacmapOptions>("pacmap"),
      // The published 100 + 100 + 250 iterations of Adam at rate 1.
      .solver = R"({ name = "continuation",
          solver = { name = "riemannian_sgd", update = "adam", batch_size = 1000000000000, learning_rate = 1.0,
                     schedule = "constant", second_moment = 0.999, epsilon = 1e-7, max_iter = 10 },
          last_solver = { name = "riemannian_sgd", update = "adam", batch_size = 1000000000000, learning_rate = 1.0,
                     schedule = "constant", second_moment = 0.999, epsilon = 1e-7, max_iter = 250 } })",
      .places_objects = true,
  };
}

}  // namespace alidade::neighbor
