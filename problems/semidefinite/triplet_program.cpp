#include "problems/semidefinite/triplet_program.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/semidefinite/distance_map.hpp"

namespace alidade::semidefinite {

TripletProgram::TripletProgram(DistanceCost distance_cost, std::shared_ptr<const TripletSource> triplets,
                               const TripletProgramOptions& options)
    : DistanceProgram(std::move(distance_cost)), triplets_(std::move(triplets)), options_(options) {
  by_anchor_ = GroupedLists<Entry>(subscript(cost().object_count), [&](const auto& add) {
    row_count_ = 0;
    for (std::uint64_t k = 0; k < triplets_->size(); ++k) {
      const Triplet t = triplets_->at(k);
      if (!(t.weight > 0)) continue;
      add(t.anchor, Entry{t.near, t.far, static_cast<std::uint32_t>(k)});
      ++row_count_;
    }
  });
  require<DataError>(row_count_ > 0, "There is no triplet to learn from. Add triplets.");
  if (!priced()) find_interior();
}

void TripletProgram::find_interior() {
  const Index n = cost().object_count;
  const auto key = [n](ObjectId i, ObjectId j) {
    return static_cast<std::uint64_t>(std::min(i, j)) * static_cast<std::uint64_t>(n) + std::max(i, j);
  };
  std::vector<std::uint64_t> pairs;
  pairs.reserve(2 * row_count_);
  const auto each = [&](auto&& visit) {
    for (Index i = 0; i < n; ++i)
      for (const Entry& entry : by_anchor_[subscript(i)])
        visit(key(static_cast<ObjectId>(i), entry.near), key(static_cast<ObjectId>(i), entry.far));
  };
  each([&](std::uint64_t near, std::uint64_t far) {
    pairs.push_back(near);
    pairs.push_back(far);
  });
  sort_distinct(pairs);
  // Levels of pairs by the longest chain of triplets that leads to them.
  const auto level = chain_levels(std::ssize(pairs), [&](const auto& visit) {
    each([&](std::uint64_t near, std::uint64_t far) {
      visit(static_cast<Index>(place_in(pairs, near)), static_cast<Index>(place_in(pairs, far)));
    });
  });
  consistent_ = level.has_value();
  if (!consistent_) return;
  const auto deepest = static_cast<double>(*std::ranges::max_element(*level));
  const auto size = static_cast<std::uint64_t>(n);
  const auto height = [&](std::size_t k) { return 1 - 2 * static_cast<double>((*level)[k]) / deepest; };
  Vector sums = Vector::Zero(n);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    sums[static_cast<Index>(pairs[k] / size)] += std::abs(height(k));
    sums[static_cast<Index>(pairs[k] % size)] += std::abs(height(k));
  }
  const double c = 1 / sums.maxCoeff(), unit = cost().trace_bound / static_cast<double>(n);
  interior_room_ = 4 * c / deepest * unit;
  double value = cost().all_pairs * static_cast<double>(n) * static_cast<double>(n - 1) / 2;
  if (cost().all_pairs != 0)
    for (std::size_t k = 0; k < pairs.size(); ++k) value -= cost().all_pairs * c * height(k);
  for (const WeightedPair& pair : cost().pairs) {
    const std::size_t k = place_in(pairs, key(pair.i, pair.j));
    const bool listed = k < pairs.size() && pairs[k] == key(pair.i, pair.j);
    value += pair.weight * (1 - (listed ? c * height(k) : 0.0));
  }
  interior_value_ = 2 * unit * value;
}

DistanceConstraint TripletProgram::row(ConstraintId id) const {
  const Triplet t = triplets_->at(id);
  DistanceConstraint out;
  out.terms = {DistanceTerm{t.anchor, t.near, 1.0}, DistanceTerm{t.anchor, t.far, -1.0}};
  out.term_count = 2;
  out.bound = -options_.margin;
  if (priced()) out.cap = options_.slack_price * t.weight;
  return out;
}

std::string TripletProgram::constraint_name(ConstraintId id) const {
  const Triplet t = triplets_->at(id);
  return fmt::format("triplet {}: {} nearer to {} than {}", id, t.near, t.anchor, t.far);
}

std::vector<ConstraintId> TripletProgram::all_constraints() const {
  std::vector<ConstraintId> out;
  out.reserve(row_count_);
  for (Index i = 0; i < cost().object_count; ++i)
    for (const Entry& entry : by_anchor_[subscript(i)]) out.push_back(entry.id);
  std::ranges::sort(out);
  return out;
}

std::vector<ConstraintId> TripletProgram::first_constraints(Index per_side, Rng& rng) const {
  std::vector<ConstraintId> out, own;
  for (Index i = 0; i < cost().object_count; ++i) {
    own.clear();
    for (const Entry& entry : by_anchor_[subscript(i)]) own.push_back(entry.id);
    rng.shuffle(std::span(own));
    own.resize(std::min(own.size(), subscript(per_side)));
    out.insert(out.end(), own.begin(), own.end());
  }
  std::ranges::sort(out);
  return out;
}

template <class Use>
void TripletProgram::each_excess(Index i, const SquaredDistances& d2, std::vector<double>& row, const Use& use) const {
  constexpr std::size_t kFew = 8;  // times as many distances in a row take as long as those of its triplets alone
  const std::span<const Entry> own = by_anchor_[subscript(i)];
  const bool few = kFew * own.size() < subscript(cost().object_count);
  if (!few) {
    row.resize(subscript(cost().object_count));
    d2.from(i, row);
  }
  const auto distance = [&](Index j) { return few ? d2(i, j) : row[subscript(j)]; };
  for (const Entry& entry : own)
    use(entry, distance(static_cast<Index>(entry.near)) - distance(static_cast<Index>(entry.far)) + options_.margin);
}

Violations TripletProgram::separate(const SquaredDistances& d2, Index budget, double tolerance,
                                    std::vector<ConstraintId>& out, Executor& executor) const {
  constexpr Index kObjects = 64;  // a chunk
  const Index n = cost().object_count;
  struct Seen {
    Violations violations;
    std::vector<ConstraintId> worst;
  };
  std::vector<Seen> seen(subscript(chunk_count(n, kObjects)));
  executor.run_chunks(n, kObjects, [&](const Chunk& chunk) {
    Seen& part = seen[subscript(chunk.number)];
    std::vector<double> row;
    std::vector<std::pair<double, ConstraintId>> violated;
    for (Index i = chunk.first; i < chunk.last; ++i) {
      violated.clear();
      each_excess(i, d2, row, [&](const Entry& entry, double excess) {
        part.violations.max = std::max(part.violations.max, excess);
        if (excess <= tolerance) return;
        violated.emplace_back(excess, entry.id);
        ++part.violations.count;
        part.violations.sum += excess;
      });
      append_worst(violated, budget, part.worst);
    }
  });
  Violations sum;
  for (const Seen& part : seen) {
    out.insert(out.end(), part.worst.begin(), part.worst.end());
    sum.count += part.violations.count;
    sum.sum += part.violations.sum;
    sum.max = std::max(sum.max, part.violations.max);
  }
  return sum;
}

double TripletProgram::slack_cost(const SquaredDistances& d2) const {
  if (!priced()) return 0;
  std::vector<double> row;
  double sum = 0;
  for (Index i = 0; i < cost().object_count; ++i)
    each_excess(i, d2, row, [&](const Entry& entry, double excess) {
      if (excess > 0) sum += (triplets_->weighted() ? triplets_->at(entry.id).weight : 1) * excess;
    });
  return options_.slack_price * sum;
}

std::optional<double> TripletProgram::repaired_value(double value, double violation, double trace) const {
  constexpr double kRounding = 1e-9;
  const double bound = cost().trace_bound;
  if (priced() && options_.margin > 0) return trace <= bound * (1 + kRounding) ? std::optional(value) : std::nullopt;
  const double shrink = trace > bound ? bound / trace : 1.0;
  if (priced()) return std::min(0.0, shrink * value);
  if (!consistent_) return std::nullopt;
  violation = std::max(0.0, violation) * shrink;
  const double mix = violation / (violation + interior_room_);
  return std::min(0.0, (1 - mix) * shrink * value + mix * interior_value_);
}

namespace {

struct GnmdsOptions : DrawnAxes {
  double lambda = 1, trace_bound = 0;

  static const OptionList<GnmdsOptions>& list() {
    static const auto kList =
        OptionList<GnmdsOptions>()
            .include(DrawnAxes::list())
            .real("lambda", &GnmdsOptions::lambda, above(0),
                  "weight of the regulariser tr G; a triplet that is not met with a margin of 1 costs what it lacks")
            .real("trace_bound", &GnmdsOptions::trace_bound, at_least(0),
                  "T in tr G <= T; 0: the sum of weights / lambda, which no optimum exceeds");
    return kList;
  }
};

struct OrderedOptions : DrawnAxes {
  double margin = 0, beta = 0, trace_bound = 1;

  static const OptionList<OrderedOptions>& list() {
    static const auto kList =
        OptionList<OrderedOptions>()
            .include(DrawnAxes::list())
            .real("beta", &OrderedOptions::beta, at_least(0),
                  "penalty of the mean slack of a triplet; 0: no slacks, so that all triplets are satisfied")
            .real("margin", &OrderedOptions::margin, at_least(0),
                  "margin by which far objects are farther, in units of 2 T / (n - 1), the mean squared distance; "
                  "needs slacks (beta > 0)")
            .real("trace_bound", &OrderedOptions::trace_bound, above(0), "T in tr G <= T");
    return kList;
  }
};

OrderedOptions parsed_ordered(const ValueTable& table) {
  const OrderedOptions out = OrderedOptions::list().parse(table, "problem 'psde_triplets'");
  require<ConfigError>(
      out.margin == 0 || out.beta > 0,
      "problem 'psde_triplets': margin {} may be infeasible without slacks. Set beta > 0, the penalty of slacks, too.",
      out.margin);
  return out;
}

double sum_of_weights(const TripletSource& triplets, std::string_view problem) {
  if (!triplets.weighted()) return static_cast<double>(triplets.size());
  double sum = 0;
  for (std::uint64_t k = 0; k < triplets.size(); ++k) sum += triplets.at(k).weight;
  require<DataError>(sum > 0, "{}: all triplets have weight 0. Give some a weight > 0.", problem);
  return sum;
}

/// sum_k w_k (d2_near - d2_far) as weights of pairs.
std::vector<WeightedPair> order_cost(const TripletSource& triplets, double unit) {
  std::vector<WeightedPair> all;
  all.reserve(2 * static_cast<std::size_t>(triplets.size()));
  for (std::uint64_t k = 0; k < triplets.size(); ++k) {
    const Triplet t = triplets.at(k);
    all.push_back({std::min(t.anchor, t.near), std::max(t.anchor, t.near), unit * t.weight});
    all.push_back({std::min(t.anchor, t.far), std::max(t.anchor, t.far), -unit * t.weight});
  }
  std::vector<WeightedPair> out = summed_weights(std::move(all));
  std::erase_if(out, [](const WeightedPair& pair) { return pair.weight == 0; });
  return out;
}

/// Checked before anything of that size is allocated.
void require_size(const Observations& observations, std::string_view problem) {
  require_triplets(observations, problem);
  require<DataError>(observations.triplets->size() <= TripletProgram::kMostTriplets,
                     "{}: {} triplets are too many for a semidefinite program; the limit is {}. Use a sample: set "
                     "`triplets` of the data set, or a larger split.holdout.",
                     problem, observations.triplets->size(), TripletProgram::kMostTriplets);
}

Problem make_gnmds_sdp(const Observations& observations, const ValueTable& table) {
  const GnmdsOptions options = GnmdsOptions::list().parse(table, "problem 'gnmds_sdp'");
  require_size(observations, "gnmds_sdp");
  DistanceCost cost;
  cost.object_count = observations.object_count();
  cost.fills_trace = false;
  // lambda tr G = lambda / n sum_{i<j} d2_ij, as G is centred.
  cost.all_pairs = options.lambda / static_cast<double>(cost.object_count);
  const double weights = sum_of_weights(*observations.triplets, "gnmds_sdp");
  cost.trace_bound = options.trace_bound > 0 ? options.trace_bound : weights / options.lambda;
  auto program =
      std::make_shared<const TripletProgram>(std::move(cost), observations.triplets, TripletProgramOptions{1, 1});
  return {"gnmds_sdp", DistanceMap(std::move(program), options.n_components, {}, {.weights = 1})};
}

Problem make_psde_triplets(const Observations& observations, const ValueTable& table) {
  const OrderedOptions options = parsed_ordered(table);
  require_size(observations, "psde_triplets");
  DistanceCost cost;
  const Index n = cost.object_count = observations.object_count();
  const double weights = sum_of_weights(*observations.triplets, "psde_triplets");
  cost.pairs = order_cost(*observations.triplets, 1 / weights);
  cost.trace_bound = options.trace_bound;
  TripletProgramOptions order;
  order.margin = options.margin * 2 * options.trace_bound / static_cast<double>(n - 1);
  if (options.beta > 0) order.slack_price = options.beta / weights;
  auto program = std::make_shared<const TripletProgram>(std::move(cost), observations.triplets, order);
  std::vector<std::string> notes;
  if (!program->consistent())
    notes.push_back(
        "Some triplets contradict each other: a chain of them returns to the pair it began with, so all of its "
        "distances must be equal. With slacks (beta > 0), some of them may be violated instead.");
  return {"psde_triplets", DistanceMap(std::move(program), options.n_components, std::move(notes))};
}

void check_psde_triplets(const ValueTable& options) { (void)parsed_ordered(options); }

}  // namespace

ProblemEntry gnmds_sdp_entry() {
  return {
      .name = "gnmds_sdp",
      .summary = "generalised non-metric MDS as a semidefinite program: hinge losses and the variance; certified",
      .reference = "[AWC07] Agarwal et al. 2007",
      .equation = "min over G psd, xi >= 0: sum w xi + lambda tr G, s.t. d2_near - d2_far + 1 <= xi",
      .needs = {ObservationKind::triplets},
      .offers = offered_by<DistanceMap>(),
      .options = GnmdsOptions::list().infos(),
      .make = make_gnmds_sdp,
  };
}

ProblemEntry psde_triplets_entry() {
  return {
      .name = "psde_triplets",
      .summary =
          "the feasible map whose far objects are farthest apart: all triplets are satisfied, or slacks are penalised; "
          "certified",
      .reference = "ordered similarity, an extension that [GR07] Globerson & Roweis 2007 name",
      .equation =
          "min over G psd, xi >= 0: mean of w (d2_near - d2_far) + beta mean of xi, s.t. d2_near - d2_far + margin <= "
          "xi, tr G <= T",
      .needs = {ObservationKind::triplets},
      .offers = offered_by<DistanceMap>(),
      .options = OrderedOptions::list().infos(),
      .make = make_psde_triplets,
      .check = check_psde_triplets,
  };
}

}  // namespace alidade::semidefinite
