#include "problems/multiview/score_problem.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"
#include "problems/multiview/score_term.hpp"
#include "problems/multiview/tangent_map.hpp"
#include "problems/triplet_sums/chunk_sums.hpp"

namespace alidade::multiview {
namespace {

constexpr std::size_t kObjects = 0, kNormals = 1, kDeltas = 2;  // blocks
constexpr std::size_t kNamedInNotes = 5;
constexpr double kLeastLogitStart = 1e-6;  // logits of 0 and 1 are infinite

DeltaMode mode_of(const std::string& name) {
  if (name == "fixed") return DeltaMode::fixed;
  if (name == "gradient") return DeltaMode::gradient;
  return name == "em" ? DeltaMode::em : DeltaMode::algorithm_1;
}

/// kappa times the unit vector along `mu`. @throws ConfigError
Vector prior_of(const ScoreOptions& options, Index columns) {
  if (options.kappa == 0) return {};
  Vector mu = Vector::Zero(columns);
  mu[columns - 1] = 1;
  std::string text = options.mu;
  std::ranges::replace(text, ',', ' ');
  std::vector<double> numbers;
  for (std::string_view rest = trim(text); !rest.empty(); rest = trim(rest)) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    const auto number = parse_double(word);
    require<ConfigError>(number && std::isfinite(*number), "score: mu = \"{}\" is not a list of numbers: '{}'.",
                         options.mu, word);
    numbers.push_back(*number);
    rest.remove_prefix(word.size());
  }
  if (!numbers.empty()) {
    require<ConfigError>(static_cast<Index>(numbers.size()) == columns,
                         "score: mu has {} numbers, but with n_components = {} it needs {}.", numbers.size(),
                         columns - 1, columns);
    mu = Eigen::Map<const Vector>(numbers.data(), columns);
    require<ConfigError>(mu.norm() > 0, "score: mu is a direction, so it cannot be 0.");
    mu.normalize();
  }
  return options.kappa * mu;
}

/// Number of selected triplets of a block.
std::uint64_t selected_count(const triplet::TableSelection& selection, const AttributeTable::ClassBlock& block) {
  if (selection.mask.empty()) return block.size();
  std::uint64_t sum = 0;
  for (std::uint64_t bit = block.first, end = block.first + block.size(); bit < end;) {
    const std::uint64_t length = std::min(64 - bit % 64, end - bit);  // inside one word
    std::uint64_t word = selection.mask[static_cast<std::size_t>(bit / 64)] >> (bit % 64);
    if (length < 64) word &= (std::uint64_t{1} << length) - 1;
    sum += static_cast<std::uint64_t>(std::popcount(word));
    bit += length;
  }
  return sum;
}

std::string some_names(const std::vector<std::string>& names) {
  const auto shown = std::span(names).first(std::min(kNamedInNotes, names.size()));
  return join(shown, ", ") + (names.size() > kNamedInNotes ? ", ..." : "");
}

}  // namespace

struct ScoreProblem::ObservedTriplets {
  std::shared_ptr<const TripletSource> source;
  const AttributeTable* table = nullptr;               // source, when it is one
  const TripletList* list = nullptr;                   // source, when it is one
  std::optional<triplet::TableSelection> selection;    // of a table or a view of one
  triplet::AnchorBlocks blocks;                        // of the selection
  std::vector<std::uint64_t> chunk_begin;              // of other sources; one more than there are chunks
  std::vector<std::uint64_t> object_count, map_count;  // triplets that mention them

  ObservedTriplets(std::shared_ptr<const TripletSource> from, std::size_t maps, bool pooled) : source(std::move(from)) {
    constexpr std::uint64_t kChunk = 1 << 15;  // triplets, at least
    constexpr std::uint64_t kMostChunks = 16;
    table = dynamic_cast<const AttributeTable*>(source.get());
    list = dynamic_cast<const TripletList*>(source.get());
    selection = triplet::table_selection(*source);
    map_count.assign(maps, 0);
    if (selection) {
      blocks = triplet::anchor_blocks(*selection->table);
      object_count = triplet::mention_counts(*selection);
      for (const AttributeTable::ClassBlock& block : selection->table->class_blocks())
        map_count[pooled ? 0 : block.aspect] += selected_count(*selection, block);
      return;
    }
    const std::uint64_t chunks = std::clamp<std::uint64_t>(source->size() / kChunk, 1, kMostChunks);
    for (std::uint64_t c = 0; c <= chunks; ++c) chunk_begin.push_back(source->size() / chunks * c);
    chunk_begin.back() = source->size();
    object_count.assign(static_cast<std::size_t>(source->object_count()), 0);
    for (std::uint64_t i = 0; i < source->size(); ++i) {
      const Triplet t = source->at(i);
      ++map_count[pooled ? 0 : t.aspect];
      for (const ObjectId o : {t.anchor, t.near, t.far}) ++object_count[o];
    }
  }
};

struct ScoreProblem::Scratch {
  triplet::ChunkSums<double, ScoreWorkspace> sums;
  std::vector<double> gradient, deltas;
};

const OptionList<ScoreOptions>& ScoreOptions::list() {
  using O = ScoreOptions;
  static const OptionList<O> kList =
      dimension_option<O>("dimension of the maps")
          .real("alpha", &O::alpha, above(0), "steepness of the likelihood: S(alpha * difference of distances)")
          .text("delta_mode", &O::delta_mode, {"fixed", "gradient", "em", "algorithm_1"},
                "how delta, the weight of an aspect's map in the likelihood, is found; algorithm_1: "
                "as printed in the paper")
          .real("delta", &O::delta, between(0, 1),
                "that weight if it is fixed, and otherwise its start; 0: 1 if fixed, else 0.5")
          .text("delta_coordinate", &O::delta_coordinate, {"logit", "projection"},
                "for delta_mode = gradient: unbounded logits, or steps clipped to [0, 1]")
          .real("kappa", &O::kappa, at_least(0), "concentration of the von Mises-Fisher priors; 0: no priors")
          .text("mu", &O::mu, {}, "mean direction of the priors: one number per coordinate; empty: the last axis")
          .text("prior", &O::prior, {"exact", "per_touch"},
                "the prior in stochastic steps: its share for a triplet, or the whole prior at "
                "each triplet, as printed in the paper")
          .flag("pooled", &O::pooled, "all aspects share one map");
  return kList;
}

ScoreProblem::ScoreProblem(const Observations& observations, const ScoreOptions& options)
    : columns_(options.n_components + 1),
      alpha_(options.alpha),
      mode_(mode_of(options.delta_mode)),
      logit_(mode_ == DeltaMode::gradient && options.delta_coordinate == "logit"),
      pooled_(options.pooled),
      per_touch_(options.prior == "per_touch"),
      start_delta_(options.delta > 0           ? options.delta
                   : mode_ == DeltaMode::fixed ? 1
                                               : 0.5),
      prior_(prior_of(options, columns_)) {
  const Index n = observations.object_count();
  require_triplets(observations, "score");
  mixed_ = mode_ != DeltaMode::fixed || start_delta_ != 1;
  names_ = pooled_ ? std::vector<std::string>{""} : aspect_names(observations);
  const auto maps = static_cast<Index>(names_.size());
  std::vector<DomainBlock> blocks = {{"objects", n, columns_, Oblique{1}}, {"normals", maps, columns_, Oblique{1}}};
  if (mode_ != DeltaMode::fixed) {
    const Manifold line = logit_ ? Manifold(Euclidean{}) : Manifold(Box{0, 1});
    blocks.push_back({"deltas", maps, 1, line});
  }
  domain_ = std::make_shared<const Domain>(std::move(blocks));
  evidence_ = std::make_shared<const ObservedTriplets>(observations.triplets, names_.size(), pooled_);

  std::vector<std::string> idle, empty;
  for (std::size_t i = 0; i < evidence_->object_count.size(); ++i)
    if (evidence_->object_count[i] == 0) idle.push_back(observations.objects[i]);
  for (std::size_t t = 0; t < names_.size(); ++t)
    if (evidence_->map_count[t] == 0) empty.push_back(names_[t]);
  if (!idle.empty())
    notes_.push_back(fmt::format("{} of {} objects are in no training triplet and stay at their random start: {}.",
                                 idle.size(), n, some_names(idle)));
  if (!empty.empty())
    notes_.push_back(
        fmt::format("{} of {} aspects have no training triplet; their maps lie in a random plane: "
                    "{}.",
                    empty.size(), names_.size(), some_names(empty)));
}

Solution ScoreProblem::start(Rng& rng) const {
  Point x = domain_->random(rng);
  if (mode_ == DeltaMode::fixed) return x;
  const double inside = std::clamp(start_delta_, kLeastLogitStart, 1 - kLeastLogitStart);
  x.block(kDeltas).setConstant(logit_ ? std::log(inside / (1 - inside)) : start_delta_);
  return x;
}

double ScoreProblem::delta_of(double coordinate) const { return logit_ ? 1 / (1 + std::exp(-coordinate)) : coordinate; }

std::vector<double> ScoreProblem::deltas(const Point& x) const {
  std::vector<double> out(names_.size(), start_delta_);
  if (mode_ == DeltaMode::fixed) return out;
  const auto block = x.block(kDeltas);
  for (std::size_t t = 0; t < out.size(); ++t) out[t] = delta_of(block(static_cast<Index>(t), 0));
  return out;
}

Embedding ScoreProblem::decode(const Solution& solution) const {
  const auto& x = std::get<Point>(solution);
  const Matrix objects = x.block(kObjects), normals = x.block(kNormals);
  Embedding out;
  for (std::size_t t = 0; t < names_.size(); ++t) {
    const auto normal = normals.row(static_cast<Index>(t));
    out.maps.push_back(
        {names_[t], tangent_map(objects, {normal.data(), static_cast<std::size_t>(columns_)}), normal.transpose()});
  }
  if (mode_ == DeltaMode::fixed) return out;
  const std::vector<double> shares = deltas(x);
  double absorbed = 0;
  for (std::size_t t = 0; t < names_.size(); ++t) {
    out.estimates.emplace_back(names_[t].empty() ? "delta" : fmt::format("delta({})", names_[t]), shares[t]);
    if (evidence_->map_count[t] > 0 && shares[t] < kAbsorbed) ++absorbed;
  }
  out.estimates.emplace_back("absorbed", absorbed);
  return out;
}

double ScoreProblem::evaluate(const Point& x, std::span<double> gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  scratch.deltas = deltas(x);
  const Layout& layout = *x.layout();
  const auto span_of = [&](std::size_t block) {
    return x.flat().subspan(static_cast<std::size_t>(layout[block].offset),
                            static_cast<std::size_t>(layout[block].size()));
  };
  const ScorePoint at{columns_, span_of(kObjects), span_of(kNormals), scratch.deltas, alpha_, mixed_, pooled_};
  std::ranges::fill(gradient, 0.0);
  const ObservedTriplets& data = *evidence_;
  const std::size_t chunks = data.selection ? data.blocks.chunk_count() : data.chunk_begin.size() - 1;
  double total = scratch.sums(
      chunks, gradient, evaluation.executor, [&](std::size_t c, std::span<double> part, ScoreWorkspace& work) {
        return data.selection ? add_class_blocks(at, *data.selection, data.blocks.chunk(c), part, work)
                              : add_triplets(at, *data.source, data.chunk_begin[c], data.chunk_begin[c + 1], part);
      });
  if (prior_.size() == 0) return total;
  const auto cols = static_cast<std::size_t>(columns_);
  std::size_t row = 0;
  for (const auto* counts : {&data.object_count, &data.map_count})
    for (const std::uint64_t count : *counts) {
      for (std::size_t c = 0; c < cols && count > 0; ++c) {
        total -= prior_[static_cast<Index>(c)] * x.flat()[row * cols + c];
        if (!gradient.empty()) gradient[row * cols + c] -= prior_[static_cast<Index>(c)];
      }
      ++row;
    }
  return total;
}

double ScoreProblem::value(const Point& x, Evaluation& evaluation) const { return evaluate(x, {}, evaluation); }

double ScoreProblem::value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  const auto rows = static_cast<std::size_t>(columns_) * (evidence_->object_count.size() + names_.size());
  scratch.gradient.resize(rows + names_.size());
  const double total = evaluate(x, scratch.gradient, evaluation);
  std::copy_n(scratch.gradient.begin(), rows, gradient.flat().begin());
  if (mode_ == DeltaMode::fixed) return total;
  for (std::size_t t = 0; t < names_.size(); ++t) {
    const double delta = scratch.deltas[t];
    gradient.flat()[rows + t] = scratch.gradient[rows + t] * (logit_ ? delta * (1 - delta) : 1);
  }
  return total;
}

TermIndex ScoreProblem::term_count() const { return evidence_->source->size(); }

Triplet ScoreProblem::triplet(TermIndex index) const {
  if (evidence_->table) return evidence_->table->at(index);
  return evidence_->list ? evidence_->list->at(index) : evidence_->source->at(index);
}

template <std::size_t kColumns, bool kDirection>
double ScoreProblem::add_term(const Point& x, TermIndex index, TermGradient& out) const {
  const Triplet t = triplet(index);
  const auto cols = kColumns > 0 ? kColumns : static_cast<std::size_t>(columns_);
  const std::size_t map = pooled_ ? 0 : t.aspect;
  const std::size_t objects = evidence_->object_count.size();
  const double* y = x.flat().data();
  const double* normals = y + objects * cols;
  const bool estimated = mode_ != DeltaMode::fixed;
  const double delta = estimated ? delta_of(normals[names_.size() * cols + map]) : start_delta_;
  const std::array<const double*, 4> rows = {y + t.anchor * cols, y + t.near * cols, y + t.far * cols,
                                             normals + map * cols};
  const std::array<double*, 4> gradients = {out.add(kObjects, static_cast<Index>(t.anchor), columns_),
                                            out.add(kObjects, static_cast<Index>(t.near), columns_),
                                            out.add(kObjects, static_cast<Index>(t.far), columns_),
                                            out.add(kNormals, static_cast<Index>(map), columns_)};
  const MixtureTerm term = score_triplet<kColumns>({cols, alpha_, delta, mixed_}, {rows[0], rows[1], rows[2], rows[3]},
                                                   t.weight, {gradients[0], gradients[1], gradients[2], gradients[3]});
  double value = t.weight * term.loss;
  if (estimated) {
    double slope = term.d_delta;
    if (kDirection && mode_ == DeltaMode::algorithm_1) slope = term.difference;
    if (logit_ || (kDirection && mode_ == DeltaMode::em)) slope *= delta * (1 - delta);
    *out.add(kDeltas, static_cast<Index>(map), 1) = -t.weight * slope;
  }
  if (prior_.size() == 0) return value;
  const std::array<std::uint64_t, 4> counts = {evidence_->object_count[t.anchor], evidence_->object_count[t.near],
                                               evidence_->object_count[t.far], evidence_->map_count[map]};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double share = 1 / static_cast<double>(counts[r]);
    for (std::size_t c = 0; c < cols; ++c) {
      const double prior = prior_[static_cast<Index>(c)];
      value -= share * prior * rows[r][c];
      gradients[r][c] -= kDirection && per_touch_ ? prior : share * prior;
    }
  }
  return value;
}

template <bool kDirection>
double ScoreProblem::add_term(const Point& x, TermIndex index, TermGradient& out) const {
  switch (columns_) {
    case 2: return add_term<2, kDirection>(x, index, out);
    case 3: return add_term<3, kDirection>(x, index, out);
    case 4: return add_term<4, kDirection>(x, index, out);
    default: return add_term<0, kDirection>(x, index, out);
  }
}

double ScoreProblem::term(const Point& x, TermIndex index, TermGradient& out) const {
  return add_term<false>(x, index, out);
}

double ScoreProblem::direction(const Point& x, TermIndex index, TermGradient& out) const {
  return add_term<true>(x, index, out);
}

static_assert(AnyProblem<ScoreProblem> && SmoothProblem<ScoreProblem>);
static_assert(FiniteSumProblem<ScoreProblem> && DirectedSum<ScoreProblem>);

/// @throws ConfigError, DataError
ProblemEntry score_entry() {
  return {
      .name = "score",
      .summary = "one map per aspect; each is a tangent plane of one sphere that all aspects share",
      .reference = "[LL19] Le & Lauw 2019, Eq. 1 to 10, Algorithm 1",
      .equation =
          "min over unit vectors y (objects) and x (aspects): - sum w ln(D s_t + (1 - D) s_g) - "
          "kappa mu . (sum of x and y), with s_t = S(alpha (d_jk - d_ji)) on the tangent plane at "
          "x_t, s_g = S(alpha (y_j . y_i - y_j . y_k)), S the logistic function, j the anchor, i "
          "near, k far",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<ScoreProblem>(),
      .options = ScoreOptions::list().infos(),
      .make = maker_of<ScoreProblem, ScoreOptions>("score"),
      .solver = R"({ name = "sequence", solvers = [
          { name = "riemannian_sgd", update = "plain", batch_size = 1, order = "draw", steps = 1000000,
          learning_rate = 0.02, final_fraction = 0 },
          { name = "ceres", max_iter = 200 } ] })",
  };
}

}  // namespace alidade::multiview
