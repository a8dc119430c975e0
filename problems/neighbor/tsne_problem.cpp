#include "problems/neighbor/tsne_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/neighbor/affinities.hpp"
#include "problems/neighbor/grid_repulsion.hpp"
#include "problems/neighbor/out_of_sample.hpp"
#include "problems/neighbor/space_tree.hpp"
#include "problems/neighbor/symmetric_affinities.hpp"

namespace alidade::neighbor {
namespace {

/// Of exaggeration times (n - 1) lambda; at 1, a mode of a small map neither grows nor shrinks.
constexpr double kLargestShrinkage = 0.9;
constexpr Index kPointsPerChunk = 64;
constexpr Index kBucketsAtOnce = 4;
constexpr std::size_t kRowsAhead = 2;  // a row is asked for before it is read
// Of a grid that takes less time than the tree: 50 ns a node, against 0.4 us a point, or 1.4 where kernels are powers.
constexpr std::size_t kNodesPerPoint = 6, kNodesPerPointOfPowers = 24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Sums of one kind for each point, and their total.
struct Pull {
  std::vector<double> force, magnitude;  // n x d
  std::vector<double> weight;            // n
  double total = 0;

  void resize(std::size_t n, std::size_t d, bool split) {
    force.resize(n * d);
    magnitude.resize(split ? n * d : 0);
    weight.resize(split ? n : 0);
  }
  /// Room for points from `first` on.
  [[nodiscard]] SumsOut at(std::size_t first, std::size_t d) {
    return {force.data() + first * d, magnitude.empty() ? nullptr : magnitude.data() + first * d,
            weight.empty() ? nullptr : weight.data() + first};
  }
};

template <class Real>
struct RealScratch {
  std::vector<Real> y;        // n x d
  std::vector<Real> columns;  // (d + 1) x stride: coordinates, and weights of 1
  GridRepulsion<Real> grid;
};

void check_together(const TsneOptions& options) {
  const bool by_tree = options.method == "barnes_hut" || options.method == "fft";
  require<ConfigError>(!by_tree || options.n_components <= SpaceTree<float>::kMostDimensions,
                       "Problem 'tsne': method = \"{}\" makes maps of up to 3 dimensions, not {}. Set "
                       "method = \"exact\".",
                       options.method, options.n_components);
}

}  // namespace

struct TsneScratch {
  Pull attraction, repulsion, ordered;
  std::vector<std::uint32_t> order;  // of `ordered`
  std::vector<double> parts;
  RealScratch<float> in_float;
  RealScratch<double> in_double;
  template <class Real>
  [[nodiscard]] RealScratch<Real>& of() {
    if constexpr (std::is_same_v<Real, float>) {
      return in_float;
    } else {
      return in_double;
    }
  }
};

class TsneForces {
 public:
  virtual ~TsneForces() = default;
  [[nodiscard]] virtual double sum_p_log_p() const = 0;
  /// See laplacian_eigenvalue().
  [[nodiscard]] virtual double eigenvalue(Index k, double sufficient, Executor& executor) const = 0;
  /// Coordinates beyond which squares overflow.
  [[nodiscard]] virtual double farthest() const = 0;
  /// Z per object below which it drowns in the rounding of sums that include each object's kernel with itself.
  [[nodiscard]] virtual double least_sum() const = 0;
  /// Fills attraction and repulsion for y (n x d); repulsion.total is Z.
  virtual void operator()(std::span<const double> y, Index d, double nu, bool split, TsneScratch& scratch,
                          Executor& executor) const = 0;
};

namespace {

template <class Real>
class ForcesIn final : public TsneForces {
 public:
  /// `theta` < 0: no tree. `by_grid`: rather by a grid than by the tree, where that takes less time.
  ForcesIn(SymmetricAffinities<Real> affinities, double theta, bool by_grid)
      : p_(std::move(affinities)), theta_(theta), by_grid_(by_grid) {}

  double sum_p_log_p() const override { return p_.sum_p_log_p; }
  double eigenvalue(Index k, double sufficient, Executor& executor) const override {
    return laplacian_eigenvalue(p_, k, sufficient, executor);
  }
  double farthest() const override { return std::is_same_v<Real, float> ? 1e15 : 1e150; }
  double least_sum() const override { return 1e4 * static_cast<double>(std::numeric_limits<Real>::epsilon()); }

  void operator()(std::span<const double> y, Index d, double nu, bool split, TsneScratch& scratch,
                  Executor& executor) const override {
    const auto n = static_cast<std::size_t>(p_.size()), dims = static_cast<std::size_t>(d);
    RealScratch<Real>& points = scratch.of<Real>();
    points.y.assign(n * dims, Real{0});
    for (std::size_t k = 0; k < n * dims; ++k) points.y[k] = static_cast<Real>(y[k]);
    scratch.attraction.resize(n, dims, split);
    scratch.repulsion.resize(n, dims, split);
    const bool all_pairs = p_.ids.empty() || theta_ < 0;
    const std::size_t stride = whole_vectors(n);
    if (all_pairs) {
      points.columns.assign((dims + 1) * stride, Real{0});
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < dims; ++c) points.columns[c * stride + i] = points.y[i * dims + c];
        points.columns[dims * stride + i] = 1;
      }
    }
    std::span<const std::uint32_t> order;  // in which neighbours follow one another, so that they are in caches
    if (all_pairs) {
      const Sources<Real> all{points.columns.data(), stride, points.columns.data() + dims * stride, stride};
      sum_chunks(p_.size(), kPointsPerChunk, scratch.parts, executor, scratch.repulsion,
                 [&](std::size_t first, std::size_t last) {
                   return student_sums<Real>(true, rows(points.y, dims, first, last), d, nu, all,
                                             scratch.repulsion.at(first, dims));
                 });
    } else if (const auto total =
                   d == 2 && !split && by_grid_
                       ? points.grid.sums(points.y, nu, (nu == 1 ? kNodesPerPoint : kNodesPerPointOfPowers) * n,
                                          scratch.repulsion.force.data(), executor)
                       : std::nullopt) {
      scratch.repulsion.total = *total;
      order = points.grid.order();
    } else {
      repel_by_tree(points, d, nu, split, scratch, executor);
      order = scratch.order;
    }
    scratch.repulsion.total -= static_cast<double>(n);  // of each point and itself
    attract(points, order, d, nu, scratch, executor);
  }

 private:
  static std::span<const Real> rows(std::span<const Real> y, std::size_t d, std::size_t first, std::size_t last) {
    return y.subspan(first * d, (last - first) * d);
  }

  /// into.total = sum of sums(first, last) over chunks, in their order.
  template <class Sums>
  static void sum_chunks(Index count, Index at_once, std::vector<double>& parts, Executor& executor, Pull& into,
                         const Sums& sums) {
    parts.assign(static_cast<std::size_t>(chunk_count(count, at_once)), 0.0);
    executor.run_chunks(count, at_once, [&](const Chunk& chunk) {
      parts[static_cast<std::size_t>(chunk.number)] =
          sums(static_cast<std::size_t>(chunk.first), static_cast<std::size_t>(chunk.last));
    });
    into.total = 0;
    for (const double part : parts) into.total += part;
  }

  /// `order`: the points, or none: as they are numbered.
  void attract(const RealScratch<Real>& points, std::span<const std::uint32_t> order, Index d, double nu,
               TsneScratch& scratch, Executor& executor) const {
    const auto dims = static_cast<std::size_t>(d);
    sum_chunks(p_.size(), kPointsPerChunk, scratch.parts, executor, scratch.attraction,
               [&](std::size_t first, std::size_t last) {
                 std::vector<Real> near;
                 double sum = 0;
                 for (std::size_t k = first; k < last; ++k) {
                   const std::size_t i = order.empty() ? k : order[k];
                   if (k + kRowsAhead < order.size()) fetch(order[k + kRowsAhead]);
                   const std::size_t begin = p_.begin[i], count = p_.begin[i + 1] - begin;
                   Sources<Real> sources{points.columns.data(), count, p_.values.data() + begin, count};
                   if (!p_.ids.empty()) {
                     if (near.size() < dims * count) near.resize(dims * count);
                     copy_places<Real>(points.y, d, {p_.ids.data() + begin, count}, near.data());
                     sources.coordinates = near.data();
                   }
                   sum += student_sums<Real>(false, rows(points.y, dims, i, i + 1), d, nu, sources,
                                             scratch.attraction.at(i, dims));
                 }
                 return sum;
               });
  }

  /// Asks for a row of P before it is read: rows that follow one another in an order lie anywhere.
  void fetch(std::size_t i) const {
    for (std::size_t entry = p_.begin[i]; entry < p_.begin[i + 1]; entry += kPointsAtOnce) {
      __builtin_prefetch(p_.ids.data() + entry);
      __builtin_prefetch(p_.values.data() + entry);
    }
  }

  void repel_by_tree(const RealScratch<Real>& points, Index d, double nu, bool split, TsneScratch& scratch,
                     Executor& executor) const {
    const auto dims = static_cast<std::size_t>(d);
    const SpaceTree<Real> tree(points.y, d);
    const auto& buckets = tree.buckets();
    Pull& ordered = scratch.ordered;
    ordered.resize(static_cast<std::size_t>(p_.size()), dims, split);
    sum_chunks(std::ssize(buckets), kBucketsAtOnce, scratch.parts, executor, scratch.repulsion,
               [&](std::size_t first, std::size_t last) {
                 typename SpaceTree<Real>::Interactions interactions;
                 double sum = 0;
                 for (std::size_t b = first; b < last; ++b) {
                   tree.interactions(buckets[b], theta_, interactions);
                   sum += student_sums<Real>(true, rows(tree.ordered_points(), dims, buckets[b].begin, buckets[b].end),
                                             d, nu, interactions.sources(d), ordered.at(buckets[b].begin, dims));
                 }
                 return sum;
               });
    scratch.order.assign(tree.order().begin(), tree.order().end());
    for (std::size_t k = 0; k < tree.order().size(); ++k) {
      const std::size_t i = tree.order()[k];
      for (std::size_t c = 0; c < dims; ++c) {
        scratch.repulsion.force[i * dims + c] = ordered.force[k * dims + c];
        if (split) scratch.repulsion.magnitude[i * dims + c] = ordered.magnitude[k * dims + c];
      }
      if (split) scratch.repulsion.weight[i] = ordered.weight[k];
    }
  }

  SymmetricAffinities<Real> p_;
  double theta_;
  bool by_grid_;
};

template <class Real>
std::shared_ptr<const TsneForces> make_forces(const DissimilarityRows& rows, double perplexity, bool exact,
                                              const TsneOptions& options, std::vector<std::string>& notes,
                                              Executor& executor) {
  auto affinities = exact ? affinities_of_all<Real>(rows, perplexity, executor)
                          : affinities_of_nearest<Real>(rows, perplexity, search_method(options.neighbors),
                                                        static_cast<std::uint64_t>(options.seed), executor);
  const bool by_grid = options.method != "barnes_hut" && options.n_components == 2;
  if (exact) {
    notes.push_back("Affinities and repulsion come from all pairs.");
  } else {
    notes.push_back(fmt::format(
        "Affinities come from the {} nearest neighbours of each object ({}); repulsion {}.",
        std::clamp(static_cast<Index>(3 * perplexity), Index{2}, rows.size() - 1), affinities.search,
        options.theta == 0 ? "from all pairs"
                           : fmt::format("by {} tree, theta = {}", by_grid ? "a grid, or where that is slower a" : "a",
                                         options.theta)));
  }
  if (affinities.capped > 0)
    notes.push_back(
        fmt::format("{} objects have more nearest neighbours at the same distance "
                    "than the perplexity.",
                    affinities.capped));
  return std::make_shared<const ForcesIn<Real>>(std::move(affinities), options.theta > 0 ? options.theta : -1, by_grid);
}

}  // namespace

const OptionList<TsneOptions>& TsneOptions::list() {
  using O = TsneOptions;
  static const OptionList<O> kList =
      dimension_option<O>()
          .real("perplexity", &O::perplexity, above(1),
                "effective number of neighbours; a larger value is lowered to a third of the "
                "other objects")
          .text("method", &O::method, {"auto", "exact", "barnes_hut", "fft"},
                "exact: affinities and repulsion of all pairs; barnes_hut: affinities of nearest "
                "neighbours, repulsion by a tree; fft: the same, in the plane by a grid and Fourier transforms "
                "where that is faster; auto: exact up to 2000 objects or above 3 dimensions, else fft")
          .real("theta", &O::theta, between(0, 1),
                "for the tree: distant points are grouped if the width of the group < theta * "
                "distance; 0: no groups, and no grid")
          .real(
              "exaggeration", &O::exaggeration, at_least(1),
              "factor of the attraction in the first stage; 1: only one stage; lowered where the map would shrink to a "
              "point")
          .real("degrees_of_freedom", &O::degrees_of_freedom, above(0),
                "nu of the kernel (1 + s / nu)^(-(nu + 1) / 2); values below 1 give tighter "
                "clusters")
          .text("neighbors", &O::neighbors, {"auto", "exact", "approximate"},
                "neighbour search; auto: exact if that takes up to about a minute on one core")
          .seed(&O::seed, "the approximate search")
          .text("start", &O::start, {"pca", "random"},
                "pca: principal components; random: normal noise. For dissimilarities, always "
                "random")
          .real("init_scale", &O::init_scale, above(0), "standard deviation of the start (pca: along its first axis)")
          .text("precision", &O::precision, {"float", "double"}, "precision of the sums over pairs")
          .flag("placement", &O::placement, kPlacementText);
  return kList;
}

TsneProblem::TsneProblem(const Observations& observations, const TsneOptions& options, Executor& executor)
    : path_exaggeration_(options.exaggeration),
      freedom_(options.degrees_of_freedom),
      perplexity_(options.perplexity),
      start_(options.start),
      starts_(options.init_scale) {
  check_together(options);
  const DissimilarityRows rows(observations, "tsne");
  require_spread(rows);
  const Index n = rows.size();
  const double largest = largest_usual_perplexity(n);
  if (perplexity_ > largest) {
    notes_.push_back(lowered_perplexity_note(perplexity_, largest));
    perplexity_ = largest;
  }
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, options.n_components, Euclidean{}}});
  const bool exact = options.method == "exact" ||
                     (options.method == "auto" &&
                      (n <= kLargestWithoutTree || options.n_components > SpaceTree<float>::kMostDimensions));
  const auto of_affinities = std::ssize(notes_);
  forces_ = options.precision == "float" ? make_forces<float>(rows, perplexity_, exact, options, notes_, executor)
                                         : make_forces<double>(rows, perplexity_, exact, options, notes_, executor);
  if (auto note = lower_exaggeration(executor); !note.empty())
    notes_.insert(notes_.begin() + of_affinities, std::move(note));
  starts_ = {options.init_scale, rows, options.n_components, executor};
  if (start_ == "pca") start_ = starts_.names().front();
  features_ = rows.features();
  places_ = options.placement && !rows.precise_features();
}

std::string TsneProblem::lower_exaggeration(Executor& executor) {
  const DomainBlock& map = domain_->blocks().front();
  const double asked = path_exaggeration_;
  std::string reason;
  const auto lower_to = [&](double largest, std::string why) {
    if (path_exaggeration_ <= largest) return;
    path_exaggeration_ = std::max(1.0, largest);
    reason = std::move(why);
  };
  lower_to(static_cast<double>(map.rows) / (3 * perplexity_),
           "the number of objects divided by three times the perplexity");
  if (path_exaggeration_ > 1)
    if (const double eigenvalue =
            forces_->eigenvalue(std::min(map.cols + 1, map.rows), kLargestShrinkage / path_exaggeration_, executor);
        eigenvalue > 0)
      lower_to(kLargestShrinkage / eigenvalue,
               fmt::format("as the map of these data would shrink to a point from {:.4g} on", 1 / eigenvalue));
  return reason.empty()
             ? std::string()
             : fmt::format("Exaggeration lowered from {:.4g} to {:.4g}, {}.", asked, path_exaggeration_, reason);
}

Embedding TsneProblem::decode(const Solution& x) const {
  Embedding out{{{"", std::get<Point>(x).block(0)}}};
  if (places_ && out.only().allFinite()) out.projector = tsne_projector(features_, out.only(), perplexity_, freedom_);
  return out;
}

double TsneProblem::evaluate(const Point& x, Point* gradient, SplitGradient* split, Evaluation& evaluation) const {
  const Index d = domain_->blocks().front().cols;
  const auto n = static_cast<std::size_t>(x.size() / d), dims = static_cast<std::size_t>(d);
  if (gradient) gradient->set_zero();
  if (split) {
    split->plus.set_zero();
    split->minus.set_zero();
  }
  if (!(x.vector().cwiseAbs().maxCoeff() <= forces_->farthest()) || !x.vector().allFinite())
    return x.vector().allFinite() ? kInfinity : std::numeric_limits<double>::quiet_NaN();

  auto& scratch = evaluation.scratch<TsneScratch>([] { return TsneScratch{}; });
  (*forces_)(x.flat(), d, freedom_, split != nullptr, scratch, evaluation.executor);
  const Pull &attraction = scratch.attraction, &repulsion = scratch.repulsion;
  const double Z = repulsion.total;
  if (!(Z > forces_->least_sum() * static_cast<double>(n))) return kInfinity;
  // grad_i = c (a A_i - R_i / Z)
  const double c = 2 * (freedom_ + 1) / freedom_, a = exaggeration_, inverse_z = 1 / Z;
  if (gradient)
    for (std::size_t k = 0; k < n * dims; ++k)
      gradient->flat()[k] = c * (a * attraction.force[k] - inverse_z * repulsion.force[k]);
  if (split)
    for (std::size_t k = 0; k < n * dims; ++k) {
      const auto halves = [&](const Pull& pull) {
        return std::pair{0.5 * std::max(0.0, pull.magnitude[k] + pull.force[k]),
                         0.5 * std::max(0.0, pull.magnitude[k] - pull.force[k])};
      };
      const auto [attracted_down, attracted_up] = halves(attraction);
      const auto [repelled_up, repelled_down] = halves(repulsion);
      const double plus = c * (a * attracted_down + inverse_z * repelled_down);
      const double minus = c * (a * attracted_up + inverse_z * repelled_up);
      const double weight = c * (a * attraction.weight[k / dims] + inverse_z * repulsion.weight[k / dims]);
      split->plus.flat()[k] = plus;
      split->minus.flat()[k] = minus;
      const double unit = (plus + minus) / weight;
      split->unit.flat()[k] = unit > 0 && unit < kInfinity ? unit : 1;
    }
  return a * (forces_->sum_p_log_p() + 0.5 * (freedom_ + 1) * attraction.total) + std::log(Z);
}

double TsneProblem::value(const Point& x, Evaluation& evaluation) const {
  return evaluate(x, nullptr, nullptr, evaluation);
}

double TsneProblem::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  return evaluate(x, &gradient, nullptr, evaluation);
}

double TsneProblem::value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& evaluation) const {
  return evaluate(x, nullptr, &out, evaluation);
}

Problem TsneProblem::stage(Index k, const Solution& /*x*/) const {
  TsneProblem out = *this;
  out.exaggeration_ = k + 1 < stage_count() ? path_exaggeration_ : 1;
  return {"tsne", std::move(out)};
}

static_assert(AnyProblem<TsneProblem> && SmoothProblem<TsneProblem> && SplitGradientProblem<TsneProblem> &&
              StagedProblem<TsneProblem> && StartsByName<TsneProblem>);

namespace {

void check_tsne(const ValueTable& options) { check_together(TsneOptions::list().parse(options, "problem 'tsne'")); }

}  // namespace

ProblemEntry tsne_entry() {
  return {
      .name = "tsne",
      .summary = "t-SNE: keeps neighbour probabilities with a heavy-tailed kernel; exact, by a grid or by a tree",
      .reference =
          "[vdMH08] van der Maaten & Hinton 2008; [vdM14] van der Maaten 2014; [LRHSK19] Linderman et al. "
          "2019",
      .equation =
          "min over Y: KL(P || Q) = sum over i != j of p_ij ln(p_ij / q_ij), with q_ij ~ (1 + |y_i "
          "- y_j|^2 / nu)^(-(nu + 1) / 2), p_ij = (p_j|i + p_i|j) / 2n",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<TsneProblem>(),
      .options = TsneOptions::list().infos(),
      .make = maker_of<TsneProblem, TsneOptions>("tsne"),
      .check = check_tsne,
      .solver =
          R"({ name = "continuation", solver = { name = "gradient_descent", momentum = 0.5, max_iter = 250 },
          last_solver = { name = "gradient_descent", momentum = 0.8, max_iter = 750 } })",
      .places_objects = true,
  };
}

}  // namespace alidade::neighbor
