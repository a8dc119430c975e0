#include "problems/neighbor/umap_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/inner_minimizers.hpp"
#include "problems/core/text.hpp"
#include "problems/core/vector_math.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade::neighbor {
namespace {

constexpr double kMostForce = 4;  // of a coordinate, in a step
constexpr double kStartRange = 10, kStartNoise = 1e-4;
constexpr Index kFittedPoints = 300;

void check_distances(const UmapOptions& options) {
  require<ConfigError>(options.min_dist <= options.spread,
                       "Problem 'umap': min_dist = {} is above spread = {}. Lower min_dist, or raise spread.",
                       options.min_dist, options.spread);
}

/// The gradient of the row, which a term adds once; zero at first.
double* row_gradient(TermGradient& out, ObjectId row, Index cols) {
  for (const auto& entry : out.entries())
    if (entry.row == static_cast<Index>(row)) return entry.gradient;
  double* added = out.add(0, static_cast<Index>(row), cols);
  std::fill_n(added, cols, 0.0);
  return added;
}

}  // namespace

const OptionList<UmapOptions>& UmapOptions::list() {
  using O = UmapOptions;
  static const OptionList<O> kList =
      dimension_option<O>()
          .integer("n_neighbors", &O::n_neighbors, between(2, 1000),
                   "number of nearest neighbours of an object, itself among them as in the authors' program; a larger "
                   "value is lowered to the number of objects")
          .real("min_dist", &O::min_dist, at_least(0), "distance on the map up to which neighbours may be packed")
          .real("spread", &O::spread, above(0), "scale of the map: how fast the kernel falls beyond min_dist")
          .integer("negative_sample_rate", &O::negative_sample_rate, between(0, 1000),
                   "number of other objects that the head of each edge is repelled from")
          .real("repulsion_strength", &O::repulsion_strength, at_least(0), "weight of the repulsion")
          .real("local_connectivity", &O::local_connectivity, between(0, 1000),
                "number of nearest neighbours that an object is joined to in full")
          .real("set_op_mix_ratio", &O::set_op_mix_ratio, between(0, 1),
                "1: an edge needs one of its ends to list the other; 0: both; between: a mixture")
          .integer(
              "epochs_per_pass", &O::epochs_per_pass, between(1, 1000),
              "an edge of weight v has about so many times v terms, each with negative samples of its own: one pass "
              "over all terms is so many epochs of the authors' program")
          .text("neighbors", &O::neighbors, {"auto", "exact", "approximate"},
                "neighbour search; auto: exact if that takes up to about a minute on one core")
          .seed(&O::seed, "the negative samples and of the approximate search")
          .text("start", &O::start, {"spectral", "pca", "random"},
                "spectral: eigenvectors of the neighbour graph, if it is connected; pca: principal components, of "
                "features; random: normal noise")
          .flag("placement", &O::placement, kPlacementText);
  return kList;
}

UmapKernel fitted_kernel(double min_dist, double spread) {
  const auto squares = [&](const Vector& logs, Vector& gradient) {
    const double a = std::exp(logs[0]), b = std::exp(logs[1]);
    double sum = 0;
    gradient = Vector::Zero(2);
    for (Index k = 0; k < kFittedPoints; ++k) {
      const double x = 3 * static_cast<double>(k) / static_cast<double>(kFittedPoints - 1);  // in units of the spread
      const double wanted = x < min_dist / spread ? 1 : std::exp(min_dist / spread - x);
      const double power = k == 0 ? 0 : a * std::pow(x, 2 * b), w = 1 / (1 + power), off = w - wanted;
      sum += off * off;
      gradient[0] -= 2 * off * w * w * power;
      if (k > 0) gradient[1] -= 2 * off * w * w * power * 2 * b * std::log(x);
    }
    return sum;
  };
  const Vector start = Vector::Zero(2);
  const Vector logs = lowest_place(squares, {&start, 1}, 0.1);
  const double b = std::exp(logs[1]);
  return UmapKernel::of(std::exp(logs[0]) * std::pow(spread, -2 * b), b);
}

UmapProblem::UmapProblem(const Observations& observations, const UmapOptions& options, Executor& executor)
    : cols_(options.n_components),
      negatives_(options.negative_sample_rate),
      repulsion_(options.repulsion_strength),
      kernel_(fitted_kernel(options.min_dist, options.spread)),
      seed_(static_cast<std::uint64_t>(options.seed)),
      start_(options.start),
      features_(1) {
  check_distances(options);
  const DissimilarityRows rows(observations, "umap");
  require_spread(rows);
  const Index n = rows.size(), others = std::min(options.n_neighbors, n) - 1;
  if (options.n_neighbors > n)
    notes_.push_back(fmt::format("n_neighbors lowered from {} to {}, the number of objects.", options.n_neighbors, n));
  domain_ = std::make_shared<const Domain>(std::vector<DomainBlock>{{"map", n, cols_, Euclidean{}}});
  const NearestNeighbors neighbors = nearest_neighbors(rows, others, search_method(options.neighbors), seed_, executor);
  auto graph = fuzzy_graph(neighbors, {options.local_connectivity, options.set_op_mix_ratio}, executor);
  notes_.push_back(fmt::format(
      "{} edges in the graph of {} nearest neighbours ({}), in {} connected part{}; a = {:.4g}, b = {:.4g}.",
      graph.tails.size() / 2, others, neighbors.search, graph.part_count, graph.part_count == 1 ? "" : "s", kernel_.a,
      kernel_.b));
  if (start_ == "spectral" && graph.part_count == 1 && cols_ + 1 < n)
    spectral_ = std::make_shared<const Matrix>(spectral_places(graph, cols_));
  auto samples = std::make_shared<std::vector<Sample>>();
  for (std::size_t e = 0; e < graph.tails.size(); ++e) {
    const float weight = graph.weights[e];
    const auto count = std::max(1L, std::lround(weight * static_cast<float>(options.epochs_per_pass)));
    samples->insert(samples->end(), static_cast<std::size_t>(count),
                    {graph.heads[e], graph.tails[e], weight / static_cast<float>(count)});
  }
  samples_ = std::move(samples);
  places_ = options.placement && !rows.precise_features();
  if (places_) {
    placed_ = rows.features();
    row_ = {others, options.local_connectivity, kernel_, repulsion_ * static_cast<double>(negatives_), Vector::Zero(n)};
    for (std::size_t e = 0; e < graph.heads.size(); ++e)
      row_.degrees[graph.heads[e]] += static_cast<double>(graph.weights[e]);
  }
  if (start_ != "random") features_ = {1, rows, cols_, executor};
}

Embedding UmapProblem::decode(const Solution& x) const {
  Embedding out{{{"", std::get<Point>(x).block(0)}}};
  if (places_ && out.only().allFinite()) out.projector = umap_projector(placed_, out.only(), row_);
  return out;
}

std::vector<std::string> UmapProblem::start_names() const {
  std::vector<std::string> out = features_.names();
  if (spectral_) out.insert(out.begin(), "spectral");
  return out;
}

Solution UmapProblem::start_named(std::string_view kind, Rng& rng) const {
  Point x = domain_->random(rng);
  const Matrix noise = x.block(0);
  if (kind == "spectral" && spectral_)
    x.block(0) = *spectral_;
  else
    x = features_.named(kind, *domain_, rng);
  for (Index c = 0; c < cols_; ++c) {
    auto column = x.block(0).col(c);
    const double low = column.minCoeff(), range = column.maxCoeff() - low;
    if (range > 0) column = kStartRange * ((column.array() - low) / range - 0.5);
  }
  x.block(0) += kStartNoise * noise;
  return x;
}

ObjectId UmapProblem::negative(TermIndex index, Index k) const {
  // Two halves of one hash; n < 2^32, so no object is favoured by more than n 2^-32.
  const auto pair = static_cast<std::uint64_t>(k / 2), pairs = static_cast<std::uint64_t>((negatives_ + 1) / 2);
  const std::uint64_t hash = Rng::derive(seed_ + 0x9e3779b97f4a7c15ULL * (index * pairs + pair));
  const std::uint64_t half = k % 2 == 0 ? hash >> 32 : hash & 0xffffffffULL;
  return static_cast<ObjectId>((half * static_cast<std::uint64_t>(domain_->blocks().front().rows)) >> 32);
}

template <class Real>
double UmapProblem::sample_term(const Point& x, TermIndex index, TermGradient& out) const {
  constexpr bool as_published = std::is_same_v<Real, float>;
  using V = Vec<Real, 16>;  // wider ones are taken apart where the processor may have no more
  constexpr std::size_t kPairsAtOnce = kLanes<V>;
  const auto d = static_cast<std::size_t>(cols_), pairs = 1 + static_cast<std::size_t>(negatives_);
  const double* y = x.flat().data();
  const auto [head, tail, sample_weight] = (*samples_)[index];
  const double* yi = y + head * d;
  double* own = row_gradient(out, head, cols_);
  double value = 0;
  for (std::size_t first = 0; first < pairs; first += kPairsAtOnce) {
    const std::size_t count = std::min(kPairsAtOnce, pairs - first);
    std::array<ObjectId, kPairsAtOnce> others;
    V squared{};
    for (std::size_t p = 0; p < count; ++p) {
      others[p] = first + p == 0 ? tail : negative(index, static_cast<Index>(first + p) - 1);
      const double* yk = y + others[p] * d;
      double sum = 0;
      for (std::size_t c = 0; c < d; ++c) sum += (yi[c] - yk[c]) * (yi[c] - yk[c]);
      squared[p] = static_cast<Real>(sum);
    }
    const PairForces<V> forces = forces_of(kernel_, squared);
    for (std::size_t p = 0; p < count; ++p) {
      if (others[p] == head) continue;
      const bool attracts = first + p == 0;
      const double share = attracts ? 1 : 0.5;  // of the force that the published program applies to the head alone
      const double weight = share * static_cast<double>(sample_weight);
      const double strength = attracts ? 1 : repulsion_;
      value += weight * strength * static_cast<double>(attracts ? forces.attraction[p] : forces.repulsion[p]);
      const double slope = 2 * strength * static_cast<double>(attracts ? forces.attracting[p] : forces.repelling[p]);
      double* other = row_gradient(out, others[p], cols_);
      const double* yk = y + others[p] * d;
      for (std::size_t c = 0; c < d; ++c) {
        double force = slope * (yi[c] - yk[c]);
        if constexpr (as_published) force = std::clamp(force, -kMostForce, kMostForce);
        own[c] += weight * force;
        other[c] -= weight * force;
      }
    }
  }
  return value;
}

template double UmapProblem::sample_term<float>(const Point&, TermIndex, TermGradient&) const;
template double UmapProblem::sample_term<double>(const Point&, TermIndex, TermGradient&) const;

static_assert(AnyProblem<UmapProblem> && FiniteSumProblem<UmapProblem> && DirectedSum<UmapProblem> &&
              StartsByName<UmapProblem>);

namespace {

void check_umap(const ValueTable& options) { check_distances(UmapOptions::list().parse(options, "problem 'umap'")); }

}  // namespace

ProblemEntry umap_entry() {
  return {
      .name = "umap",
      .summary =
          "UMAP: keeps the weights of the graph of nearest neighbours, by attraction along edges and repulsion of "
          "drawn pairs",
      .reference = "[MHM18] McInnes, Healy & Melville 2018; its loss in [DH21] Damrich & Hamprecht 2021",
      .equation =
          "min over Y: sum over edges i -> j of v_ij (-ln w_ij - (repulsion_strength / 2) sum over "
          "negative_sample_rate "
          "others k of ln(1 - w_ik)), with w_ij = 1 / (1 + a |y_i - y_j|^2b), v_ij the memberships of neighbours",
      .needs = {ObservationKind::distances},
      .offers = borderless_offer<UmapProblem>(),
      .options = UmapOptions::list().infos(),
      .make = maker_of<UmapProblem, UmapOptions>("umap"),
      .check = check_umap,
      // 200 published epochs, with half the published rate: a sample weighs 1 / epochs_per_pass, so 10 were the
      // published one. With it, the first pass on MNIST ends above the start, which costs that pass.
      .solver = R"({ name = "riemannian_sgd", update = "plain", batch_size = 1, learning_rate = 5.0,
          schedule = "linear", final_fraction = 0.0, max_iter = 20 })",
      .places_objects = true,
  };
}

}  // namespace alidade::neighbor
