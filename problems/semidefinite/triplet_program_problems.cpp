// Two semidefinite programs of triplets, whose rows are in triplet_program.hpp.
// `gnmds_sdp`, [AWC07]:  min sum w xi + lambda tr G  s.t.  d2_near - d2_far + 1 <= xi, G psd.
//   G = 0 costs sum w, so lambda tr G <= sum w at an optimum: T = sum w / lambda.
// `psde_triplets`, ordered similarity j <=_i k:  min mean of w (d2_near - d2_far)  s.t.  d2_near - d2_far <= 0, tr G <=
// T:
//   the feasible map whose far objects are farthest from the anchors, at bounded variance. It is homogeneous in G, so
//   the optimum is 0 or has trace T; it is 0 only if all triplets tie in every feasible map.
#include <algorithm>
#include <cmath>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/drawn_axes.hpp"
#include "problems/semidefinite/triplet_program.hpp"

namespace alidade::semidefinite {
namespace {

struct GnmdsOptions : DrawnAxes {
  double lambda = 1, trace_bound = 0;

  static const OptionList<GnmdsOptions>& list() {
    static const auto kList = OptionList<GnmdsOptions>()
                                  .include(DrawnAxes::list())
                                  .real("lambda", &GnmdsOptions::lambda, above(0),
                                        "weight of the regulariser tr G; a triplet that is not met with a margin of 1 "
                                        "costs what it lacks")
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
                  "penalty of the mean slack of a triplet; 0: no slacks, so that all triplets are "
                  "satisfied")
            .real("margin", &OrderedOptions::margin, at_least(0),
                  "margin by which far objects are farther, in units of 2 T / (n - 1), the mean "
                  "squared distance; needs slacks (beta > 0)")
            .real("trace_bound", &OrderedOptions::trace_bound, above(0), "T in tr G <= T");
    return kList;
  }
};

OrderedOptions parsed_ordered(const ValueTable& table) {
  const OrderedOptions out = OrderedOptions::list().parse(table, "problem 'psde_triplets'");
  require<ConfigError>(out.margin == 0 || out.beta > 0,
                       "problem 'psde_triplets': margin {} may be infeasible without slacks. Set beta > 0, the "
                       "penalty of slacks, too.",
                       out.margin);
  return out;
}

double sum_of_weights(const TripletSource& triplets) {
  if (!triplets.weighted()) return static_cast<double>(triplets.size());
  double sum = 0;
  for (std::uint64_t k = 0; k < triplets.size(); ++k) sum += triplets.at(k).weight;
  return sum;
}

/// sum_k w_k (d2_near - d2_far) as weights of pairs.
std::vector<WeightedPair> order_cost(const TripletSource& triplets, double unit) {
  std::vector<WeightedPair> all, out;
  all.reserve(2 * static_cast<std::size_t>(triplets.size()));
  for (std::uint64_t k = 0; k < triplets.size(); ++k) {
    const Triplet t = triplets.at(k);
    all.push_back({std::min(t.anchor, t.near), std::max(t.anchor, t.near), unit * t.weight});
    all.push_back({std::min(t.anchor, t.far), std::max(t.anchor, t.far), -unit * t.weight});
  }
  std::ranges::stable_sort(
      all, [](const WeightedPair& a, const WeightedPair& b) { return std::pair(a.i, a.j) < std::pair(b.i, b.j); });
  for (const WeightedPair& pair : all) {
    if (!out.empty() && out.back().i == pair.i && out.back().j == pair.j)
      out.back().weight += pair.weight;
    else
      out.push_back(pair);
  }
  std::erase_if(out, [](const WeightedPair& pair) { return pair.weight == 0; });
  return out;
}

/// Checked before anything of that size is allocated.
void require_size(const Observations& observations, std::string_view problem) {
  require_triplets(observations, problem);
  require<DataError>(observations.triplets->size() <= TripletProgram::kMostTriplets,
                     "{}: {} triplets are too many for a semidefinite program; the limit is {}. "
                     "Use a sample: set `triplets` of the data set, or a larger split.holdout.",
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
  const double weights = sum_of_weights(*observations.triplets);
  require<DataError>(weights > 0, "gnmds_sdp: all triplets have weight 0. Give some a weight > 0.");
  cost.trace_bound = options.trace_bound > 0 ? options.trace_bound : weights / options.lambda;
  auto program =
      std::make_shared<const TripletProgram>(std::move(cost), observations.triplets, TripletProgramOptions{1, 1});
  return {"gnmds_sdp", DistanceMap(std::move(program), options.n_components)};
}

Problem make_psde_triplets(const Observations& observations, const ValueTable& table) {
  const OrderedOptions options = parsed_ordered(table);
  require_size(observations, "psde_triplets");
  DistanceCost cost;
  const Index n = cost.object_count = observations.object_count();
  const double weights = sum_of_weights(*observations.triplets);
  require<DataError>(weights > 0, "psde_triplets: all triplets have weight 0. Give some a weight > 0.");
  cost.pairs = order_cost(*observations.triplets, 1 / weights);
  cost.trace_bound = options.trace_bound;
  TripletProgramOptions order;
  order.margin = options.margin * 2 * options.trace_bound / static_cast<double>(n - 1);
  if (options.beta > 0) order.slack_price = options.beta / weights;
  auto program = std::make_shared<const TripletProgram>(std::move(cost), observations.triplets, order);
  std::vector<std::string> notes;
  if (!program->consistent())
    notes.push_back(
        "Some triplets contradict each other: a chain of them returns to the pair it began with, "
        "so all of its distances must be equal. With slacks (beta > 0), some of them may be "
        "violated instead.");
  return {"psde_triplets", DistanceMap(std::move(program), options.n_components, std::move(notes))};
}

void check_psde_triplets(const ValueTable& options) { (void)parsed_ordered(options); }

}  // namespace

/// @throws DataError, ConfigError
ProblemEntry gnmds_sdp_entry() {
  return {
      .name = "gnmds_sdp",
      .summary =
          "generalised non-metric MDS as a semidefinite program: hinge losses and the "
          "variance; certified",
      .reference = "[AWC07] Agarwal et al. 2007",
      .equation = "min over G psd, xi >= 0: sum w xi + lambda tr G, s.t. d2_near - d2_far + 1 <= xi",
      .needs = {ObservationKind::triplets},
      .offers = offered_by<DistanceMap>(),
      .options = GnmdsOptions::list().infos(),
      .make = make_gnmds_sdp,
  };
}

/// @throws DataError, ConfigError
ProblemEntry psde_triplets_entry() {
  return {
      .name = "psde_triplets",
      .summary =
          "the feasible map whose far objects are farthest apart: all triplets are "
          "satisfied, or slacks are penalised; certified",
      .reference = "ordered similarity, an extension that [GR07] Globerson & Roweis 2007 name",
      .equation =
          "min over G psd, xi >= 0: mean of w (d2_near - d2_far) + beta mean of xi, s.t. d2_near - "
          "d2_far + margin <= xi, tr G <= T",
      .needs = {ObservationKind::triplets},
      .offers = offered_by<DistanceMap>(),
      .options = OrderedOptions::list().infos(),
      .make = make_psde_triplets,
      .check = check_psde_triplets,
  };
}

}  // namespace alidade::semidefinite
