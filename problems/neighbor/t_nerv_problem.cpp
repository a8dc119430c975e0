// The problem `t_nerv`: NeRV's trade-off between missed and false neighbours under t-SNE's probabilities.
// [VPNAK10] Venna, Peltonen, Nybo, Aidos & Kaski 2010, t-NeRV: with p_ij = (p_j|i + p_i|j) / 2n,
//   q_ij = v_ij / Z,  v_ij = 1 / (1 + |y_i - y_j|^2),  Z = sum v_ij,
//   J = lambda KL(P || Q) + (1 - lambda) KL(Q || P),  dJ/dy_i = 4 sum_j v_ij w_ij (y_i - y_j),
//   w = lambda (p - q) + (1 - lambda) q (KL(Q || P) - ln q/p),
// sums over ordered pairs, in nats; lambda = 1 is t-SNE. ln p is kept in closed form. Memory: one n x n array.
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/memory.hpp"
#include "problems/core/wide_call.hpp"
#include "problems/distances/dissimilarity_rows.hpp"
#include "problems/distances/feature_start.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/map_starts.hpp"
#include "problems/neighbor/nerv_tradeoff.hpp"
#include "problems/neighbor/student_sums.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::neighbor {
namespace {

constexpr Index kRowsOfChunk = 16;
constexpr double kFarthest = 1e140;  // coordinates beyond which squares overflow
// Of an object and itself, and of padding: v and p are 0, and their products stay finite.
constexpr double kNoSquare = 1e300, kNoLogP = -1e9, kPaddingPlace = 1e150;
constexpr double kInfiniteCost = std::numeric_limits<double>::infinity();

struct TNervOptions : NervTradeoff {
  Index n_components = 2;
  std::string start = "tsne";
  double init_scale = 1e-4;
  static const OptionList<TNervOptions>& list() {
    using O = TNervOptions;
    static const OptionList<O> kList =
        dimension_option<O>()
            .include(NervTradeoff::list())
            .text("start", &O::start, {"tsne", "pca", "random"},
                  "tsne: t-SNE's map; pca: principal components; random: normal noise, also where dissimilarities have "
                  "no components")
            .real("init_scale", &O::init_scale, above(0),
                  "for starts pca and random: standard deviation (pca: along its first axis)");
    return kList;
  }
};

/// Sums of a row: of v; or of p ln(p / q) and q ln(q / p), and the forces sum of v (w - (1 - lambda) q KL)(y_i - y_j)
/// and sum of v q (y_i - y_j).
struct RowJob {
  const std::vector<double>* columns;  // d x stride
  std::size_t stride;
  Index d, i;
  double* squares;       // 3 strides: of the row, and room for its two weights
  const double* log_p;   // of the row
  double log_z, lambda;  // for the second pass
  double misses = 0, false_neighbours = 0;
  double *force, *by_false;  // d each; null: not asked for
};

template <int bytes>
[[gnu::always_inline]] inline double sum_kernel(const RowJob& job) {
  using V = Vec<double, bytes>;
  for (Index k = 0; k < job.d; ++k) {
    const double* column = job.columns->data() + static_cast<std::size_t>(k) * job.stride;
    const double own = column[job.i];
    for (std::size_t j = 0; j < job.stride; j += kLanes<V>) {
      const V t = own - load<V>(column + j);
      store<V>(job.squares + j, k == 0 ? V(t * t) : V(load<V>(job.squares + j) + t * t));
    }
  }
  job.squares[job.i] = kNoSquare;
  V sum{};
  for (std::size_t j = 0; j < job.stride; j += kLanes<V>) sum += 1 / (1 + load<V>(job.squares + j));
  return sum_lanes(sum);
}

template <int bytes>
[[gnu::always_inline]] inline void sum_costs(RowJob& job) {
  using V = Vec<double, bytes>;
  sum_kernel<bytes>(job);
  double *own = job.squares + job.stride, *shared = own + job.stride;
  const double inverse_z = std::exp(-job.log_z);
  V misses{}, excess{};
  for (std::size_t j = 0; j < job.stride; j += kLanes<V>) {
    const auto [log, v] = log1p_pair_of_nonnegative(load<V>(job.squares + j));
    const auto log_p = load<V>(job.log_p + j);
    const V q = v * inverse_z, p = exp_of_nonpositive(log_p), r = -log - job.log_z - log_p;
    misses -= p * r;
    excess += q * r;
    store<V>(own + j, v * (job.lambda * (p - q) - (1 - job.lambda) * q * r));
    store<V>(shared + j, v * q);
  }
  job.misses = sum_lanes(misses);
  job.false_neighbours = sum_lanes(excess);
  if (!job.force) return;
  for (Index k = 0; k < job.d; ++k) {
    const double* column = job.columns->data() + static_cast<std::size_t>(k) * job.stride;
    const double place = column[job.i];
    V first{}, second{};
    for (std::size_t j = 0; j < job.stride; j += kLanes<V>) {
      const V t = place - load<V>(column + j);
      first += load<V>(own + j) * t;
      second += load<V>(shared + j) * t;
    }
    job.force[k] = sum_lanes(first);
    job.by_false[k] = sum_lanes(second);
  }
}

class TNervProblem {
 public:
  /// @throws DataError as DissimilarityRows, or if all objects coincide; ConfigError on a perplexity that n does not
  /// allow.
  TNervProblem(const Observations& observations, TNervOptions options, Executor& executor)
      : options_(std::move(options)), starts_(options_.init_scale) {
    const DissimilarityRows rows(observations, "t_nerv");
    require_spread(rows);
    given_.objects = observations.objects;
    given_.features = observations.features;
    given_.precise_features = observations.precise_features;
    if (!given_.features) given_.dissimilarities = observations.dissimilarities;
    const Index n = rows.size();
    require_room_for_pairs("t_nerv", n, sizeof(double), "'tsne', which keeps those of near pairs");
    adapt_default_perplexity(options_, n, notes_);
    const Affinities given = affinities(rows, options_.perplexity, executor);
    if (given.capped > 0) notes_.push_back(capped_note(given.capped, n, options_.perplexity));
    domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, options_.n_components, Euclidean{}}});
    auto log_p = std::make_shared<RowMajorMatrix<double>>(
        RowMajorMatrix<double>::Constant(n, static_cast<Index>(whole_vectors(static_cast<std::size_t>(n))), kNoLogP));
    const double log_total = std::log(2 * static_cast<double>(n));
    rows.for_each(executor, [&](Index i, std::span<const double> squared) {
      for (Index j = 0; j < n; ++j) {
        if (j == i) continue;
        const double a = -given.beta[i] * squared[static_cast<std::size_t>(j)] - given.log_normalizer[i];
        const double b = -given.beta[j] * squared[static_cast<std::size_t>(j)] - given.log_normalizer[j];
        (*log_p)(i, j) = std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))) - log_total;
      }
    });
    log_p_ = std::move(log_p);
    starts_ = {options_.init_scale, rows, options_.n_components, executor};
  }

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] std::vector<std::string> start_names() const {
    std::vector<std::string> out = starts_.names();
    out.insert(out.begin(), "tsne");
    return out;
  }
  [[nodiscard]] Solution start(Rng& rng) const {
    return start_named(options_.start == "pca" ? starts_.names().front() : options_.start, rng);
  }
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const {
    if (kind != "tsne") return starts_.named(kind, *domain_, rng);
    Executor alone;
    Point x = domain_->zero();
    x.block(0) = tsne_start(
        coarse_tsne(given_, options_.n_components, options_.perplexity, kSearchSeedOfStart, false, alone), rng, alone);
    return x;
  }
  [[nodiscard]] Embedding decode(const Solution& x) const {
    const Point& point = std::get<Point>(x);
    Executor alone;
    Evaluation evaluation(alone);
    const auto [misses, false_neighbours] = costs(point, nullptr, evaluation);
    Embedding out{{{"", point.block(0)}}};
    out.estimates = {{"misses", misses}, {"false_neighbours", false_neighbours}};
    return out;
  }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  /// J in nats; infinite if points are too far apart for their squares. O(n^2 d).
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return total(costs(x, nullptr, evaluation));
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    return total(costs(x, &gradient, evaluation));
  }

 private:
  static constexpr std::int64_t kSearchSeedOfStart = 1;

  [[nodiscard]] double total(const std::pair<double, double>& costs) const {
    return options_.lambda * costs.first + (1 - options_.lambda) * costs.second;
  }

  /// KL(P || Q) and KL(Q || P).
  std::pair<double, double> costs(const Point& x, Point* gradient, Evaluation& evaluation) const {
    if (gradient) gradient->set_zero();
    if (!(x.vector().cwiseAbs().maxCoeff() <= kFarthest) || !x.vector().allFinite())
      return x.vector().allFinite() ? std::pair(kInfiniteCost, kInfiniteCost)
                                    : std::pair(std::numeric_limits<double>::quiet_NaN(), 0.0);
    const Index n = log_p_->rows(), d = options_.n_components;
    const auto stride = static_cast<std::size_t>(log_p_->cols());
    const Eigen::RowVectorXd center = x.block(0).colwise().mean();
    std::vector<double> columns(static_cast<std::size_t>(d) * stride, kPaddingPlace);
    for (Index k = 0; k < d; ++k)
      for (Index i = 0; i < n; ++i)
        columns[static_cast<std::size_t>(k) * stride + static_cast<std::size_t>(i)] = x.block(0)(i, k) - center[k];
    const auto each_row = [&](const auto& use) {
      evaluation.executor.run_chunks(n, kRowsOfChunk, [&](const Chunk& chunk) {
        std::vector<double> room(3 * stride);
        for (Index i = chunk.first; i < chunk.last; ++i)
          use(i, RowJob{.columns = &columns,
                        .stride = stride,
                        .d = d,
                        .i = i,
                        .squares = room.data(),
                        .log_p = log_p_->row(i).data(),
                        .log_z = 0,
                        .lambda = options_.lambda,
                        .force = nullptr,
                        .by_false = nullptr});
      });
    };
    const InstructionSet set = best_instruction_set();
    Vector sums(n), misses(n), false_neighbours(n);
    each_row([&](Index i, const RowJob& job) {
      sums[i] = call_in_lanes(
          set, [&](auto bytes) __attribute__((always_inline)) { return sum_kernel<bytes>(job); });
    });
    const double log_z = std::log(sums.sum());
    RowMajorMatrix<double> forces(n, 2 * d);
    each_row([&](Index i, RowJob job) {
      job.log_z = log_z;
      if (gradient) {
        job.force = forces.row(i).data();
        job.by_false = job.force + d;
      }
      call_in_lanes(
          set, [&](auto bytes) __attribute__((always_inline)) { sum_costs<bytes>(job); });
      misses[i] = job.misses;
      false_neighbours[i] = job.false_neighbours;
    });
    const double all_false = false_neighbours.sum();
    if (gradient)
      gradient->block(0) = 4 * (forces.leftCols(d) + (1 - options_.lambda) * all_false * forces.rightCols(d));
    return {misses.sum(), all_false};
  }

  TNervOptions options_;
  FeatureStart starts_;
  Observations given_;  // for the start by t-SNE
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const RowMajorMatrix<double>> log_p_;  // n x stride
  std::vector<std::string> notes_;
};

static_assert(AnyProblem<TNervProblem> && SmoothProblem<TNervProblem> && StartsByName<TNervProblem>);

}  // namespace

ProblemEntry t_nerv_entry() {
  return {
      .name = "t_nerv",
      .summary = "t-NeRV: weighs missed against false neighbours, as nerv does, under t-SNE's heavy-tailed kernel",
      .reference = "[VPNAK10] Venna et al. 2010, t-NeRV",
      .equation =
          "min over Y: lambda KL(P || Q) + (1 - lambda) KL(Q || P), with q_ij ~ 1 / (1 + |y_i - y_j|^2) and "
          "p_ij = (p_j|i + p_i|j) / 2n, over all ordered pairs",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<TNervProblem>(),
      .options = TNervOptions::list().infos(),
      .make = maker_of<TNervProblem, TNervOptions>("t_nerv"),
      .solver = R"({ name = "ceres", max_iter = 3000 })",
  };
}

}  // namespace alidade::neighbor
